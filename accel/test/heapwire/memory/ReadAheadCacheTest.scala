package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

class ReadAheadCacheTest extends AnyFunSuite {
  private val base = 0x40000000L
  private val clients = Seq(ReadAheadClient(4, 4), ReadAheadClient(8, 8), ReadAheadClient(16, 2))

  /** Clients that ask at random and take words at random; the last one, which does not drain, takes its own whatever the others do. */
  private class Bench(dut: ReadAheadCache, random: Random, stall: Double, latency: Range) {
    val memory = new SimBytes(base, 1 << 14)
    random.nextBytes(memory.bytes)
    val clock = dut.clockDomain
    val size = PathWord.bytes(dut.p)
    clock.forkStimulus(10)
    val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency)
    val owed = clients.map(_ => mutable.Queue[Long]())
    val toAsk = clients.map(_ => mutable.Queue[Long]())
    var patience = clients.map(_ => 1.0)
    var taken = 0
    dut.io.clear #= false
    for (request <- dut.io.requests) request.valid #= false
    dut.io.hint.valid #= false
    for (word <- dut.io.words) word.ready #= false
    clock.onSamplings {
      // What comes with a clear, which its users are told of as well, is nobody's.
      if (!dut.io.clear.toBoolean) for (i <- clients.indices) {
        val (request, word) = (dut.io.requests(i), dut.io.words(i))
        if (request.valid.toBoolean && request.ready.toBoolean) {
          owed(i) += toAsk(i).dequeue()
          request.valid #= false
        }
        if (word.valid.toBoolean && word.ready.toBoolean) {
          val address = owed(i).dequeue()
          taken += 1
          assert(word.error.toBoolean == !memory.holds(address, size), f"$address%x")
          if (!word.error.toBoolean) {
            val expected = memory.read(address, size).zipWithIndex.map { case (b, k) => BigInt(b & 0xff) << 8 * k }.sum
            assert(word.data.toBigInt == expected, f"client $i at $address%x")
          }
        }
        if ((!request.valid.toBoolean || request.ready.toBoolean) && toAsk(i).nonEmpty && random.nextDouble() < 0.7) {
          request.valid #= true
          request.address #= toAsk(i).head
          request.streaming #= random.nextBoolean()
        }
        word.ready #= random.nextDouble() < patience(i)
      }
      if (!dut.io.hint.valid.toBoolean || dut.io.hint.ready.toBoolean) {
        dut.io.hint.valid #= random.nextInt(4) == 0
        dut.io.hint.payload #= base + random.nextInt(1 << 14)
      }
    }
    clock.waitSampling(5)

    def drain(): Unit = {
      var cycles = 0
      while (toAsk.exists(_.nonEmpty) || owed.exists(_.nonEmpty)) {
        clock.waitSampling()
        cycles += 1
        if (cycles > 50000) simFailure("words do not come")
      }
    }
    def clear(): Unit = {
      for (queue <- toAsk ++ owed) queue.clear()
      dut.io.clear #= true
      for (request <- dut.io.requests) request.valid #= false
      clock.waitSampling()
      if (clock.waitSamplingWhere(1000)(dut.io.idle.toBoolean)) simFailure("the cache does not come to rest")
      dut.io.clear #= false
    }
  }

  for (width <- Seq(32, 64, 128)) test(s"width $width: every client gets its words in order, whatever the others do; nothing is left after a clear") {
    SimConfig.compile(ReadAheadCache(MemoryParameter(dataWidth = width), lines = 8, clients, ways = if (width == 128) 4 else 2)).doSim(seed = 1) { dut =>
      val random = new Random(width)
      val bench = new Bench(dut, random, stall = 0.3, latency = 1 to 40)
      for (round <- 0 until 30) {
        val span = Seq(0x100, 0x800, 0x3000)(round % 3)
        bench.patience = clients.map(_ => Seq(1.0, 0.2)(random.nextInt(2)))
        for (queue <- bench.toAsk; _ <- 0 until 60) queue += base + random.nextInt(span) / bench.size * bench.size
        if (round % 7 == 3) bench.toAsk(1) += 0x1000
        if (round % 4 == 2) {
          bench.clock.waitSampling(random.nextInt(100))
          bench.clear()
          // What has changed must be seen now.
          random.nextBytes(bench.memory.bytes)
        } else bench.drain()
      }
      assert(bench.taken > 3000)
    }
  }

  test("words that two clients leave lying do not keep the third from its own") {
    SimConfig.compile(ReadAheadCache(MemoryParameter(), lines = 8, clients)).doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(5), stall = 0, latency = 10 to 10)
      bench.patience = Seq(0.0, 0.0, 1.0)
      for (i <- 0 until 12) { bench.toAsk(0) += base + 64 * i; bench.toAsk(1) += base + 64 * i + 0x1000 }
      bench.clock.waitSampling(100)
      for (i <- 0 until 200) bench.toAsk(2) += base + 0x2000 + 48 * i
      bench.clock.waitSampling(4000)
      assert(bench.toAsk(2).isEmpty && bench.owed(2).isEmpty)
    }
  }

  test("a run of words comes at one a cycle once it has begun") {
    SimConfig.compile(ReadAheadCache(MemoryParameter(), lines = 32, Seq(ReadAheadClient(64, 4)))).doSim(seed = 3) { dut =>
      val memory = new SimBytes(base, 1 << 14)
      val clock = dut.clockDomain
      clock.forkStimulus(10)
      new TilelinkMemory(dut.io.bus, clock, memory, new Random(1), stall = 0, latency = 20 to 20)
      dut.io.clear #= false
      dut.io.hint.valid #= false
      dut.io.requests(0).streaming #= true
      dut.io.words(0).ready #= true
      var asked, got, cycles = 0
      dut.io.requests(0).valid #= true
      dut.io.requests(0).address #= base
      while (got < 512) {
        clock.waitSampling()
        cycles += 1
        if (dut.io.requests(0).ready.toBoolean && asked < 512) {
          asked += 1
          dut.io.requests(0).valid #= asked < 512
          dut.io.requests(0).address #= base + 16 * asked
        }
        if (dut.io.words(0).valid.toBoolean) got += 1
      }
      assert(cycles < 512 + 60, s"$cycles cycles for 512 words")
    }
  }
}
