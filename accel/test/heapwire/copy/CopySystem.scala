package heapwire.copy

import heapwire.isa.Operation
import heapwire.memory._
import heapwire.memory.cache.CacheParameter
import spinal.core._
import spinal.core.sim._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.sim.{StreamDriver, StreamReadyRandomizer}

import scala.collection.mutable
import scala.util.Random

/** A copy unit on a fabric, with one core master that tests drive. */
case class CopySystem(p: MemoryParameter, dram: LiteDramParameter, snoop: Boolean = true) extends Component {
  val unit = CopyUnit(4, p)
  val coreNode: NodeParameters = p.master("core", 4, get = true, put = true)
  val fabric = Fabric(CacheParameter(p, dram, cores = Seq(coreNode), units = Seq(unit.engine.node),
      bytes = 16384, ways = 4, snoop = snoop))
  val io = new Bundle {
    val port = slave(UnitPort(4))
    val core = slave(Bus(coreNode))
    val invalidate = master(Stream(UInt(p.addressWidth bits)))
    val invalidated = slave(Stream(NoData()))
    val reads = Vec.fill(dram.stripes)(master(dram.readPort(p)))
    val writes = Vec.fill(dram.stripes)(master(dram.writePort(p)))
  }
  Seq(unit.io.bus.a.valid, unit.io.bus.a.ready, unit.io.bus.a.param, unit.ranges.ownedBase).foreach(_.simPublic())
  unit.io.port <> io.port
  fabric.io.cores(0) << io.core
  fabric.io.units(0) << unit.io.bus
  io.invalidate << fabric.io.invalidate
  fabric.io.invalidated << io.invalidated
  for (i <- 0 until dram.stripes) {
    io.reads(i) <> fabric.io.reads(i)
    io.writes(i) <> fabric.io.writes(i)
  }
}

/** Drives a [[CopySystem]] in simulation. */
class CopyBench(dut: CopySystem, stall: Double, readLatency: Int, random: Random) {
  private val clock = dut.clockDomain
  SimTimeout(30000000) // in time units: three million cycles
  clock.forkStimulus(10)
  val memory =
    new LiteDramModel(clock, dut.io.reads.toSeq, dut.io.writes.toSeq, dut.dram, dut.p, readLatency, stall, random)
  dut.io.port.registers.valid #= false
  dut.io.port.command.valid #= false
  dut.io.port.completion.ready #= false
  dut.io.core.a.valid #= false
  dut.io.core.d.ready #= true
  var cycle = 0L
  clock.onSamplings { cycle += 1 }
  // What is copied must not displace the core's lines.
  clock.onSamplings {
    val a = dut.unit.io.bus.a
    if (a.valid.toBoolean && a.ready.toBoolean)
      assert(Set(Param.Hint.NO_ALLOCATE_ON_MISS, CompareAndSwap.Param)(a.param.toInt), "a request that may allocate")
  }

  /** The blocks invalidated since the set was last cleared. */
  val invalidated = mutable.LinkedHashSet[Long]()
  private var owed = 0
  dut.io.invalidated.valid #= false
  dut.io.invalidate.ready #= false
  clock.onSamplings {
    if (dut.io.invalidated.valid.toBoolean && dut.io.invalidated.ready.toBoolean) owed -= 1
    if (dut.io.invalidate.valid.toBoolean && dut.io.invalidate.ready.toBoolean) {
      invalidated += dut.io.invalidate.payload.toLong
      owed += 1
    }
    dut.io.invalidated.valid #= owed > 0 && (stall == 0 || random.nextDouble() >= stall)
    dut.io.invalidate.ready #= stall == 0 || random.nextDouble() >= stall
  }
  /** So many bytes at the start of the next command's range are not its own. */
  var withheld = 0
  clock.onSamplings {
    val base = dut.unit.ranges.ownedBase
    if (withheld != 0 && base.toLong != 0xffffffffL) {
      base #= base.toLong + withheld
      withheld = 0
    }
  }
  /** Drops what is under way; to be called during a reset. */
  def forget(): Unit = {
    memory.reset()
    owed = 0
  }
  clock.waitSampling(80)

  case class Outcome(status: Int, results: Seq[Long], cycles: Long)

  def run(operation: Operation, arguments: Long*): Outcome = {
    val port = dut.io.port
    port.command.valid #= true
    port.command.tag #= 3
    port.command.operation #= operation.code
    for (i <- 0 until 8) port.command.arguments(i) #= BigInt(arguments.applyOrElse(i, (_: Int) => 0L))
    clock.waitSamplingWhere(port.command.ready.toBoolean)
    port.command.valid #= false
    val start = cycle
    if (clock.waitSamplingWhere(200000)(port.completion.valid.toBoolean)) simFailure(s"${operation.name} hangs")
    val cycles = cycle - start
    clock.waitSampling(random.nextInt(3))
    assert(port.completion.tag.toInt == 3)
    val outcome = Outcome(port.completion.status.toInt, port.completion.results.map(_.toLong).toSeq, cycles)
    port.completion.ready #= true
    clock.waitSampling()
    port.completion.ready #= false
    outcome
  }

  /** Returns the word at `address` as the core sees it. */
  def coreRead(address: Long): Long = {
    val a = dut.io.core.a
    a.valid #= true
    a.opcode #= Opcode.A.GET
    a.param #= 0
    a.source #= 0
    a.size #= log2Up(dut.p.wordBytes)
    a.address #= address & ~(dut.p.wordBytes - 1L)
    clock.waitSamplingWhere(a.ready.toBoolean)
    a.valid #= false
    clock.waitSamplingWhere(dut.io.core.d.valid.toBoolean)
    val shift = (address & (dut.p.wordBytes - 1)).toInt * 8
    ((dut.io.core.d.data.toBigInt >> shift) & 0xffffffffL).toLong
  }

  /** Returns bytes as the core sees them, including the shared cache's. */
  def coreBytes(address: Long, length: Int): Seq[Byte] = {
    val first = address & ~3L
    val words = (first until address + length by 4).map(coreRead)
    words.flatMap(w => (0 until 4).map(i => (w >> (8 * i)).toByte)).slice((address - first).toInt,
      (address - first).toInt + length)
  }

  /** Writes one 32-bit word as the core does, repeated on every lane. */
  def coreWrite(address: Long, value: Long): Unit = {
    val a = dut.io.core.a
    val shift = (address & (dut.p.wordBytes - 1)).toInt
    a.valid #= true
    a.opcode #= Opcode.A.PUT_PARTIAL_DATA
    a.param #= 0
    a.source #= 1
    a.size #= 2
    a.address #= address
    a.mask #= BigInt(15) << shift
    a.data #= (0 until dut.p.wordBytes / 4).map(i => BigInt(value) << (32 * i)).sum
    a.corrupt #= false
    clock.waitSamplingWhere(a.ready.toBoolean)
    a.valid #= false
    clock.waitSamplingWhere(dut.io.core.d.valid.toBoolean)
  }
}
