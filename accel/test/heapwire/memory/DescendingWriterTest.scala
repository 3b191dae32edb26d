package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class DescendingWriterTest extends AnyFunSuite {
  private val base = 0x40000000L

  private class Bench(dut: DescendingWriter, val random: Random, stall: Double, latency: Range) {
    val memory = new SimBytes(base, 1 << 16)
    val expected = new Array[Byte](1 << 16)
    val clock = dut.clockDomain
    val size = PathWord.bytes(dut.p)
    clock.forkStimulus(10)
    val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency)
    var errors, cycles = 0
    clock.onSamplings {
      cycles += 1
      if (dut.io.error.toBoolean) errors += 1
    }
    dut.io.write.valid #= false
    dut.io.flush #= false
    dut.io.drop #= false
    dut.io.streaming #= false
    clock.waitSampling(5)

    /** One word, of which the bytes from `from` until `to` (addresses) are written. */
    def word(address: Long, from: Long, to: Long): Unit = {
      val data = BigInt(8 * size, random)
      val mine = (0 until size).filter(i => address + i >= from && address + i < to)
      dut.io.write.valid #= true
      dut.io.write.address #= address
      dut.io.write.data #= data
      dut.io.write.mask #= mine.map(1 << _).sum
      clock.waitSamplingWhere(dut.io.write.ready.toBoolean)
      dut.io.write.valid #= false
      for (i <- mine if memory.holds(address + i, 1)) expected((address - base).toInt + i) = (data >> (8 * i)).toByte
    }
    /** The bytes from `from` until `to`, from their end. */
    def run(from: Long, to: Long, pauses: Boolean): Unit =
      for (address <- (to - 1) / size * size to from / size * size by -size) {
        word(address, from, to)
        if (pauses && random.nextInt(4) == 0) clock.waitSampling(random.nextInt(9))
      }
    def settle(): Unit = {
      dut.io.flush #= true
      clock.waitSampling(2)
      if (clock.waitSamplingWhere(20000)(dut.io.idle.toBoolean)) simFailure("the writer does not drain")
      dut.io.flush #= false
    }
    def check(): Unit = assert(memory.bytes.sameElements(expected))
  }

  for (width <- Seq(32, 64, 128)) {
    lazy val compiled = SimConfig.compile(DescendingWriter(MemoryParameter(dataWidth = width), puts = 4))

    test(s"width $width: runs of every length and alignment reach memory, and nothing beside them") {
      compiled.doSim(seed = 1) { dut =>
        val bench = new Bench(dut, new Random(width), stall = 0.4, latency = 1 to 60)
        for (round <- 0 until 250) {
          val from = base + bench.random.nextInt(0x8000)
          dut.io.streaming #= bench.random.nextBoolean()
          bench.run(from, from + 1 + bench.random.nextInt(if (round % 10 == 0) 2000 else 150), pauses = round % 2 == 0)
          bench.settle()
          bench.check()
        }
        assert(bench.errors == 0)
      }
    }
  }

  private lazy val wide = SimConfig.compile(DescendingWriter(MemoryParameter()))

  test("a long run flows at port width, as full puts") {
    wide.doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(5), stall = 0, latency = 100 to 100)
      val start = bench.cycles
      bench.run(base, base + 16 * 1024, pauses = false)
      assert(bench.cycles - start < 1024 + 150)
      bench.settle()
      bench.check()
      assert(bench.port.log.forall(_._3 == 64) && bench.port.log.size == 256)
    }
  }

  test("a put covers no more than it must") {
    wide.doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(6), stall = 0, latency = 5 to 5)
      for ((from, to) <- Seq((0x34, 0x35), (0x125, 0x131), (0x21f, 0x221), (0x3ff, 0x411))) {
        bench.run(base + from, base + to, pauses = false)
        bench.settle()
      }
      assert(bench.port.log == Seq((true, base + 0x30, 16), (true, base + 0x120, 32), (true, base + 0x200, 64),
        (true, base + 0x400, 32), (true, base + 0x3f0, 16)))
      bench.check()
    }
  }

  test("a denied put is an error, dropped words are gone, reset forgets everything") {
    wide.doSim(seed = 4) { dut =>
      val bench = new Bench(dut, new Random(7), stall = 0.2, latency = 5 to 9)
      bench.run(0x1000, 0x1010, pauses = false)
      bench.settle()
      assert(bench.errors == 1)
      for (_ <- 0 until 6) {
        val before = bench.memory.bytes.clone()
        bench.run(base + 0x50, base + 0x80, pauses = false)
        dut.io.drop #= true
        bench.clock.waitSampling(3)
        dut.io.drop #= false
        bench.settle()
        assert(bench.memory.bytes.sameElements(before))
        before.copyToArray(bench.expected)
      }
      bench.run(base + 0x50, base + 0x80, pauses = false)
      bench.clock.assertReset()
      sleep(35)
      bench.clock.deassertReset()
      bench.clock.waitSampling(3)
      assert(dut.io.idle.toBoolean)
      bench.settle()
      bench.run(base + 0x100, base + 0x4c8, pauses = false)
      bench.settle()
      for (i <- 0x50 until 0x80) bench.expected(i) = bench.memory.bytes(i)
      bench.check()
    }
  }
}
