package heapwire.core

import heapwire.Rounds
import heapwire.memory.MemoryParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.tilelink._
import spinal.lib.bus.wishbone.Wishbone
import vexriscv.ip.{DataCacheMemBus, InstructionCacheMemBus}

import scala.collection.mutable
import scala.util.Random

/** Everything between the core's caches on one side, memory and the peripherals on the other, connected as in
  * [[CoreComplex]].
  */
class RoadBench(p: MemoryParameter, mapping: SizeMapping) extends Component {
  private val (dataCache, instructionCache) = (Cpu.dataCache(1024, p), Cpu.instructionCache(1024, p))
  val io = new Bundle {
    val data = slave(DataCacheMemBus(dataCache))
    val instructions = slave(InstructionCacheMemBus(instructionCache))
    val memory = master(Bus(CoreRoad.node(p)))
    val peripheral = master(Wishbone(PeripheralPort.wishbone))
    val word = out Bool ()
  }
  val dataBridge = DataBridge(p, dataCache, mapping)
  val instructionBridge = InstructionBridge(p, instructionCache, mapping)
  val outside = PeripheralPort(p)
  val road = CoreRoad(p)
  dataBridge.io.bus <> io.data
  instructionBridge.io.bus <> io.instructions
  dataBridge.io.invalidate.setIdle()
  dataBridge.io.invalidated.ready := True
  dataBridge.io.coreReset := False
  dataBridge.io.memory >> road.io.data
  instructionBridge.io.memory >> road.io.instructions
  road.io.memory >> io.memory
  outside.io.masters(0) <> dataBridge.io.peripheral
  outside.io.masters(1) <> instructionBridge.io.peripheral
  outside.io.bus <> io.peripheral
  outside.io.words >> road.io.words
  io.word := outside.io.words.valid
}

/** The core's one path to memory, on which peripherals' words come back, too: an answer of memory in the same cycle
  * waits.
  */
class CoreRoadTest extends AnyFunSuite {
  private val base = 0x40000000L
  private val mapping = SizeMapping(base, 1 << 20)
  private val full = sys.env.contains("HEAPWIRE_FULL")

  private class Driver(dut: RoadBench, width: Int, seed: Int, latency: Range, stall: Double, rate: Double) {
    val random = new Random(seed)
    val clock = dut.clockDomain
    clock.forkStimulus(10)
    private val bytes, model = new Bytes
    for (store <- Seq(bytes, model)) {
      val content = new Random(seed)
      for (at <- 0 until 8192 by 4) { store.setWord(base + at, content.nextInt() & 0xffffffffL) }
    }
    val memory = new TileLinkMemory(dut.io.memory, clock, bytes, random, latency, stall, ordered = _ => true)
    /** How often an answer of memory met a peripheral's word: by whether the instruction cache waits for memory's
      * answer, and whether the word is for a line.
      */
    val met = mutable.HashMap[(Boolean, Boolean), Int]().withDefaultValue(0)
    private var dataLine = false
    dut.io.data.cmd.valid #= false
    dut.io.data.inv.ready #= true
    dut.io.data.ack.valid #= false
    dut.io.instructions.cmd.valid #= false
    dut.io.peripheral.ACK #= false
    dut.io.peripheral.ERR #= false

    private case class Beat(data: BigInt, error: Boolean, last: Boolean)
    private val dataBeats, instructionBeats = mutable.ArrayBuffer[Beat]()
    private var stores = 0
    clock.onSamplings {
      val (data, instructions, d) = (dut.io.data.rsp, dut.io.instructions.rsp, dut.io.memory.d)
      if (data.valid.toBoolean) dataBeats += Beat(data.data.toBigInt, data.error.toBoolean, data.last.toBoolean)
      if (instructions.valid.toBoolean) instructionBeats +=
        Beat(instructions.data.toBigInt, instructions.error.toBoolean, last = false)
      if (d.valid.toBoolean && dut.io.word.toBoolean) {
        val toInstructions = d.source.toInt == CoreRoad.Instructions
        met(toInstructions -> (if (toInstructions) dataLine else true)) += 1
      }
    }

    // Every read of a peripheral returns another word, and now and then an error.
    private val seen = mutable.HashMap[Long, (Long, Boolean)]()
    private val written = mutable.Queue[(Long, Long)]()
    fork {
      while (true) {
        clock.waitSampling()
        sleep(1)
        val bus = dut.io.peripheral
        val taken = bus.STB.toBoolean && random.nextDouble() < rate
        val word = random.nextInt() & 0xffffffffL
        val error = taken && random.nextInt(12) == 0
        bus.DAT_MISO #= word
        bus.ERR #= error
        bus.ACK #= taken && (!error || random.nextBoolean())
        if (taken) {
          val at = bus.ADR.toLong * 4
          if (bus.WE.toBoolean) {
            assert(written.nonEmpty && written.dequeue() == at -> bus.DAT_MOSI.toLong,
              f"a write to $at%x nobody asked for")
          } else { assert(!seen.contains(at), f"$at%x was read twice"); seen(at) = word -> error }
        }
      }
    }

    private def outside(at: Long) = at < base || at >= 0xf0000000L

    /** Checks the memory words of an answer of 2^log bytes from an aligned address on, and which words of a peripheral
      * are errors.
      */
    private def verify(who: String, address: Long, log: Int, beats: Seq[Beat]): Unit = {
      val wordBytes = width / 8
      assert(beats.size == ((1 << log) / wordBytes max 1), s"$who: ${beats.size} words for ${1 << log} bytes")
      for ((beat, i) <- beats.zipWithIndex) {
        val first = (address & ~(wordBytes - 1L)) + i * wordBytes
        val granules = (first until first + wordBytes by 4).filter(at => at >= address && at < address + (1 << log))
        val error = outside(address) && granules.exists(seen(_)._2)
        assert(beat.error == error, f"$who: error ${beat.error} of the word at $first%x")
        for (at <- granules if !error) {
          val expected = if (outside(at)) seen(at)._1 else model.word(at)
          val got = ((beat.data >> (8 * (at - first).toInt)) & 0xffffffffL).toLong
          assert(got == expected, f"$who read $got%x at $at%x, not $expected%x")
        }
      }
      if (outside(address)) for (at <- address until address + (1 << log) by 4) seen.remove(at)
    }

    private def send(address: Long, write: Boolean, size: Int, data: Long = 0): Unit = {
      val cmd = dut.io.data.cmd
      cmd.valid #= true
      cmd.wr #= write
      cmd.address #= address
      cmd.size #= size
      cmd.data #= data
      cmd.mask #= 15
      cmd.exclusive #= false
      cmd.uncached #= (address >= 0xf0000000L)
      cmd.last #= true
      clock.waitSamplingWhere(cmd.ready.toBoolean)
      cmd.valid #= false
    }

    def store(address: Long): Unit = {
      val value = random.nextInt() & 0xffffffffL
      if (outside(address)) written.enqueue(address -> value) else model.setWord(address, value)
      stores += 1
      send(address, write = true, 2, value)
    }

    def load(address: Long, log: Int): Unit = {
      dataLine = log == 5
      send(address, write = false, log)
      var patience = 3000
      // The acknowledgements of earlier stores come first.
      while (dataBeats.count(_.last) < stores + 1) {
        clock.waitSampling(); patience -= 1; assert(patience > 0, "a load without an answer")
      }
      verify("data", address, log, dataBeats.drop(stores).toSeq)
      dataBeats.clear()
      stores = 0
    }

    def refill(address: Long): Unit = {
      val cmd = dut.io.instructions.cmd
      cmd.valid #= true
      cmd.address #= address
      cmd.size #= 5
      clock.waitSamplingWhere(cmd.ready.toBoolean)
      cmd.valid #= false
      var patience = 3000
      while (instructionBeats.size < 256 / width) {
        clock.waitSampling(); patience -= 1; assert(patience > 0, "a refill without an answer")
      }
      verify("instructions", address, 5, instructionBeats.toSeq)
      instructionBeats.clear()
    }

    def finish(): Unit = {
      clock.waitSampling(2)
      clock.waitSamplingWhere(dut.dataBridge.io.storesDrained.toBoolean)
      clock.waitSampling(20)
      assert(bytes.equalTo(model) && written.isEmpty, "a store is lost")
      assert(dataBeats.size == stores && instructionBeats.isEmpty && seen.isEmpty, "an answer too many")
    }
  }

  for (width <- Seq(32, 64, 128)) test(s"refills and loads of memory and peripherals at once, $width bits") {
    val compiled = SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).fewOptimisation
      .workspaceName(s"core_road_$width").compile {
        val bench = new RoadBench(MemoryParameter(width), mapping)
        bench.dataBridge.io.storesDrained.simPublic()
        bench
      }
    for ((name, latency, stall) <- Seq(("at_once", 0 to 0, 0.0), ("late", 1 to 20, 0.3));
      seed <- 1 to (if (full) 20 else 2))
      compiled.doSim(s"${name}_$seed", seed) { dut =>
        val d = new Driver(dut, width, seed, latency, stall, rate = if (seed % 2 == 0) 1 else 0.4)
        import d.random
        SimTimeout(20000000)
        d.clock.waitSampling(5)
        val data = fork {
          for (_ <- 0 until Rounds(1200)) random.nextInt(10) match {
            case 0 => for (_ <- 0 to random.nextInt(8)) d.store(base + 4 * random.nextInt(1024))
            case 1 | 2 => d.load(base + 32 * random.nextInt(128), 5)
            case 3 => d.load(base + 4 * random.nextInt(1024), 2)
            case 4 | 5 | 6 => d.load(0xf0000000L + 4 * random.nextInt(64), 2)
            case 7 => d.load(0x1000L + 32 * random.nextInt(8), 5)
            case 8 => d.store((if (random.nextBoolean()) 0xf0000000L else 0x2000L) + 4 * random.nextInt(8))
            case 9 => d.clock.waitSampling(random.nextInt(12))
          }
        }
        val instructions = fork {
          // A region of memory that the data side does not write.
          for (_ <- 0 until Rounds(1200)) random.nextInt(8) match {
            case 0 => d.clock.waitSampling(random.nextInt(12))
            case 1 | 2 => d.refill(0x8000L + 32 * random.nextInt(8))
            case _ => d.refill(base + 4096 + 32 * random.nextInt(128))
          }
        }
        data.join()
        instructions.join()
        d.finish()
        val met = d.met
        assert(met(true -> false) > 0 && met(true -> true) > 0 && met(false -> true) > 0,
          s"memory's answers met too few words: $met")
      }
  }
}
