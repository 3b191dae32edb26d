package heapwire.protobuf.engine.read

import heapwire.Models
import heapwire.memory._
import heapwire.protobuf.EngineParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

class InputStreamTest extends AnyFunSuite {
  private val base = 0x40000000L
  private val size = 1 << 14

  private class Bench(dut: InputStream, val random: Random, stall: Double, latency: Range) {
    val memory = new SimBytes(base, size)
    random.nextBytes(memory.bytes)
    val clock = dut.clockDomain
    clock.forkStimulus(10)
    val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency)
    /** Addresses of the words that are still to come, and the probability that an offered word is taken in a cycle. */
    val owed = mutable.Queue[Long]()
    var patience = 1.0
    var cycle, taken = 0L
    /** The cycles in which a start fired, a request was first offered, a beat came, and a word was offered. */
    var started, requested, arrived, offered = 0L
    private var held: Option[(BigInt, Boolean)] = None
    private var stopped = false

    dut.io.start.valid #= false
    dut.io.stop #= false
    dut.io.word.ready #= false
    clock.onSamplings {
      cycle += 1
      val word = dut.io.word
      if (dut.io.start.valid.toBoolean) { started = cycle; requested = 0; arrived = 0; offered = 0 }
      if (requested == 0 && dut.io.bus.a.valid.toBoolean) requested = cycle
      if (arrived == 0 && dut.io.bus.d.valid.toBoolean) arrived = cycle
      if (word.valid.toBoolean) {
        if (stopped) simFailure("a word is offered behind a stop")
        if (owed.isEmpty) simFailure("a word too many")
        if (offered == 0) offered = cycle
        val (data, error) = (word.data.toBigInt, word.error.toBoolean)
        if (held.exists(_ != (data, error))) simFailure("a word changes that is not taken")
        held = Some((data, error))
        assert(error != memory.holds(owed.head, 8), f"${owed.head}%x")
        if (!error) assert(data == expected(owed.head), f"at ${owed.head}%x")
        if (word.ready.toBoolean) {
          owed.dequeue()
          taken += 1
          held = None
        }
      } else if (held.nonEmpty && !stopped) simFailure("a word vanishes")
      // A stop withdraws what is offered, and nothing is offered until the next start.
      if (dut.io.stop.toBoolean) forget()
      else if (dut.io.start.valid.toBoolean) stopped = false
      word.ready #= random.nextDouble() < patience
    }
    clock.waitSampling(5)

    private def expected(address: Long) = memory.read(address, 8).zipWithIndex.map { case (b, i) =>
      BigInt(b & 0xff) << 8 * i
    }.sum
    def start(address: Long, end: Long): Unit = {
      while (!dut.io.idle.toBoolean) clock.waitSampling()
      port.log.clear()
      dut.io.start.valid #= true
      dut.io.start.address #= address
      dut.io.start.end #= end
      for (word <- address / 8 * 8 until end by 8) owed += word
      clock.waitSampling()
      dut.io.start.valid #= false
    }
    /** Waits until all words are taken, and checks which blocks were requested. */
    def finish(address: Long, end: Long): Unit = {
      var cycles = 0
      while (owed.nonEmpty || !dut.io.idle.toBoolean) {
        clock.waitSampling()
        cycles += 1
        if (cycles > 50000) simFailure(s"${owed.size} words do not come")
      }
      assert(port.log.map(_._2) == (address / 64 * 64 until end by 64))
      assert(port.log.forall(_._3 == 64))
    }
    def forget(): Unit = {
      stopped = true
      held = None
      owed.clear()
    }
    def stop(): Unit = {
      dut.io.stop #= true
      clock.waitSampling(1 + random.nextInt(3))
      dut.io.stop #= false
    }
  }

  private val models = new Models[(Int, Int), InputStream]({ case (width, slots) =>
    InputStream(MemoryParameter(dataWidth = width), slots)
  })

  for (width <- Seq(32, 64, 128); slots <- Seq(2, 8)) {
    test(s"width $width, $slots slots: ranges of all lengths and alignments, stopped or not, denied or not") {
      models((width, slots)).doSim(seed = 1) { dut =>
        val bench = new Bench(dut, new Random(width + slots), stall = 0.3, latency = 1 to 40)
        import bench._
        for (round <- 0 until 400) {
          patience = Seq(1.0, 0.5, 0.1)(random.nextInt(3))
          // Some ranges begin before the memory, or extend behind it: those blocks are denied.
          val address = if (random.nextInt(8) == 0) base + Seq(-200, size - 100)(random.nextInt(2)) +
            random.nextInt(100)
          else base + random.nextInt(size - 3000)
          val end = address + 1 + random.nextInt(Seq(8, 100, 3000)(random.nextInt(3)))
          start(address, end)
          if (random.nextInt(3) == 0) {
            clock.waitSampling(random.nextInt(120))
            stop()
            if (random.nextBoolean()) random.nextBytes(memory.bytes) // once nothing is in flight, changes are seen
            clock.waitSamplingWhere(2000)(dut.io.idle.toBoolean)
          } else finish(address, end)
        }
        assert(taken > 10000)
      }
    }
  }

  for (width <- Seq(32, 64, 128)) {
    test(s"width $width: a request leaves in the next cycle, words follow their beats, one a cycle") {
      models((width, EngineParameter().inputSlots)).doSim(seed = 2) { dut =>
        val bench = new Bench(dut, new Random(1), stall = 0, latency = 20 to 20)
        import bench._
        for ((address, skipped) <- Seq((base, 0), (base + 40, 40 * 8 / width))) {
          start(address, base + 8192)
          finish(address, base + 8192)
          assert(requested == started + 1)
          assert(offered - arrived == 3 + skipped + (if (width == 32) 1 else 0), s"at $address")
          val each = if (width == 32) 2 else 1 // this memory answers out of order, which leaves some gaps
          assert(cycle - offered < each * 1.06 * (8192 - address % 64) / 8, s"${cycle - offered} cycles")
        }
      }
    }
  }

  test("the last byte of memory is read; a reset forgets everything") {
    models((64, EngineParameter().inputSlots)).doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(2), stall = 0.2, latency = 5 to 30)
      import bench._
      // A start together with a stop is ignored.
      dut.io.stop #= true
      start(base, base + 100)
      dut.io.stop #= false
      clock.waitSampling(50)
      assert(dut.io.idle.toBoolean && port.log.isEmpty)
      start(0xfffffff8L, 0xffffffffL)
      finish(0xfffffff8L, 0xffffffffL)
      for (_ <- 0 until 20) {
        start(base + 3, base + 2000)
        clock.waitSampling(random.nextInt(60))
        clock.assertReset()
        forget()
        sleep(35)
        port.reset()
        clock.deassertReset()
        clock.waitSampling(2)
        assert(dut.io.idle.toBoolean)
        start(base + 100, base + 300)
        finish(base + 100, base + 300)
      }
    }
  }
}
