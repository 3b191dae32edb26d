package heapwire.protobuf.engine.memory

import heapwire.{Models, Rounds}
import heapwire.memory.MemoryParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class GranuleCacheTest extends AnyFunSuite {
  import GranuleCacheBench._

  private val models = new Models[(Int, Int), GranuleCache]({ case (width, bytes) =>
    val dut = GranuleCache(MemoryParameter(dataWidth = width), bytes)
    dut.era.swept.simPublic()
    dut
  })
  private def run(width: Int, seed: Int, bytes: Int = 1024)(body: GranuleCache => Unit): Unit =
    models((width, bytes)).doSim(seed = seed)(body)

  for (width <- Seq(32, 64, 128))
    test(s"width $width: random reads, pulses, prefetches and resets give what memory holds") {
      run(width, seed = width) { dut =>
        val random = new Random(width)
        val bench = new GranuleCacheBench(dut, random, stall = 0.3, latency = 1 to 40)
        bench.unsure = objectsBase
        bench.objects = (objectsBase, base + size + 200)
        bench.setBounds()
        var changedMind = false
        bench.clock.waitSampling(5)
        var near = base
        for (i <- 0 until Rounds(4000)) {
          dut.io.down #= random.nextBoolean()
          if (random.nextInt(8) == 0) near = base + random.nextInt(size)
          val isObject = random.nextBoolean()
          def any = {
            val address = if (random.nextInt(3) == 0) base + random.nextInt(size + 256 * random.nextInt(2))
            else near + random.nextInt(256) - 128
            val (low, high) = if (isObject) bench.objects else bench.tables
            (address max low) min (high - 1)
          }
          random.nextInt(40) match {
            case 0 => bench.prefetch(base + random.nextInt(size + 256), random.nextBoolean(), random.nextBoolean())
            case 1 => bench.change(base, dut.io.invalidate)
            case 2 | 3 => bench.change(objectsBase, dut.io.forget)
            case 4 | 5 | 6 =>
              // One request per cycle, some of which are withdrawn.
              for (_ <- 0 until random.nextInt(20)) {
                bench.ask(any, isObject)
                if (random.nextInt(10) == 0) dut.io.forget #= true
                dut.io.cancel #= random.nextInt(8) == 0
                if (random.nextInt(6) == 0) {
                  dut.io.prefetch.valid #= true
                  dut.io.prefetch.address #= base + random.nextInt(size)
                  dut.io.prefetch.isObject #= random.nextBoolean()
                  dut.io.rises #= random.nextBoolean()
                }
                bench.clock.waitSampling()
                dut.io.prefetch.valid #= false
                dut.io.forget #= false
              }
              dut.io.cancel #= false
              bench.quiet()
              changedMind = true
            case 7 => bench.clock.waitSampling(random.nextInt(30))
            case 8 if i % 10 == 0 => bench.reset()
            case 9 if i % 10 == 0 =>
              for (_ <- 0 until random.nextInt(40))
                bench.pulse(if (random.nextBoolean()) dut.io.invalidate else dut.io.forget)
            case _ =>
              // A fetch for which nobody waits any more may have been denied.
              if (changedMind || random.nextInt(8) == 0) bench.pulse(dut.io.clear)
              changedMind = false
              val address = any
              assert(bench.read(address, isObject).nonEmpty == bench.memory.holds(address / 64 * 64, 64),
                f"at $address%x")
              if (dut.io.fault.toBoolean) bench.pulse(dut.io.clear)
          }
        }
        bench.settle()
        println(
          s"width $width: ${bench.hits} hits of ${bench.requests} requests, ${bench.port.log.size} blocks, " +
            s"up to ${bench.most} under way")
        assert(if (width == 32) bench.most == 4 else bench.most >= 7)
      }
    }

  test("hits come exactly two cycles later, one a cycle") {
    run(64, seed = 2, bytes = 4096) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(3), stall = 0, latency = 20 to 20)
      bench.clock.waitSampling(70)
      for (block <- 0 until 4) assert(bench.read(base + 64 * block, isObject = false).nonEmpty)
      bench.settle()
      val before = bench.hits
      for (i <- 0 until 16) {
        bench.ask(base + 16 * i, isObject = false)
        bench.clock.waitSampling()
      }
      bench.quiet()
      bench.clock.waitSampling(4)
      assert(bench.hits == before + 16)
    }
  }

  test("neither kind drives out the other") {
    run(64, seed = 4, bytes = 4096) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(5), stall = 0, latency = 20 to 20)
      bench.objects = (base, base + size)
      bench.setBounds()
      bench.clock.waitSampling(70)
      def readAll(isObject: Boolean): Seq[Int] = for (block <- 0 until 32)
        yield bench.read(base + 64 * block, isObject).get
      for (isObject <- Seq(false, true)) readAll(isObject)
      bench.settle()
      for (isObject <- Seq(false, true)) assert(readAll(isObject).forall(_ == 2))
    }
  }

  for (down <- Seq(false, true)) test(s"a neighbour is fetched ahead, down $down") {
    run(64, seed = 5, bytes = 4096) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(6), stall = 0, latency = 20 to 20)
      dut.io.down #= down
      bench.objects = (base, base + size)
      bench.setBounds()
      bench.clock.waitSampling(70)
      val step = if (down) -64 else 64
      val first = base + 64 * 20
      val cold = bench.read(first, isObject = down).get
      bench.settle()
      assert(bench.port.log.map(_._2).toSeq == Seq(first, first + step))
      val warm = bench.read(first + step, isObject = down)
      println(s"a miss takes $cold cycles with a latency of 20")
      assert(warm.contains(2))
      assert(cold <= 20 + 8 + 6)
    }
  }

  for ((width, blocks) <- Seq((128, 4), (64, 3), (32, 2)))
    test(s"of objects that are walked downwards $blocks blocks are fetched ahead at $width bits") {
      run(width, seed = 21, bytes = 4096) { dut =>
        val bench = new GranuleCacheBench(dut, new Random(22), stall = 0, latency = 20 to 20)
        dut.io.down #= true
        bench.objects = (base, base + size)
        bench.setBounds()
        bench.clock.waitSampling(70)
        val first = base + 64 * 20
        bench.read(first, isObject = true)
        bench.settle()
        assert(bench.read(first - 64, isObject = true).contains(2))
        bench.settle()
        assert(bench.port.log.map(_._2).toSeq == (0 until 2 + blocks).map(i => first - 64 * i))
      }
    }

  for ((down, isObject) <- Seq((false, true), (true, true), (true, false)))
    test(s"who walks through memory waits but once, down $down, object $isObject") {
      run(64, seed = 15, bytes = 4096) { dut =>
        val bench = new GranuleCacheBench(dut, new Random(16), stall = 0, latency = 20 to 20)
        dut.io.down #= down
        bench.objects = (base, base + size)
        bench.setBounds()
        bench.clock.waitSampling(70)
        val took = for (i <- 0 until 120) yield {
          bench.clock.waitSampling(10)
          bench.read(base + 16 * (if (down && isObject) 127 - i else 4 + i), isObject).get
        }
        assert(took.count(_ > 2) == 1)
        bench.settle()
        assert(bench.port.log.map(_._2).toSet.size == bench.port.log.size)
      }
    }

  test("prefetches: two and a demand fetch at once; one in reach only; none outside of its bounds") {
    run(64, seed = 7, bytes = 4096) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(8), stall = 0, latency = 60 to 60)
      bench.clock.waitSampling(70)
      bench.prefetch(base + 64 * 100, isObject = true)
      bench.clock.waitSampling(3)
      bench.prefetch(base + 64 * 3, isObject = true)
      bench.clock.waitSampling(3)
      bench.prefetch(base + 64 * 5, isObject = false)
      assert(bench.read(base + 64 * 8, isObject = false).nonEmpty)
      assert(bench.most == 3)
      bench.settle()
      assert(bench.read(base + 64 * 100, isObject = true).contains(2))
      bench.settle()
      assert(bench.read(base + 64 * 5, isObject = false).contains(2))
      assert(!bench.port.log.exists(_._2 == base + 64 * 3))
      // A neighbour does not replace a held prefetch.
      assert(bench.port.log.map(block => (block._2 - base) / 64).take(3).toSet == Set(100, 8, 5))
      // A prefetch that comes while a request waits is sent at once.
      bench.settle()
      bench.ask(base + 64 * 40, isObject = false)
      bench.clock.waitSampling()
      bench.prefetch(base + 64 * 50, isObject = false)
      bench.clock.waitSampling(20)
      assert(bench.most == 3 && bench.port.log.last._2 == base + 64 * 50)
    }
  }

  for ((width, run) <- Seq(32 -> 1, 64 -> 3, 128 -> 7); down <- Seq(false, true))
    test(s"width $width: behind an object $run blocks more are fetched, whatever is asked for meanwhile, down $down") {
      this.run(width, seed = 23, bytes = 4096) { dut =>
        val bench = new GranuleCacheBench(dut, new Random(24), stall = 0, latency = 20 to 20)
        dut.io.down #= down
        bench.objects = (base, base + size)
        bench.setBounds()
        bench.clock.waitSampling(70)
        def fetched = bench.port.log.map(block => (block._2 - base) / 64).toSeq
        bench.prefetch(base + 64 * 10, isObject = true, rises = true)
        bench.read(base + 64 * 9, isObject = true)
        bench.settle()
        assert(fetched.filter(_ != 9) == (10 to 10 + run))
        // A run ends where another prefetch begins, at any time; the next block may already be on its way by then.
        for (later <- 0 to 6) {
          bench.pulse(dut.io.forget)
          val before = fetched.size
          bench.prefetch(base + 64 * 30, isObject = true, rises = true)
          bench.clock.waitSampling(later)
          val gone = fetched.size - before
          bench.prefetch(base + 64 * 50, isObject = true)
          bench.settle()
          val blocks = fetched.drop(before)
          assert(blocks.last == 50 && blocks.init == (30 until 30 + blocks.size - 1) && blocks.size - 1 <= gone + 2,
            s"$later cycles later: $blocks")
        }
      }
    }

  test("what was not meant is not answered, fetches nothing, and is no fault") {
    run(64, seed = 25) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(26), stall = 0, latency = 20 to 20)
      bench.objects = (base, base + 256)
      bench.setBounds()
      bench.clock.waitSampling(70)
      bench.read(base, isObject = true)
      bench.settle()
      val fetched = bench.port.log.size
      for (address <- Seq(base, base + 192, base + 512)) {
        bench.ask(address, isObject = true)
        bench.clock.waitSampling()
        bench.quiet()
        dut.io.cancel #= true
        bench.clock.waitSampling()
        dut.io.cancel #= false
        for (_ <- 0 until 10) {
          bench.clock.waitSampling()
          assert(!dut.io.hit.toBoolean && !dut.io.fault.toBoolean)
        }
      }
      assert(bench.port.log.size == fetched)
      // Requests before and behind the withdrawn one are answered.
      val hits = for (cycle <- 0 until 6) yield {
        if (cycle < 3) bench.ask(base + 16 * cycle, isObject = true) else bench.quiet()
        dut.io.cancel #= cycle == 2
        bench.clock.waitSampling()
        dut.io.hit.toBoolean
      }
      assert(hits == Seq(false, false, true, false, true, false))
    }
  }

  test("bounds are exact to the block; a fault stays until cleared") {
    run(64, seed = 9) { dut =>
      val random = new Random(10)
      val bench = new GranuleCacheBench(dut, random, stall = 0.2, latency = 1 to 10)
      bench.clock.waitSampling(70)
      for (_ <- 0 until 300) {
        bench.settle()
        bench.pulse(dut.io.clear)
        def bounds() = {
          val low = base + random.nextInt(size - 300)
          (low, low + 1 + random.nextInt(300))
        }
        bench.tables = bounds()
        bench.objects = bounds()
        bench.setBounds()
        val isObject = random.nextBoolean()
        val (low, high) = if (isObject) bench.objects else bench.tables
        val address = (if (random.nextBoolean()) low else high) + random.nextInt(129) - 64
        assert(bench.read(address, isObject).nonEmpty == bench.inside(address, isObject),
          f"$address%x in $low%x to $high%x")
        bench.clock.waitSampling(random.nextInt(5))
        assert(dut.io.fault.toBoolean == !bench.inside(address, isObject))
      }
    }
  }

  test("a denied block is a fault for who asks, and none as a prefetch") {
    run(64, seed = 11) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(12), stall = 0.2, latency = 3 to 8)
      bench.objects = (base, base + 2 * size)
      bench.setBounds()
      bench.clock.waitSampling(70)
      for (i <- 0 until 20) {
        val beyond = base + size + 64 * i
        bench.prefetch(beyond, isObject = true)
        bench.clock.waitSampling(60)
        assert(!dut.io.fault.toBoolean)
        val asked = bench.port.log.size
        assert(bench.read(beyond, isObject = true).isEmpty)
        bench.ask(beyond, isObject = true)
        bench.clock.waitSampling(50)
        bench.quiet()
        assert(dut.io.fault.toBoolean)
        assert(bench.port.log.drop(asked).count(_._2 == beyond) == 1)
        bench.settle()
        bench.pulse(if (i % 2 == 0) dut.io.clear else dut.io.invalidate)
        bench.clock.waitSampling()
        assert(!dut.io.fault.toBoolean)
        assert(bench.read(base + 16 * i, isObject = true).nonEmpty)
        bench.settle()
        // Cleared or invalidated in mid-flight: no fault.
        bench.ask(beyond, isObject = true)
        bench.clock.waitSampling(2)
        bench.quiet()
        bench.clock.waitSamplingWhere(100)(dut.io.bus.a.valid.toBoolean && dut.io.bus.a.ready.toBoolean)
        bench.pulse(Seq(dut.io.clear, dut.io.invalidate, dut.io.forget)(i % 3))
        bench.settle()
        assert(!dut.io.fault.toBoolean)
      }
    }
  }

  test("what was fetched for a table outlives `forget`, and no object is read from it") {
    run(64, seed = 13) { dut =>
      val bench = new GranuleCacheBench(dut, new Random(14), stall = 0, latency = 10 to 10)
      bench.clock.waitSampling(70)
      val shared = objectsBase + 64
      // Everything is invalidated every 64th time.
      for (i <- 0 until 50) {
        bench.settle()
        bench.read(base + 128, isObject = false)
        bench.read(base + 128, isObject = false)
        bench.settle()
        val asked = bench.port.log.size
        bench.change(objectsBase, dut.io.forget)
        assert(bench.read(base + 128, isObject = false).contains(2), s"after $i")
        assert(bench.port.log.size == asked)
        if (i % 7 == 0) {
          bench.read(shared, isObject = false)
          bench.settle()
          assert(bench.read(shared, isObject = true).exists(_ > 2))
          bench.change(objectsBase, dut.io.forget)
          bench.read(shared, isObject = true)
          bench.pulse(dut.io.invalidate)
          bench.clock.waitSampling(20)
        }
      }
    }
  }
}
