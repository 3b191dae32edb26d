package heapwire.evacuate

import heapwire.Rounds
import heapwire.isa.{RuntimeRegister, Status}
import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** A heap with random klasses and objects, and what a young collection of software makes of it. */
class EvacuationHeap(random: Random, room: Int = 0x2000) {
  import EvacuationHeap._
  val memory = new SimBytes(base, 0x20000)
  def set(at: Long, value: Long): Unit =
    memory.write(at, Array.tabulate(4)(i => (value >> (8 * i)).toByte))
  random.nextBytes(memory.bytes)

  case class Klass(at: Long, size: Int, kind: Int, shift: Int, bitmap: Long, metadata: Int)
  private var next = base + 4 * random.nextInt(2)
  private def klass(size: Int, kind: Int, shift: Int, bitmap: Long, metadata: Int): Klass = {
    val at = next
    next += 32 + 4 * random.nextInt(6)
    for ((value, i) <- Seq[Long](size, kind, shift, 0, 0, bitmap, 0, metadata | 0x50000).zipWithIndex)
      set(at + 4 * i, value)
    Klass(at, size, kind, shift, bitmap, metadata)
  }
  val klasses: Seq[Klass] = Seq.fill(14) {
    val size = 8 + 8 * random.nextInt(12)
    klass(size, Seq(0, 3)(random.nextInt(2)), 0, random.nextLong() & 0x7fffffffL & ((1L << (size - 8) / 4) - 1), 0)
  } ++ (0 to 3).map(klass(0, 1, _, 0, random.nextInt(2))) ++ Seq(0, 1).map(klass(0, 2, 2, 0, _)) :+
    klass(136, 0, 0, 0x80000000L | 0x20000000L, 0)
  val of: Map[Long, Klass] = klasses.map(k => k.at -> k).toMap

  val objects: Seq[Long] = {
    val all = mutable.ArrayBuffer[Long]()
    var at = young
    while (at < young + 0x3800) {
      val k = klasses(random.nextInt(klasses.size))
      val length = if (random.nextInt(12) == 0) 140 + random.nextInt(30) else random.nextInt(20)
      all += at
      set(at, 1L | random.nextInt(1 << 29).toLong << 3 & ~0x78L | random.nextInt(6).toLong << 3)
      set(at + 4, k.at)
      if (k.kind == 1 || k.kind == 2) set(at + 8, length)
      at += bytes(at)
    }
    all.toSeq
  }
  private def reference = random.nextInt(4) match {
    case 0 => Seq(0L, old, young - 8, youngLimit)(random.nextInt(4)); case _ => objects(random.nextInt(objects.size))
  }
  def slots(at: Long): Seq[Long] = {
    val k = of(memory.word(at + 4))
    if (k.kind == 2) (0L until memory.word(at + 8)).map(i => at + 16 + 8 * k.metadata + 4 * i)
    else (0 until (k.size - 8) / 4).filter(i => k.bitmap < 0x80000000L && (k.bitmap >> i & 1) == 1).map(at + 8 + 4 * _)
  }
  for (at <- objects; slot <- slots(at)) set(slot, reference)
  val count: Int = 1 + random.nextInt(98)
  for (i <- 0 until count) set(list + 4 * i, reference)
  val tenure: Int = 1 + random.nextInt(8)

  def bytes(at: Long): Long = {
    val k = of(memory.word(at + 4))
    if (k.size != 0) k.size else (16 + 8 * k.metadata + (memory.word(at + 8) << k.shift) + 7) & ~7L
  }
  val limit: Long = top + room
  val arguments: Seq[Long] = Seq(list, count | tenure.toLong << 8, old, young, youngLimit, top, limit, leftBefore)

  /** Does what software does, and returns the results. */
  def collect(): Seq[Long] = {
    var (to, oldTop, left) = (top, old, leftBefore)
    val stack = mutable.Stack[(Long, Long)]()
    def push(slot: Long): Unit = {
      val reference = memory.word(slot)
      if (reference >= young && reference < youngLimit) stack.push(slot -> reference)
    }
    for (i <- 0 until count) push(list + 4 * i)
    while (stack.nonEmpty) {
      val (slot, source) = stack.pop()
      val mark = memory.word(source)
      if ((mark & 3) == 3) set(slot, mark & ~3L)
      else {
        val (k, size, age) = (of(memory.word(source + 4)), bytes(source), mark >> 3 & 15)
        val stays = age < tenure && size <= limit - to
        val moved = if (stays) to else oldTop
        if (stays) to += size else oldTop += size
        memory.write(moved, memory.read(source, size.toInt))
        if (stays) set(moved, mark + 8)
        set(source, moved | 3)
        val at = stack.size
        if (k.bitmap >= 0x80000000L || k.kind == 2 && memory.word(source + 8) > 128 - at || k.bitmap != 0 && at > 97) {
          set(source + 4, left)
          left = source
        } else slots(moved).foreach(push)
        set(slot, moved)
      }
    }
    Seq(to, oldTop, left)
  }
}

object EvacuationHeap {
  val base = 0x40000000L
  val list: Long = base + 0x1008
  val old: Long = base + 0x2008
  val young: Long = base + 0x8000
  val top: Long = base + 0xc008
  val youngLimit: Long = base + 0x10000
  val leftBefore: Long = base + 0x9990
  val klassLimit: Long = base + 0x1000
}

class EvacuationTest extends AnyFunSuite {
  import EvacuationHeap._
  private val config = SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains =
      ClockDomainConfig(resetKind = SYNC)))
  private val widths = if (Rounds.full) Seq(128, 64) else Seq(128)
  private lazy val compiled = widths.map(width =>
    width -> config.compile(EvacuationUnit(4, MemoryParameter(width)))).toMap

  private class Bench(dut: EvacuationUnit, random: Random, stall: Double, latency: Range) {
    SimTimeout(200000000)
    private val clock = dut.clockDomain
    clock.forkStimulus(10)
    dut.io.port.command.valid #= false
    dut.io.port.completion.ready #= false
    dut.io.port.registers.valid #= false
    var cycles = 0L
    clock.onSamplings { cycles += 1 }
    val memory = new SimBytes(base, 0x20000)
    private var owned, mayRead: Long => Boolean = _ => false
    val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency,
      onPut = (at, _) => assert(owned(at), f"a write outside, at $at%x"), scattered = true)
    clock.waitSampling(10)

    private var declared = false
    /** Declares where klasses are. */
    def declare(): Unit = {
      declared = true
      val register = dut.io.port.registers
      for ((index, value) <-
          Seq(RuntimeRegister.ClassBase.index -> base, RuntimeRegister.ClassLimit.index -> klassLimit)) {
        register.valid #= true
        register.index #= index
        register.value #= value
        clock.waitSampling()
      }
      register.valid #= false
    }
    declare()

    def start(arguments: Seq[Long]): Unit = {
      owned = at =>
        at >= arguments.head && at < arguments.head + 4 * (arguments(1) & 0xff) ||
          at >= arguments(2) && at < arguments(4)
      mayRead = at =>
        at + 64 > arguments.head &&
          at <
          arguments.head +
          4 *
          (arguments(1) & 0xff) || at + 64 > arguments(3) && at < arguments(4) || !declared ||
          at >= base && at < klassLimit
      port.log.clear()
      val command = dut.io.port.command
      command.valid #= true
      command.tag #= 5
      command.operation #= 4
      for (i <- 0 until 8) command.arguments(i) #= BigInt(arguments(i))
      clock.waitSamplingWhere(command.ready.toBoolean)
      command.valid #= false
    }
    def finish(): (Int, Seq[Long]) = {
      val completion = dut.io.port.completion
      if (clock.waitSamplingWhere(400000)(completion.valid.toBoolean)) simFailure("hangs")
      assert(port.quiet, "a request is in flight at the end")
      assert(completion.tag.toInt == 5)
      // A word is a hint.
      for ((put, at, bytes) <- port.log if !put && bytes == 64) assert(mayRead(at), f"a read outside, at $at%x")
      clock.waitSampling(random.nextInt(3))
      val outcome = (completion.status.toInt, completion.results.map(_.toLong).toSeq)
      completion.ready #= true
      clock.waitSampling()
      completion.ready #= false
      outcome
    }
    def run(arguments: Seq[Long]): (Int, Seq[Long]) = { start(arguments); finish() }
    def reset(): Unit = {
      clock.assertReset()
      sleep(35)
      port.reset()
      // Nothing is declared now.
      declared = false
      clock.deassertReset()
      clock.waitSampling(2)
    }
    /** Collects the heap by the unit and by software, and compares every byte. */
    def check(heap: EvacuationHeap, what: String): Unit = {
      memory.write(base, heap.memory.bytes)
      val (status, results) = run(heap.arguments)
      val expected = heap.collect()
      assert(status == Status.Ok.code, s"$what: status $status at ${results(3).toHexString}")
      assert(results.take(3) == expected, what)
      val differs = memory.bytes.indices.find(i => memory.bytes(i) != heap.memory.bytes(i))
      assert(differs.isEmpty, f"$what: differs at ${base + differs.getOrElse(0)}%x")
    }
  }

  for (width <- widths) {
    test(s"random heaps, as software's byte for byte, at every latency, $width bit") {
      for ((latency, stall) <- Seq((1 to 1, 0.0), (6 to 6, 0.2), (1 to 60, 0.5), (25 to 25, 0.0)))
        compiled(width).doSim(latency.end + 1) { dut =>
          val random = new Random(width + latency.end)
          val bench = new Bench(dut, random, stall, latency)
          for (round <- 0 until Rounds(24)) bench.check(new EvacuationHeap(random), s"round $round")
        }
    }
    test(s"a survivor space that is full at every object, $width bit") {
      compiled(width).doSim(2) { dut =>
        val random = new Random(2)
        val bench = new Bench(dut, random, 0.1, 1 to 20)
        for (room <- 0 to 400 by 8) bench.check(new EvacuationHeap(new Random(room / 40), room), s"room for $room")
      }
    }
    test(s"damaged heaps: no write outside, and an end, $width bit") {
      compiled(width).doSim(3) { dut =>
        val random = new Random(3)
        val bench = new Bench(dut, random, 0.2, 1 to 30)
        val statuses = mutable.Set[Int]()
        for (round <- 0 until Rounds(240)) {
          val heap = new EvacuationHeap(random)
          for (_ <- 0 to random.nextInt(6)) {
            val at = random.nextInt(4) match {
              case 0 => base + 4 * random.nextInt(300)
              case 1 => list + 4 * random.nextInt(heap.count)
              case _ => heap.objects(random.nextInt(heap.objects.size)) + 4 * random.nextInt(4)
            }
            heap.set(at,
              random.nextInt(4) match {
                case 0 => random.nextInt() & 0xffffffffL; case 1 => heap.memory.word(at) ^ 1L << random.nextInt(32)
                case 2 => base + random.nextInt(0x22000); case _ => heap.klasses(random.nextInt(21)).at
              })
          }
          bench.memory.write(base, heap.memory.bytes)
          statuses += bench.run(heap.arguments)._1
        }
        assert(statuses.contains(Status.BadObject.code))
        bench.check(new EvacuationHeap(random), "afterwards")
      }
    }
  }
  test("arguments that are refused; no room in the old generation; a reset at any time") {
    compiled(128).doSim(4) { dut =>
      val random = new Random(4)
      val bench = new Bench(dut, random, 0.1, 1 to 20)
      val heap = new EvacuationHeap(random)
      def refused(status: Status, index: Int, value: Long): Unit =
        assert(bench.run(heap.arguments.updated(index, value))._1 == status.code)
      bench.memory.write(base, heap.memory.bytes)
      refused(Status.BadAlignment, 0, list + 4)
      refused(Status.BadAlignment, 5, top + 1)
      refused(Status.OutOfBounds, 1, 129 | 4 << 8)
      refused(Status.Ok, 1, 4 << 8)
      refused(Status.BusFault, 0, base + 0x21000)
      // All are promoted, and the first one finds no room.
      assert(bench.run(heap.arguments.updated(2, young - 8).updated(1, heap.count.toLong))._1 ==
        Status.OutOfBounds.code)
      for (round <- 0 until 30) {
        val other = new EvacuationHeap(random)
        bench.memory.write(base, other.memory.bytes)
        bench.start(other.arguments)
        dut.clockDomain.waitSampling(random.nextInt(400))
        bench.reset()
        bench.check(new EvacuationHeap(random), s"after reset $round")
      }
    }
  }
  test("klasses that reach out of where they may be") {
    compiled(128).doSim(6) { dut =>
      val random = new Random(6)
      val bench = new Bench(dut, random, 0.1, 1 to 20)
      for (at <- Seq(base - 32, klassLimit - 32, klassLimit - 28, klassLimit - 4, klassLimit, base + 0x2000)) {
        val heap = new EvacuationHeap(random)
        val from = heap.klasses.head
        for (i <- 0 until 8 if at + 4 * i >= base) heap.set(at + 4 * i, heap.memory.word(from.at + 4 * i))
        heap.set(young + 4, at)
        heap.set(young, 1)
        heap.set(list, young)
        bench.memory.write(base, heap.memory.bytes)
        val (status, results) = bench.run(heap.arguments.updated(1, 1 | 4 << 8))
        assert((status == Status.Ok.code) == (at == klassLimit - 32), s"at ${at.toHexString}: $status")
        if (status != Status.Ok.code) assert(status == Status.BadObject.code && results(3) == young)
      }
    }
  }
  test("cycles a node of a list of 32-byte nodes") {
    compiled(128).doSim(5) { dut =>
      val random = new Random(5)
      val bench = new Bench(dut, random, 0, 6 to 6)
      val heap = new EvacuationHeap(random)
      val klass = heap.klasses(0).copy(size = 32, kind = 0, bitmap = 1)
      for ((value, i) <- Seq(32L, 0L, 0L, 0L, 0L, 1L).zipWithIndex) heap.set(klass.at + 4 * i, value)
      val nodes = 250
      for (i <- 0 until nodes; at = young + 32 * i) {
        heap.set(at, 1)
        heap.set(at + 4, klass.at)
        heap.set(at + 8, if (i == nodes - 1) 0 else at + 32)
      }
      heap.set(list, young)
      bench.memory.write(base, heap.memory.bytes)
      val before = bench.cycles
      val (status, results) = bench.run(heap.arguments.updated(1, 1 | 4 << 8))
      assert(status == Status.Ok.code && results.head == top + 32 * nodes)
      val each = (bench.cycles - before) / nodes.toDouble
      info(f"$each%.1f cycles a node")
      assert(each < 30)
    }
  }
}
