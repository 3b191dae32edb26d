package heapwire.cereal.road

import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class WriteCombinerTest extends AnyFunSuite {
  import GatherBench.base
  private def bench(dut: WriteCombiner, random: Random, stall: Double, latency: Range) =
    new GatherBench(dut.io, dut.clockDomain, random, stall, latency)

  for (width <- Seq(32, 64, 128)) {
    lazy val compiled = SimConfig.compile(WriteCombiner(MemoryParameter(dataWidth = width), blocks = 8))
    val size = PathWord.bytes(MemoryParameter(dataWidth = width))
    val full = (1 << size) - 1

    test(s"width $width: scattered, repeated and streaming writes reach memory, in order a byte") {
      compiled.doSim(seed = 1) { dut =>
        val bench = this.bench(dut, new Random(width), stall = 0.4, latency = 1 to 60)
        bench.clock.onSamplings { if (bench.random.nextInt(6) == 0) dut.io.streaming.randomize() }
        for (round <- 0 until 60) {
          val span = Seq(64, 512, 0x8000)(round % 3)
          if (round % 5 == 4) {
            val start = base + bench.random.nextInt(0x7000) / size * size
            for (i <- 0 until 40) bench.write(start + size * i, BigInt(8 * size, bench.random), full)
          } else for (_ <- 0 until 40) {
            val mask = if (bench.random.nextBoolean()) full else bench.random.nextInt(full + 1)
            bench.write(base + bench.random.nextInt(span) / size * size, BigInt(8 * size, bench.random), mask)
            if (bench.random.nextInt(4) == 0) bench.clock.waitSampling(bench.random.nextInt(6))
          }
          if (round % 2 == 0) { bench.settle(); bench.check() }
        }
        bench.settle()
        bench.check()
        assert(bench.errors == 0)
      }
    }
  }

  private lazy val wide = SimConfig.compile(WriteCombiner(MemoryParameter(), blocks = 16))

  test("a stream of whole blocks flows at port width, as full puts") {
    wide.doSim(seed = 2) { dut =>
      val bench = this.bench(dut, new Random(5), stall = 0, latency = 20 to 20)
      val start = bench.cycles
      for (i <- 0 until 1024) bench.write(base + 16 * i, BigInt(128, bench.random), 0xffff)
      assert(bench.cycles - start < 1024 + 60)
      bench.settle()
      bench.check()
      assert(bench.port.log.forall(_._3 == 64) && bench.port.log.size == 256)
    }
  }

  test("a put covers no more than it must") {
    wide.doSim(seed = 3) { dut =>
      val bench = this.bench(dut, new Random(6), stall = 0, latency = 5 to 5)
      bench.write(base + 0x30, 7, 0x0010)
      bench.settle()
      bench.write(base + 0x120, 7, 0x0010)
      bench.write(base + 0x130, 7, 0x0010)
      bench.settle()
      bench.write(base + 0x210, 7, 0x0010)
      bench.write(base + 0x220, 7, 0x0010)
      bench.settle()
      assert(bench.port.log == Seq((true, base + 0x30, 16), (true, base + 0x120, 32), (true, base + 0x200, 64)))
    }
  }

  test("a denied put is an error, dropped writes are gone, reset forgets everything") {
    wide.doSim(seed = 4) { dut =>
      val bench = this.bench(dut, new Random(7), stall = 0.2, latency = 5 to 9)
      bench.write(0x1000, 7, 0xffff)
      bench.settle()
      assert(bench.errors == 1)
      val before = bench.memory.bytes.clone()
      bench.write(base + 0x40, 7, 0x0fff)
      dut.io.drop #= true
      bench.clock.waitSampling(3)
      dut.io.drop #= false
      bench.settle()
      assert(bench.memory.bytes.sameElements(before))
      bench.write(base + 0x40, 7, 0x0fff)
      bench.clock.assertReset()
      sleep(35)
      bench.clock.deassertReset()
      bench.clock.waitSampling(3)
      assert(dut.io.idle.toBoolean)
      bench.settle()
      assert(bench.memory.bytes.sameElements(before))
    }
  }
}
