package heapwire.core

import heapwire.isa.{Information, UnitKind}
import heapwire.memory.{ArgumentPort, FieldPort, Traffic, UnitPort}
import heapwire.protobuf.engine.program.Program
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.bus.wishbone.Wishbone
import spinal.lib.com.jtag.Jtag

/** The core with its bridges and the command front end: everything of a cluster except the units and the memory fabric.
  * Its ports are those of the units and of the fabric.
  *
  * A debugger's reset (`ndmreset`) resets only the core. The core leaves that reset once its outstanding accesses have
  * ended, and its tags are freed. Units and memory controller cannot be reset separately, because they share commands
  * under way.
  */
class CoreComplex(config: ClusterConfig) extends Component {
  private val p = config.memory
  private val kinds =
    UnitKind.all.filter(kind => kind.queued && config.count(kind) > 0).map(kind => kind -> config.count(kind))
  private val parameter = FrontEndParameter(config.tags, config.queueDepth, kinds, config.counters, log2Up(p.wordBytes),
    fields = config.hasFields, unitClockDivider = config.unitClockDivider, modes = config.modes,
    program = if (config.count(UnitKind.ProtobufEngine) > 0) Program.resident else 0,
    looking = kinds.map(_._1).filter(config.looksUp).toSet)

  val io = new Bundle {
    val resetVector = in UInt (32 bits)
    val interrupts = in Bits (32 bits)
    val jtag = (config.debug == DebugTransport.Tap) generate slave(Jtag())
    val jtagg = (config.debug == DebugTransport.Ecp5) generate slave(Jtagg())
    val peripheral = master(Wishbone(PeripheralPort.wishbone))
    val memory = master(Bus(CoreRoad.node(p)))
    val invalidate = slave(Stream(UInt(32 bits)))
    val invalidated = master(Stream(NoData()))
    val units = Vec.fill(parameter.unitCount)(master(UnitPort(parameter.tagWidth)))
    val arguments = (parameter.lookingCount > 0) generate Vec.fill(parameter.lookingCount)(slave(ArgumentPort()))
    val traffic = in Vec (Traffic(), kinds.size)
    val dram = in(DramActivity())
    val fields = parameter.fields generate master(FieldPort())
  }

  val coreReset = RegInit(True)
  private val coreDomain = ClockDomain.current.copy(reset = coreReset)
  val cpu = coreDomain(new Cpu(config))
  val debug = config.hasDebug generate DebugPort(config.debug)
  val dataBridge = DataBridge(p, cpu.io.data.p, config.memoryMapping)
  val instructionBridge = InstructionBridge(p, cpu.io.instructions.p, config.memoryMapping)
  val frontEnd = FrontEnd(parameter)
  val outside = PeripheralPort(p)
  val road = CoreRoad(p)
  private val debugReset = if (config.hasDebug) debug.io.ndmreset else False
  coreReset := debugReset || coreReset && !(dataBridge.io.idle && instructionBridge.io.idle)

  cpu.io.resetVector := io.resetVector
  cpu.io.interrupts := io.interrupts | (frontEnd.io.interrupt ## B(0, Information.InterruptLine bits))
  cpu.io.storesDrained := dataBridge.io.storesDrained
  if (config.hasDebug) debug.io.hart <> cpu.io.debug
  if (config.debug == DebugTransport.Tap) debug.io.jtag <> io.jtag
  if (config.debug == DebugTransport.Ecp5) debug.io.jtagg <> io.jtagg

  dataBridge.io.bus <> cpu.io.data
  dataBridge.io.memory >> road.io.data
  dataBridge.io.invalidate << io.invalidate
  dataBridge.io.invalidated >> io.invalidated
  dataBridge.io.coreReset := coreReset

  instructionBridge.io.bus <> cpu.io.instructions
  instructionBridge.io.memory >> road.io.instructions
  road.io.memory >> io.memory

  outside.io.masters(0) <> dataBridge.io.peripheral
  outside.io.masters(1) <> instructionBridge.io.peripheral
  outside.io.bus <> io.peripheral
  outside.io.words >> road.io.words

  frontEnd.io.command <> cpu.io.command
  frontEnd.io.abandon := coreReset
  frontEnd.io.storesDrained := dataBridge.io.storesDrained
  for ((unit, i) <- io.units.zipWithIndex) frontEnd.io.units(i) <> unit
  if (parameter.lookingCount > 0) frontEnd.io.arguments <> io.arguments
  frontEnd.io.traffic := io.traffic
  frontEnd.io.dram := io.dram
  if (parameter.fields) {
    frontEnd.io.fields <> io.fields
  }
}
