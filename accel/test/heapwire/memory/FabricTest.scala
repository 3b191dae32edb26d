package heapwire.memory

import heapwire.Rounds
import heapwire.core.{ClusterConfig, CoreRoad}
import heapwire.memory.cache.CacheParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.tilelink._

import scala.collection.mutable
import scala.util.Random

/** The core's master, with the sources of the cluster, and three units' masters over a fabric. Each knows what memory
  * should hold.
  *
  * The core and every unit write to granules (32-bit words) of their own, which alternate in memory: masters share
  * blocks but not bytes. Reads are of whole blocks: the reader's own granules must hold what it wrote last, others'
  * granules one of the values that they recently had. When nothing is under way, all must hold the newest value. Swaps
  * go to words that all units share.
  */
class FabricBench(dut: Fabric, seed: Int, stall: Double, latency: Int) {
  val random = new Random(seed)
  val clock = dut.clockDomain
  private val p = dut.c.memory
  private val words = p.wordBytes
  clock.forkStimulus(10)
  val memory = new LiteDramModel(clock, dut.io.reads.toSeq, dut.io.writes.toSeq, dut.c.dram, p, latency, stall, random)
  val base = dut.c.dram.memoryBase.toLong
  /** A few blocks of few sets, so that they conflict; in all stripes. The last three of a set share the buckets of the
    * first three, so that reads wait for writes of other blocks, and numbers in buckets are overwritten.
    */
  val blocks: Seq[Long] =
    for (way <- 0 until 7; set <- Seq(0, 1, 34, 65, 98))
      yield base + way % 4 * 8192L + way / 4 * dut.c.buckets * 64L + set * 64
  /** Every answer is taken at once; for measurements. */
  var eager = false
  private def granules = p.blockBytes / 4
  private val owners = 5

  dut.io.invalidate.ready #= false
  dut.io.invalidated.valid #= false
  private val owed = mutable.Queue[Long]()
  /** How often each block was invalidated. */
  val invalidations = mutable.HashMap[Long, Int]().withDefaultValue(0)
  clock.onSamplings {
    if (dut.io.invalidated.valid.toBoolean && dut.io.invalidated.ready.toBoolean) invalidations(owed.dequeue()) += 1
    if (dut.io.invalidate.valid.toBoolean && dut.io.invalidate.ready.toBoolean)
      owed.enqueue(dut.io.invalidate.payload.toLong)
    dut.io.invalidated.valid #= owed.nonEmpty && random.nextInt(3) != 0
    dut.io.invalidate.ready #= random.nextInt(3) != 0
  }

  /** All values that a granule has had, the newest last; not of the words of LR and swaps. */
  private val history = mutable.HashMap[Long, mutable.ArrayBuffer[Long]]()
  private def past(at: Long) =
    history.getOrElseUpdate(at, mutable.ArrayBuffer((0 until 4).map(i => (memory.peek(at + i) & 0xffL) << (8 * i)).sum))

  def newest(at: Long): Long = past(at).last

  /** One master: any number of sources, each with one request at a time. */
  class Master(bus: Bus, val owner: Int, core: Boolean) {
    bus.a.valid #= false
    bus.d.ready #= true
    clock.onSamplings { bus.d.ready #= eager || random.nextInt(8) != 0 }
    private val waiting = mutable.HashMap[Int, mutable.ArrayBuffer[BigInt] => Unit]()
    private val beats = mutable.ArrayBuffer[BigInt]()
    private var current = -1
    var denied = false
    clock.onSamplings {
      if (bus.d.valid.toBoolean && bus.d.ready.toBoolean) {
        val source = bus.d.source.toInt
        assert(current < 0 || current == source, "beats of two answers on one master")
        assert(waiting.contains(source), s"an answer nobody waits for, of source $source")
        current = source
        beats += (if (bus.d.p.withDataD) bus.d.data.toBigInt else BigInt(0))
        denied = bus.d.denied.toBoolean
        val isData = bus.d.opcode.toEnum == Opcode.D.ACCESS_ACK_DATA
        if (!isData || beats.size == math.max(1, (1 << bus.d.size.toInt) / words)) {
          val done = waiting.remove(source).get
          current = -1
          val all = beats.clone()
          beats.clear()
          done(all)
        }
      }
    }
    def isFree(source: Int): Boolean = !waiting.contains(source)
    def idle: Boolean = waiting.isEmpty
    def free(sources: Int): Option[Int] = (0 until sources).find(!waiting.contains(_))

    private def send(opcode: Opcode.A.E, param: Int, source: Int, address: Long, size: Int,
        data: Seq[(BigInt, BigInt)])(done: mutable.ArrayBuffer[BigInt] => Unit): Unit = {
      waiting(source) = done
      for ((word, mask) <- data) {
        if (random.nextDouble() < stall) clock.waitSampling(random.nextInt(4))
        val a = bus.a
        a.valid #= true
        a.opcode #= opcode
        a.param #= param
        a.source #= source
        a.address #= address
        a.size #= size
        if (a.p.withDataA) { a.data #= word; a.mask #= mask; a.corrupt #= false }
        clock.waitSamplingWhere(a.ready.toBoolean)
        a.valid #= false
      }
    }

    def get(source: Int, address: Long, size: Int, param: Int)(done: mutable.ArrayBuffer[BigInt] => Unit): Unit =
      send(Opcode.A.GET, param, source, address, size, Seq(BigInt(0) -> BigInt(0)))(done)

    /** Returns a 32-bit word repeated on every lane, as the core writes it. */
    private def everywhere(word: Long): BigInt = (0 until words / 4).map(i => BigInt(word) << (32 * i)).sum

    /** Writes some of this owner's bytes in the aligned range; with `full`, all bytes of its granules there. */
    def put(source: Int, address: Long, size: Int, param: Int, full: Boolean)(done: => Unit): Unit = {
      val first = address & ~(words - 1L)
      val written = mutable.ArrayBuffer[(Long, Long)]()
      val data = for (w <- 0 until math.max(1, (1 << size) / words)) yield {
        var value, mask = BigInt(0)
        for (lane <- 0 until words / 4) {
          val at = first + w * words + 4 * lane
          val mine = (at / 4) % owners == owner && at >= (address & ~3L) && at < address + (1 << size)
          val bytes = if (!mine) 0 else if (full) 15 else random.nextInt(16)
          if (bytes != 0) {
            val fresh = random.nextInt() & 0xffffffffL
            val old = past(at).last
            val merged = (0 until 4).map(i => (if ((bytes >> i & 1) != 0) fresh else old) & (0xffL << (8 * i))).sum
            written += at -> merged
            value |= (if (core) everywhere(fresh) else BigInt(fresh) << (32 * lane))
            mask |= BigInt(bytes) << (4 * lane)
          }
        }
        value -> mask
      }
      written.foreach { case (at, value) => past(at) += value }
      val block = address & ~63L
      val before = invalidations(block)
      send(Opcode.A.PUT_PARTIAL_DATA, param, source, address, size, data) { _ =>
        if (!core && !denied)
          assert(invalidations(block) > before, f"a write of $block%x was acknowledged before its invalidation")
        done
      }
    }

    /** Reads and checks: own granules must hold the value that was the newest when the read was sent, whether its write
      * was answered or not; with `quiet` (nothing is under way) all must hold the newest. A read that asks for no
      * allocation (`param` 2) may also find own values written behind it.
      */
    def check(source: Int, address: Long, size: Int, param: Int, quiet: Boolean = false)(done: => Unit): Unit = {
      val first = address & ~(words - 1L)
      val seen = mutable.HashMap[Long, Int]()
      for (at <- (address & ~3L) until (address + (1 << size)) by 4) seen(at) = (past(at).size - 1) max 0
      get(source, address, size, param) { data =>
        for ((at, from) <- seen) {
          val offset = (at - first).toInt
          val value = ((data(offset / words) >> (8 * (offset % words))) & 0xffffffffL).toLong
          val mine = (at / 4) % owners == owner
          // Another master's write may be under way for an unknown time, so any recent value is allowed.
          val allowed =
            if (quiet) past(at).takeRight(1)
            else if (!mine) past(at).takeRight(24)
            else if (param == 2) past(at).drop(from)
            else past(at).slice(from, from + 1)
          assert(allowed.contains(value),
            f"master $owner read $value%x at $at%x, not one of ${allowed.map(_.toHexString).mkString(" ")}")
        }
        done
      }
    }

    def swap(source: Int, address: Long, expected: Long, value: Long)(done: Long => Unit): Unit = {
      val lane = ((address % words) / 4).toInt
      val mask = BigInt(15) << (4 * lane)
      send(Opcode.A.PUT_PARTIAL_DATA, CompareAndSwap.Param, source, address, log2Up(2 * words),
        Seq(everywhere(expected) -> mask, everywhere(value) -> mask)) { data =>
        done(((data.head >> (32 * lane)) & 0xffffffffL).toLong)
      }
    }

    def conditional(source: Int, address: Long, value: Long)(done: Boolean => Unit): Unit = {
      val lane = ((address % words) / 4).toInt
      send(Opcode.A.PUT_PARTIAL_DATA, Exclusive.Param, source, address, 2,
        Seq(everywhere(value) -> (BigInt(15) << (4 * lane))))(_ => done(!denied))
    }
  }

  val data = new Master(dut.io.cores(0), 0, core = true)
  val units = dut.io.units.zipWithIndex.map { case (bus, i) => new Master(bus, 1 + i, core = false) }.toSeq
  SimTimeout(5000000)
  def settle(): Unit = {
    var patience = 20000
    while (!(data +: units).forall(_.idle)) {
      clock.waitSampling(); patience -= 1; assert(patience > 0, "an answer never came")
    }
  }
  def somewhere: Long = blocks(random.nextInt(blocks.size))
}

class FabricTest extends AnyFunSuite {
  /** As in a cluster with serialization units. */
  private def dram(width: Int) = ClusterConfig.cereal.copy(dataWidth = width, memoryBytes = 1 << 20).dram
  private def parameter(width: Int, ways: Int, snoop: Boolean = true) = {
    val p = MemoryParameter(width)
    CacheParameter(p, dram(width), cores = Seq(CoreRoad.node(p)),
      units = Seq.fill(3)(p.master("unit", 8, get = true, put = true)), bytes = ways * 8 * 64, ways = ways,
      snoop = snoop)
  }
  private def compile(c: CacheParameter) =
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC)))
      .workspaceName(s"fabric_${c.memory.dataWidth}_${c.ways}").compile(Fabric(c))
  private val full = sys.env.contains("HEAPWIRE_FULL")

  for ((width, ways) <- Seq(128 -> 4, 64 -> 2, 32 -> 2)) {
    lazy val compiled = compile(parameter(width, ways))

    test(s"random reads, writes, swaps of all masters, $width bits, $ways ways") {
      for (seed <- 1 to (if (full) 40 else 4)) compiled.doSim(s"random_$seed", seed) { dut =>
        val b = new FabricBench(dut, seed, stall = if (seed % 2 == 0) 0.3 else 0, latency = 4 + seed % 3 * 12)
        import b.random
        b.clock.waitSampling(60)
        var sum = 0
        // The words for swaps are in a block of their own, behind the others.
        val counter = b.base + 7 * 8192 + 64 + 4 * random.nextInt(16)
        for (i <- 0 until 4) b.memory.poke(counter + i, 0)
        val threads =
          for (unit <- b.units) yield fork {
            var believed = 0L
            /** Blocks with a request under way. Where the order within a block matters, a master has one request. */
            val busy = mutable.HashSet[Long]()
            for (_ <- 0 until Rounds(8000)) {
              val source = unit.free(8)
              val block = b.somewhere
              if (source.isEmpty || busy(block)) b.clock.waitSampling()
              else {
                val size = 2 + random.nextInt(5)
                val address = block + (random.nextInt(64) & -(1 << size))
                val param = if (random.nextBoolean()) 2 else 0
                busy += block
                random.nextInt(5) match {
                  case 0 | 1 => unit.check(source.get, address, size, param)(busy -= block)
                  case 2 | 3 => unit.put(source.get, address, size, param, random.nextBoolean())(busy -= block)
                  case 4 =>
                    busy -= block
                    if (!busy(counter)) {
                      busy += counter
                      val expected = believed
                      unit.swap(source.get, counter, expected, expected + 1) { old =>
                        if (old == expected) sum += 1
                        believed = if (old == expected) old + 1 else old
                        busy -= counter
                      }
                    }
                }
              }
              if (random.nextInt(20) == 0) b.clock.waitSampling(random.nextInt(60))
            }
          }
        val core = fork {
          for (_ <- 0 until Rounds(8000)) {
            val block = b.somewhere
            random.nextInt(4) match {
              // The core's writes would be many at a time, all from one source and in order. Here each one waits, or
              // another source continues.
              case 0 | 1 => b.data.free(2).foreach(source =>
                  if (source == 0) b.data.put(0, block + (random.nextInt(64) & -4), 2, 0, random.nextBoolean())(()))
              case 2 => if (b.data.free(2).contains(0) || b.data.free(4).exists(_ == 2)) {
                  while (b.data.free(3).isEmpty) b.clock.waitSampling();
                  b.data.check(b.data.free(3).get, block + random.nextInt(2) * 32, 5, 0)(())
                }
              case 3 => if (b.data.isFree(CoreRoad.Instructions))
                  b.data.check(CoreRoad.Instructions, block + random.nextInt(2) * 32, 5, 0)(())
            }
            if (random.nextInt(3) == 0) b.clock.waitSampling(random.nextInt(8))
            while (b.data.free(3).isEmpty) b.clock.waitSampling()
          }
        }
        (threads :+ core).foreach(_.join())
        b.settle()
        for (block <- b.blocks; half <- Seq(0, 32)) {
          b.data.check(1, block + half, 5, 0, quiet = true)(()); b.settle()
        }
        for (block <- b.blocks; unit <- b.units; param <- Seq(2, 0)) {
          unit.check(0, block, 6, param, quiet = true)(()); b.settle()
        }
        var last = -1L
        b.units.head.swap(0, counter, 0xffffffffL, 0)(last = _)
        b.settle()
        assert(last == sum && sum > 20, s"$sum swaps succeeded, the counter says $last")
      }
    }

    test(s"a unit's read follows its own write, $width bits") {
      var behind, streams = 0
      for (seed <- 1 to (if (full) 12 else 3)) compiled.doSim(s"own_$seed", seed) { dut =>
        val b = new FabricBench(dut, seed, stall = if (seed % 2 == 0) 0.3 else 0, latency = 4 + seed % 3 * 12)
        import b.random
        b.clock.waitSampling(60)
        // If one unit is alone, the cache meets its requests one after the other.
        val threads =
          for (unit <- b.units.take(1 + (seed - 1) % 3)) yield fork {
            /** How many of the unit's writes to each block are not answered. */
            val writes = mutable.HashMap[Long, Int]().withDefaultValue(0)
            def param = if (random.nextBoolean()) 2 else 0
            def source: Int = {
              while (unit.free(8).isEmpty) b.clock.waitSampling()
              unit.free(8).get
            }
            for (_ <- 0 until Rounds(3000)) {
              val block = b.somewhere
              val own = (block until block + 64 by 4).filter(_ / 4 % 5 == unit.owner)
              /** The smallest request of 2^size bytes or more that has one of the unit's granules. */
              def around(size: Int) = own(random.nextInt(own.size)) & -(1L << size)
              def put(): Unit = {
                val size = if (random.nextBoolean()) 6 else 2 + random.nextInt(4)
                val to = source
                writes(block) += 1
                unit.put(to, around(size), size, param, random.nextInt(4) != 0)(writes(block) -= 1)
              }
              def check(size: Int): Unit = {
                val (to, how) = (source, param)
                if (writes(block) > 0) { behind += 1; streams += how / 2 }
                unit.check(to, around(size), size, how)(())
              }
              put()
              for (_ <- 0 to random.nextInt(5)) random.nextInt(8) match {
                case 0 | 1 | 2 => check(2)
                case 3 | 4 => check(6)
                case 5 => check(2 + random.nextInt(5))
                case 6 => put()
                case 7 => unit.check(source, b.somewhere, 6, param)(())
              }
              if (random.nextInt(20) == 0) b.clock.waitSampling(random.nextInt(60))
            }
          }
        threads.foreach(_.join())
        b.settle()
        for (block <- b.blocks; param <- Seq(2, 0)) {
          b.units.head.check(0, block, 6, param, quiet = true)(()); b.settle()
        }
      }
      assert(streams > 1000 && behind > streams + 1000,
        s"$behind reads were sent behind an unanswered write, $streams of them without allocation")
    }

    test(s"outside main memory nothing is touched, $width bits") {
      compiled.doSim("outside", 1) { dut =>
        val b = new FabricBench(dut, 1, 0.3, 8)
        b.clock.waitSampling(60)
        for (outside <- Seq(0L, b.base - 64, b.base + (1 << 20), 0xffffffc0L); size <- 2 to 6; param <- Seq(0, 2)) {
          b.units.head.get(0, outside, size, param)(_ => assert(b.units.head.denied)); b.settle()
          b.units.head.put(1, outside, size, param, full = true)(()); b.clock.waitSampling(1)
          b.settle()
          assert(b.units.head.denied)
        }
      }
    }

    test(s"SC succeeds after LR, once, and not after a unit's write, $width bits") {
      compiled.doSim("exclusive", 1) { dut =>
        val b = new FabricBench(dut, 1, 0.3, 8)
        b.clock.waitSampling(60)
        def reserve(at: Long): Unit = { b.data.get(1, at, 2, Exclusive.Param)(_ => ()); b.settle() }
        def conditional(at: Long): Boolean = {
          var done = false; b.data.conditional(2, at, 7)(done = _); b.settle(); done
        }
        for (_ <- 0 until 50) {
          val at = b.somewhere + 4 * b.random.nextInt(16)
          assert(!conditional(at), "SC without a reservation")
          reserve(at)
          assert(conditional(at) && !conditional(at))
          reserve(at)
          assert(!conditional(at + 64) && !conditional(at), "SC to another block")
          reserve(at)
          b.units(1).put(0, at & ~63L, 6, 2 * b.random.nextInt(2), full = true)(()); b.settle()
          assert(!conditional(at), "SC after a unit's write")
          reserve(at)
          b.units(1).swap(0, (at & ~63L) + 4, 0, 1)(_ => ()); b.settle()
          assert(!conditional(at), "SC after a swap")
          reserve(at)
          b.units(1).put(0, (at & ~63L) + 8192, 6, 2, full = true)(()); b.settle()
          assert(conditional(at), "SC after a unit's write elsewhere")
        }
      }
    }

    test(s"SC fails when a unit's write comes right behind LR, $width bits") {
      compiled.doSim("behind", 2) { dut =>
        val b = new FabricBench(dut, 2, 0, 8)
        b.clock.waitSampling(60)
        var between = 0
        for (i <- 0 until 400) {
          // A granule of unit 1, the first unit's master.
          val block = b.somewhere
          var at = block
          while ((at / 4) % 5 != 1) at += 4
          b.units.head.put(0, at, 2, 0, full = true)(()); b.settle()
          val before = b.newest(at)
          var seen = 0L
          val unit = fork { b.clock.waitSampling(b.random.nextInt(4)); b.units.head.put(0, at, 2, 0, full = true)(()) }
          val word = (at % (width / 8)).toInt * 8
          b.clock.waitSampling(b.random.nextInt(4))
          b.data.get(1, at, 2, Exclusive.Param)(data => seen = ((data.head >> word) & 0xffffffffL).toLong)
          unit.join()
          b.settle()
          var done = false
          b.data.conditional(2, block + (if (at == block) 4 else 0), 7)(done = _); b.settle()
          if (seen == before) { between += 1; assert(!done, "SC succeeded over a unit's write since LR") }
          else assert(done)
        }
        assert(between > 50 && between < 350, s"$between writes came behind LR")
      }
    }

    test(s"a hit takes 6 cycles, hits to one block follow each other, $width bits") {
      compiled.doSim("latency", 1) { dut =>
        val b = new FabricBench(dut, 1, 0, 8)
        val unit = b.units.head
        b.eager = true
        b.clock.waitSampling(60)
        var cycle = 0
        b.clock.onSamplings { cycle += 1 }
        unit.get(0, b.base, 2, 0)(_ => ()); b.settle()
        val ends = mutable.ArrayBuffer[Int]()
        for (_ <- 0 until 4) {
          val start = cycle; unit.get(0, b.base, 2, 0)(_ => ends += cycle - start); b.settle(); b.clock.waitSampling(3)
        }
        assert(ends.forall(_ == 6), s"hits took $ends")
        ends.clear()
        for (source <- 0 until 8) unit.get(source, b.base + 4 * source, 2, 0)(_ => ends += cycle)
        b.settle()
        assert(ends.last - ends.head <= 12, s"8 hits ended at $ends")
      }
    }

    for (writes <- Seq(false, true))
      test(s"the core finds room beside units' ${if (writes) "writes" else "reads"} that wait for DRAM, $width bits") {
        compiled.doSim(s"room_$writes", 1) { dut =>
          val b = new FabricBench(dut, 1, 0, 8)
          b.clock.waitSampling(60)
          b.data.get(1, b.base, 5, 0)(_ => ()); b.settle()
          b.memory.stall = 1
          val (row, count) = (dut.c.dram.stripeBytes / 64, dut.c.dram.pendingBlocks + 8)
          // All in one stripe, and slow enough that the cache knows of each before the next one comes.
          val requests = fork {
            for (i <- 1 to count) {
              val unit = b.units(i % b.units.size)
              while (unit.free(8).isEmpty) b.clock.waitSampling()
              val address = b.base + i / row * row * 64 * dut.c.dram.stripes + i % row * 64
              if (writes) unit.put(unit.free(8).get, address, 6, 2, full = true)(())
              else unit.get(unit.free(8).get, address, 6, 2)(_ => ())
              b.clock.waitSampling(20)
            }
          }
          b.clock.waitSampling(30 * count)
          assert(dut.io.units.exists(_.a.valid.toBoolean), "no unit waits")
          for (_ <- 0 until 10) {
            var answered = false
            fork { b.data.get(1, b.base, 4, 0)(_ => answered = true) }
            if (b.clock.waitSamplingWhere(20)(answered)) simFailure("a hit of the core waits for DRAM")
          }
          b.memory.stall = 0
          requests.join()
          b.settle()
        }
      }

    test(s"a unit's stream that misses does not hold up a hit of the core beyond 10 cycles, $width bits") {
      compiled.doSim("under", 1) { dut =>
        val b = new FabricBench(dut, 1, 0, latency = 60)
        b.eager = true
        b.clock.waitSampling(60)
        var cycle = 0
        b.clock.onSamplings { cycle += 1 }
        b.data.get(1, b.base, 5, 0)(_ => ()); b.settle()
        val hits, streamed = mutable.ArrayBuffer[Int]()
        var over = false
        val unit = fork {
          var block = b.base + 64
          while (!over) b.units.head.free(8) match {
            case Some(source) =>
              val start = cycle; b.units.head.get(source, block, 6, 2)(_ => streamed += cycle - start); block += 64
            case None => b.clock.waitSampling()
          }
        }
        b.clock.waitSampling(200)
        for (_ <- 0 until 200) {
          val start = cycle
          b.data.get(1, b.base, 2, 0)(_ => hits += cycle - start)
          while (!b.data.idle) b.clock.waitSampling()
          b.clock.waitSampling(b.random.nextInt(8))
        }
        over = true
        unit.join()
        b.settle()
        assert(hits.max <= 10 && streamed.min >= 60,
          s"hits took up to ${hits.max} cycles, streams at least ${streamed.min}")
      }
    }
  }
}
