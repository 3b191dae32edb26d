package heapwire.cereal.road

import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.tilelink.Opcode

import scala.collection.mutable
import scala.util.Random

/** Random reads and writes of a small memory, among them spans in a row. */
class MemoryAccessInterfaceTest extends AnyFunSuite {
  private val base = 0x40000000L
  private val size = 2048

  /** The bits of the memory port, the orders, and the writer's Puts in flight, over 16 entries. The last shape is that
    * of a serialization unit with 16 entries (`cereal-e16`): more parts of spans may be due than there are entries.
    */
  private val shapes = Seq((32, 8, 16), (128, 8, 16), (128, 32, 64))

  for ((width, orders, puts) <- shapes) test(s"reads bring what was written, in order ($width bits, $orders orders)") {
    val m = MemoryParameter(dataWidth = width)
    val writer = m.master("writer", puts, put = true)
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC)))
      .compile {
        val dut = MemoryAccessInterface(m, writer, entries = 16, orders, ahead = 4)
        dut.count.simPublic()
        dut
      }.doSim(seed = 1) { dut =>
        val clock = dut.clockDomain
        val random = new Random(width)
        val memory = new SimBytes(base, size)
        random.nextBytes(memory.bytes)
        clock.forkStimulus(10)
        val bus =
          new TilelinkMemory(dut.io.bus, clock, memory, random, stall = 0.2, latency = 1 to 40, scattered = true)
        val bytes = m.wordBytes
        val beats = PathWord.beats(m)
        def valueAt(word: Int): BigInt = BigInt(1, memory.read(base + word * bytes, bytes).reverse)

        /** For each word, its values and the cycle from which on each is valid, in the order in which writes left the
        * writer.
        */
        val history = Array.tabulate(size / bytes)(word => mutable.ArrayBuffer(0L -> valueAt(word)))
        case class Due(word: Int, since: Long, last: Boolean, span: Int)
        val due = mutable.Queue[Due]()
        var cycle = 0L
        var span, complete, writes, hints, read, most = 0
        var at, count = 0
        val sources = mutable.Queue.from(0 until puts)
        var beat, source, put = 0
        val a = dut.io.write.a
        dut.io.bound #= base
        dut.io.limit #= base + size
        dut.io.passing #= false
        dut.io.clear #= true
        dut.io.command.valid #= false
        dut.io.hint.valid #= false
        dut.io.word.ready #= false
        dut.io.write.d.ready #= true
        a.valid #= false
        clock.waitSampling(20)
        dut.io.clear #= false

        def offerPut(): Unit = {
          if (beat == 0) {
            put = random.nextInt(size / (bytes * beats)) * beats
            source = sources.dequeue()
          }
          a.valid #= true
          a.opcode #= Opcode.A.PUT_PARTIAL_DATA
          a.param #= 0
          a.source #= source
          a.address #= base + put * bytes
          a.size #= log2Up(bytes * beats)
          a.data #= BigInt(width, random)
          a.mask #= random.nextInt(1 << bytes)
          a.corrupt #= false
        }
        clock.onSamplings {
          cycle += 1
          most = most max dut.count.toInt
          if (dut.io.write.d.valid.toBoolean) sources.enqueue(dut.io.write.d.source.toInt)
          if (dut.io.word.valid.toBoolean && dut.io.word.ready.toBoolean) {
            val next = due.dequeue()
            val value = dut.io.word.data.toBigInt
            val known = history(next.word)
            val first = known.lastIndexWhere(_._1 <= next.since)
            assert(known.drop(first).exists(_._2 == value),
              s"word ${next.word} in cycle $cycle, asked for in ${next.since}, is ${value.toString(16)}")
            assert(dut.io.word.last.toBoolean == next.last && !dut.io.word.error.toBoolean)
            read += 1
          }
          if (a.valid.toBoolean && a.ready.toBoolean) {
            val word = put + beat
            val mask = (0 until bytes).filter(a.mask.toBigInt.testBit).map(byte => BigInt(255) << 8 * byte).sum
            history(word) += cycle -> ((history(word).last._2 &~ mask) | (a.data.toBigInt & mask))
            writes += 1
            beat = (beat + 1) % beats
            a.valid #= false
          }
          if (dut.io.hint.valid.toBoolean && dut.io.hint.ready.toBoolean) hints += 1
          val taken = !dut.io.command.valid.toBoolean || dut.io.command.ready.toBoolean
          if (taken) {
            complete = span
            dut.io.command.valid #= false
          }
          if ((!a.valid.toBoolean || a.ready.toBoolean) && (beat > 0 || sources.nonEmpty && random.nextInt(6) == 0))
            offerPut()
          if (taken && random.nextInt(2) == 0) {
            // Runs upwards and downwards, then a jump.
            count = 1 + random.nextInt(2 * MemoryAccessInterface.EntryBytes / bytes)
            if (span % 24 == 0) at = random.nextInt(size / bytes)
            else at += (if (span / 24 % 2 == 0) 1 else -1) * MemoryAccessInterface.EntryBytes / bytes
            at = (at max 0) min (size / bytes - count)
            span += 1
            for (i <- 0 until count) due.enqueue(Due(at + i, cycle, i == count - 1, span))
            dut.io.command.valid #= true
            dut.io.command.word #= base / bytes + at
            dut.io.command.count #= count
            dut.io.again #= random.nextInt(4) == 0
          }
          // Hints come and go as they like.
          dut.io.hint.valid #= random.nextInt(8) == 0
          dut.io.hint.payload #= (base + random.nextInt(size)) / MemoryAccessInterface.EntryBytes
          // No word of a span is taken before the whole span has been requested, as with headers.
          dut.io.word.ready #= due.headOption.exists(_.span <= complete) && random.nextInt(4) != 0
        }
        assert(!clock.waitSamplingWhere(400000)(read > 20000), s"$read words have come, of $span spans")
        assert(most == orders, s"at most $most of $orders orders were due")
        val gets = bus.log.filterNot(_._1)
        assert(gets.forall { case (_, address, length) =>
          address >= base && address + length <= base + size && length == MemoryAccessInterface.EntryBytes
        })
        assert(writes > 500 && gets.size < span + hints,
          s"$writes words written, ${gets.size} reads for $span spans and $hints hints")
      }
  }
}
