package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class BlockCacheTest extends AnyFunSuite {
  private val base = 0x40000000L

  private class Bench(dut: BlockCache, random: Random, stall: Double, latency: Range) {
    val memory = new SimBytes(base, 1 << 15)
    random.nextBytes(memory.bytes)
    val clock = dut.clockDomain
    clock.forkStimulus(10)
    val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency)
    dut.io.request.valid #= false
    dut.io.prefetch.valid #= false
    dut.io.invalidate #= false
    dut.io.clear #= false
    dut.io.limit #= base + (1 << 15)
    clock.waitSampling(5)

    /** Asks until answered; cycles that took, or None on a fault. */
    def read(address: Long): Option[Int] = {
      dut.io.request.valid #= true
      dut.io.request.payload #= address
      clock.waitSampling()
      var cycles = 0
      while (true) {
        clock.waitSampling()
        cycles += 1
        if (dut.io.fault.toBoolean) { dut.io.request.valid #= false; return None }
        if (dut.io.hit.toBoolean) {
          val expected = memory.read(address, 16).zipWithIndex.map { case (b, i) => BigInt(b & 0xff) << (8 * i) }.sum
          assert(dut.io.data.toBigInt == expected, f"at $address%x")
          dut.io.request.valid #= false
          clock.waitSampling()
          return Some(cycles)
        }
        if (cycles > 5000) simFailure("the cache does not answer")
      }
      None
    }
  }

  for (width <- Seq(32, 64, 128)) test(s"width $width: random reads, invalidations and prefetches give what memory holds") {
    SimConfig.compile(BlockCache(MemoryParameter(dataWidth = width), bytes = 1024)).doSim(seed = 1) { dut =>
      val random = new Random(width)
      val bench = new Bench(dut, random, stall = 0.3, latency = 1 to 40)
      for (i <- 0 until 600) {
        bench.read(base + random.nextInt(if (i % 3 == 0) 1 << 12 else 1 << 15) / 16 * 16)
        if (random.nextInt(20) == 0) {
          dut.io.prefetch.valid #= true
          dut.io.prefetch.address #= base + random.nextInt(1 << 15)
          dut.io.prefetch.blocks #= random.nextInt(4)
          bench.clock.waitSampling()
          dut.io.prefetch.valid #= false
        }
        if (random.nextInt(40) == 0) {
          // What is changed must be seen after an invalidation, whatever is under way.
          bench.clock.waitSampling(random.nextInt(30))
          random.nextBytes(bench.memory.bytes)
          dut.io.invalidate #= true
          bench.clock.waitSampling()
          dut.io.invalidate #= false
        }
      }
    }
  }

  test("hits answer in the next cycle, one a cycle, and the next blocks are prefetched") {
    SimConfig.compile(BlockCache(MemoryParameter())).doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(3), stall = 0, latency = 20 to 20)
      assert(bench.read(base).get > 20)
      bench.clock.waitSampling(40)
      assert(bench.read(base + 64).contains(1))
      dut.io.request.valid #= true
      for (i <- 0 until 8) {
        dut.io.request.payload #= base + 16 * i
        bench.clock.waitSampling()
        if (i > 0) assert(dut.io.hit.toBoolean)
      }
      dut.io.request.valid #= false
    }
  }

  test("a block that a reader waits for is asked for once") {
    SimConfig.compile(BlockCache(MemoryParameter())).doSim(seed = 4) { dut =>
      val bench = new Bench(dut, new Random(5), stall = 0, latency = 20 to 20)
      for (block <- Seq(0, 16, 7)) bench.read(base + 64 * block)
      bench.clock.waitSampling(60)
      assert(bench.port.log.map(_._2).toSet.size == bench.port.log.size)
    }
  }

  test("a denied block is a fault until cleared; nothing is prefetched beyond the limit") {
    SimConfig.compile(BlockCache(MemoryParameter())).doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(4), stall = 0, latency = 3 to 8)
      assert(bench.read(0x1000).isEmpty)
      dut.io.clear #= true
      bench.clock.waitSampling()
      dut.io.clear #= false
      bench.clock.waitSampling(2)
      dut.io.limit #= base + 128
      assert(bench.read(base + 64).nonEmpty)
      bench.clock.waitSampling(60)
      assert(dut.io.idle.toBoolean)
      assert(bench.port.log.forall(_._2 <= base + 64))
    }
  }
}
