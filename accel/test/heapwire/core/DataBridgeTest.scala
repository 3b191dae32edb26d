package heapwire.core

import heapwire.memory.MemoryParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.misc.SizeMapping

import scala.collection.mutable
import scala.util.Random

/** The bridge on its own, driven as the data cache drives it, over a memory that keeps order, as the shared cache does.
  */
class DataBridgeTest extends AnyFunSuite {
  private val base = 0x40000000L
  private def bridge(width: Int) = {
    val p = MemoryParameter(width)
    SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).fewOptimisation
      .workspaceName(s"data_bridge_$width")
      .compile(DataBridge(p, Cpu.dataCache(1024, p), SizeMapping(base, 1 << 20)))
  }

  /** Drives accesses of the cache, and checks their answers. */
  private class Driver(dut: DataBridge, width: Int, seed: Int) {
    val random = new Random(seed)
    val domain = dut.clockDomain
    val bytes, model = new Bytes
    val memory = new TileLinkMemory(dut.io.memory, domain, bytes, random, ordered = _ => true)
    private var lastBeats = mutable.ArrayBuffer[(BigInt, Boolean, Boolean, Boolean)]()
    var syncs, stores, answers = 0
    val ioWrites = mutable.ArrayBuffer[(Long, Long, Int)]()

    dut.io.bus.cmd.valid #= false
    dut.io.bus.inv.ready #= true
    dut.io.bus.ack.valid #= false
    dut.io.invalidate.valid #= false
    dut.io.invalidated.ready #= true
    dut.io.coreReset #= false
    dut.io.peripheral.cmd.ready #= false
    dut.io.peripheral.rsp.valid #= false
    domain.onSamplings {
      if (dut.io.bus.rsp.valid.toBoolean) {
        assert(!dut.io.bus.rsp.error.toBoolean, "the error of another access")
        lastBeats +=
          ((dut.io.bus.rsp.data.toBigInt, dut.io.bus.rsp.error.toBoolean, dut.io.bus.rsp.exclusive.toBoolean,
            dut.io.bus.rsp.last.toBoolean))
      }
      if (dut.io.bus.sync.valid.toBoolean) syncs += 1
    }
    // Peripherals: one answer per memory word, after a while, on the lines of memory's data. Reads return the inverted
    // address.
    private val words = mutable.Queue[(Seq[Long], Boolean)]()
    /** The last access was a write. Its answer may be an error, which the core does not see. */
    private var writes = false
    /** The required content of memory at the next peripheral access. */
    private val snapshots = mutable.Queue[Bytes]()
    domain.onSamplings {
      val cmd = dut.io.peripheral.cmd
      if (cmd.valid.toBoolean && cmd.ready.toBoolean) {
        assert(bytes.equalTo(snapshots.dequeue()),
          "a peripheral was accessed before an earlier store arrived, or after a later one")
        val address = cmd.address.toLong
        writes = cmd.write.toBoolean
        if (cmd.write.toBoolean) ioWrites += ((address, cmd.data.toLong, cmd.mask.toInt))
        val lanes = width / 32
        if (cmd.line.toBoolean) for (i <- 0 until 8 / lanes)
          words.enqueue(((0 until lanes).map(lane => address + 4 * (i * lanes + lane)), i == 8 / lanes - 1))
        else words.enqueue((Seq.fill(lanes)(address), true))
      }
      cmd.ready #= random.nextInt(3) == 0 && words.isEmpty
      dut.io.peripheral.rsp.valid #= false
      if (words.nonEmpty && !(cmd.valid.toBoolean && cmd.ready.toBoolean) && random.nextInt(3) == 0) {
        val (addresses, last) = words.dequeue()
        dut.io.peripheral.rsp.valid #= true
        dut.io.memory.d.data #= addresses.zipWithIndex.map { case (address, lane) =>
          BigInt(~address & 0xffffffffL) << (32 * lane)
        }.sum
        dut.io.peripheral.rsp.error #= writes && random.nextBoolean()
        dut.io.peripheral.rsp.last #= last
      }
    }

    private def inMemory(address: Long) = address >= base && address < base + (1 << 20)

    private def send(address: Long, write: Boolean, size: Int, data: Long = 0, mask: Int = 0,
        exclusive: Boolean = false): Unit = {
      val cmd = dut.io.bus.cmd
      if (!inMemory(address)) snapshots.enqueue(model.copy)
      cmd.valid #= true
      cmd.wr #= write
      cmd.address #= address
      cmd.size #= size
      cmd.data #= data
      cmd.mask #= mask
      cmd.exclusive #= exclusive
      cmd.uncached #= (address >= 0xf0000000L)
      cmd.last #= true
      domain.waitSamplingWhere(cmd.ready.toBoolean)
      cmd.valid #= false
      if (write && address >= 0xf0000000L && !exclusive)
        assert(ioWrites.lastOption.exists(_._1 == address) && words.isEmpty,
          "an uncached store that is not done holds the core no more")
    }

    private def await(limit: Int = 2000): Seq[(BigInt, Boolean, Boolean)] = {
      var left = limit
      // The acknowledgements of earlier stores come first.
      while (lastBeats.count(_._4) < outstanding) { domain.waitSampling(); left -= 1; assert(left > 0, "no answer") }
      val beats = lastBeats.drop(outstanding - 1).map(b => (b._1, b._2, b._3))
      lastBeats = lastBeats.empty
      outstanding = 0
      beats.toSeq
    }
    private var outstanding = 0

    def store(address: Long, value: Long, log: Int): Unit = {
      val size = 1 << log
      val shift = (address & 3).toInt
      send(address, write = true, log, value << (8 * shift) & 0xffffffffL, ((1 << size) - 1) << shift)
      if (inMemory(address)) for (i <- 0 until size) model(address + i) = (value >> (8 * i)).toByte
      stores += 1
      outstanding += 1
    }

    /** Reads 2^log bytes as the cache does, and checks them against the model. */
    def load(address: Long, log: Int, exclusive: Boolean = false): Unit = {
      send(address, write = false, log, exclusive = exclusive)
      outstanding += 1
      val beats = await()
      val wordBytes = width / 8
      val count = math.max(1, (1 << log) / wordBytes)
      assert(beats.size == count, s"${beats.size} beats for ${1 << log} bytes")
      for ((beat, i) <- beats.zipWithIndex; lane <- 0 until wordBytes) {
        val at = (address & ~(wordBytes - 1L)) + i * wordBytes + lane
        if (at >= address && at < address + (1 << log)) {
          val expected = if (!inMemory(at)) ((~(at & ~3L) >> (8 * (at & 3))) & 0xff).toInt else model(at) & 0xff
          assert(((beat._1 >> (8 * lane)) & 0xff).toInt == expected, f"byte at $at%x")
        }
      }
    }

    def conditional(address: Long, value: Long): Boolean = {
      send(address, write = true, 2, value, 15, exclusive = true)
      outstanding += 1
      stores += 1
      val beats = await()
      assert(beats.size == 1)
      if (beats.head._3) model.setWord(address, value)
      beats.head._3
    }

    def drained(): Unit = {
      domain.waitSampling(2)
      domain.waitSamplingWhere(dut.io.storesDrained.toBoolean)
      assert(bytes.equalTo(model), "drained, and memory differs")
    }
  }

  for (width <- Seq(128, 32)) test(s"random stores, loads, SC and peripherals, $width bits") {
    val compiled = bridge(width)
    for (seed <- 1 to 2) compiled.doSim(s"random", seed) { dut =>
      dut.clockDomain.forkStimulus(10)
      val d = new Driver(dut, width, seed)
      import d.random
      dut.clockDomain.waitSampling(5)
      // Few blocks, so that stores and loads meet; now and then a burst to consecutive words.
      def somewhere = base + random.nextInt(6) * 64 + (if (random.nextInt(8) == 0) 4096 else 0)
      for (_ <- 0 until 1200) random.nextInt(12) match {
        case 0 | 1 | 2 =>
          val log = random.nextInt(3)
          d.store(somewhere + (random.nextInt(64) & -(1 << log)), random.nextInt() & 0xffffffffL, log)
        case 3 =>
          val start = somewhere
          for (i <- 0 until 1 + random.nextInt(40)) d.store(start + 4 * i, random.nextInt() & 0xffffffffL, 2)
        case 4 | 5 | 6 => d.load(somewhere + random.nextInt(2) * 32, 5)
        case 7 => d.load(somewhere + random.nextInt(16) * 4, 2)
        case 8 =>
          val at = somewhere + random.nextInt(16) * 4
          d.load(at, 2, exclusive = true)
          // Other stores of the core in between do not break the reservation.
          if (random.nextBoolean()) d.store(somewhere, random.nextInt() & 0xff, 0)
          assert(d.conditional(at, random.nextInt() & 0xffffffffL), "SC after LR failed")
          assert(!d.conditional(at, 1), "a second SC succeeded")
        case 9 =>
          // Also posted ones: outside main memory, and not uncached.
          for (_ <- 0 until random.nextInt(3))
            d.store(0x2000L + 4 * random.nextInt(8), random.nextInt() & 0xffffffffL, 2)
          if (random.nextBoolean()) d.store(0xf0000000L + 4 * random.nextInt(8), random.nextInt() & 0xffffffffL, 2)
          else d.load(0xf0000000L + 4 * random.nextInt(8), 2)
        case 10 => d.load(0x1000L + 32 * random.nextInt(8), 5)
        case 11 =>
          if (random.nextBoolean()) dut.clockDomain.waitSampling(random.nextInt(40))
          if (random.nextInt(4) == 0) d.drained()
      }
      d.drained()
      assert(d.syncs == d.stores)
    }
  }

  test("an SC that the shared cache refuses fails") {
    bridge(128).doSim("refused", 1) { dut =>
      dut.clockDomain.forkStimulus(10)
      val d = new Driver(dut, 128, 1)
      dut.clockDomain.waitSampling(5)
      for (i <- 0 until 20) {
        d.load(base + 4 * i, 2, exclusive = true)
        d.memory.reserved = -1
        assert(!d.conditional(base + 4 * i, i))
        d.store(base + 4 * i, i, 2)
      }
      d.drained()
    }
  }
}
