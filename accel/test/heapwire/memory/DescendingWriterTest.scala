package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class DescendingWriterTest extends AnyFunSuite {
  import GatherBench.base

  private class Bench(dut: DescendingWriter, random: Random, stall: Double, latency: Range)
      extends GatherBench(dut.io, dut.clockDomain, random, stall, latency) {
    val size = PathWord.bytes(dut.p)
    /** The bytes from `from` until `to`, from their end. */
    def run(from: Long, to: Long, pauses: Boolean): Unit =
      for (address <- (to - 1) / size * size to from / size * size by -size) {
        write(address, BigInt(8 * size, random), (0 until size).filter(i => address + i >= from && address + i < to).map(1 << _).sum)
        if (pauses && random.nextInt(4) == 0) clock.waitSampling(random.nextInt(9))
      }
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
