package heapwire.core

import heapwire.cereal.serialize.ClaimArbiter
import heapwire.isa.UnitKind
import heapwire.memory._
import heapwire.memory.cache.CacheParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.wishbone.Wishbone
import spinal.lib.com.jtag.Jtag

/** The whole accelerator as one module: core, command front end, units and memory fabric.
  *
  *  - `peripheral`: Wishbone classic master for everything outside main memory.
  *  - `dma`: Wishbone classic slave into main memory, coherent with the core.
  *  - `dram_read_K`, `dram_write_K`: LiteDRAM native ports. Addresses count memory words from the start of main memory.
  *  - `externalInterrupts`: level-sensitive lines. Line 31 is ORed with the completion interrupt.
  *  - `jtag` or `jtagg`: the debugger's connection, as `config.debug` selects.
  *  - `unit_clk`, `unit_awake`: the units' clocks, see [[UnitClock]].
  */
class Cluster(val config: ClusterConfig) extends Component {
  setDefinitionName("HeapwireCluster")
  private val p = config.memory
  private val dram = config.dram

  val externalResetVector = in UInt (32 bits)
  val externalInterrupts = in Bits (32 bits)
  val jtag = (config.debug == DebugTransport.Tap) generate slave(Jtag())
  val jtagg = (config.debug == DebugTransport.Ecp5) generate slave(Jtagg())
  val peripheral = master(Wishbone(PeripheralPort.wishbone))
  val dma = slave(Wishbone(PeripheralPort.wishbone))
  val dram_read = Vec.fill(dram.stripes)(master(Cluster.widened(dram.readPort(p))))
  val dram_write = Vec.fill(dram.stripes)(master(Cluster.widened(dram.writePort(p))))

  val core = new CoreComplex(config)
  core.io.resetVector := externalResetVector
  core.io.interrupts := externalInterrupts
  core.io.peripheral <> peripheral
  if (config.debug == DebugTransport.Tap) core.io.jtag <> jtag
  if (config.debug == DebugTransport.Ecp5) core.io.jtagg <> jtagg

  val dmaPort = DmaPort(p)
  dmaPort.io.bus <> dma

  private val kinds = UnitKind.all.filter(_.queued).flatMap(kind => Seq.fill(config.count(kind))(kind))
  val unit_clk = in Bits (config.unitClocks bits)
  val unit_awake = out Bits (config.unitClocks bits)
  val sockets = for ((kind, i) <- kinds.zipWithIndex) yield {
    val ordinal = kinds.take(i).count(_ == kind)
    val (socket, awake) = UnitClock.unit(unit_clk(i), config.unitClockDivider)(UnitSocket(kind, config, ordinal))
    unit_awake(i) := awake
    socket
  }
  for ((socket, i) <- sockets.zipWithIndex) core.io.units(i) <> socket.port
  for ((port, i) <- sockets.flatMap(_.argument).zipWithIndex) core.io.arguments(i) <> port
  for ((kind, k) <- sockets.map(_.kind).distinct.zipWithIndex)
    core.io.traffic(k) := Traffic.of(sockets.filter(_.kind == kind).flatMap(_.buses.map(_._2)))

  for (port <- sockets.flatMap(_.fields)) core.io.fields <> port

  private val unitBuses = (DmaPort.node(p), dmaPort.io.memory) +: sockets.flatMap(_.buses)
  val fabric = Fabric(CacheParameter(p, dram, cores = Seq(CoreRoad.node(p)), units = unitBuses.map(_._1),
      narrow = 1, bytes = config.sharedCacheBytes, ways = config.sharedCacheWays, snoop = config.coherent))
  for (((_, bus), i) <- unitBuses.zipWithIndex) fabric.io.units(i) << bus
  fabric.io.cores(0) << core.io.memory

  private val claims = sockets.flatMap(_.claim)
  val claimArbiter = claims.nonEmpty generate ClaimArbiter(claims.size)
  for ((claim, i) <- claims.zipWithIndex) claimArbiter.io.ports(i) <> claim

  core.io.invalidate << fabric.io.invalidate
  fabric.io.invalidated << core.io.invalidated

  for (k <- 0 until dram.stripes) {
    Cluster.join(dram_read(k), fabric.io.reads(k))
    Cluster.join(dram_write(k), fabric.io.writes(k))
  }
  require(dram.stripes < 8, "the counters of DRAM take less than 8 ports each way")
  core.io.dram.reads := CountOne(dram_read.map(port => port.cmd_valid && port.cmd_ready)).resized
  core.io.dram.writes := CountOne(dram_write.map(port => port.cmd_valid && port.cmd_ready)).resized

  // No reader uses what a memory returns for a word that is being written. Synthesis does not know this and would build
  // a bypass beside each block RAM.
  walkComponents(_.dslBody.walkStatements { case memory: Mem[_] => memory.addAttribute("no_rw_check"); case _ => })
}

object Cluster {
  /** Width of the ports' word addresses, independent of the size of main memory. */
  val DramAddressWidth = 28
  private def widened(port: LiteDramReadPort) = port.copy(addressWidth = DramAddressWidth)
  private def widened(port: LiteDramWritePort) = port.copy(addressWidth = DramAddressWidth)

  private def join(pin: LiteDramReadPort, port: LiteDramReadPort): Unit = {
    pin.cmd_valid := port.cmd_valid
    pin.cmd_addr := port.cmd_addr.resized
    port.cmd_ready := pin.cmd_ready
    port.rdata_valid := pin.rdata_valid
    port.rdata_data := pin.rdata_data
    pin.rdata_ready := port.rdata_ready
  }

  private def join(pin: LiteDramWritePort, port: LiteDramWritePort): Unit = {
    pin.cmd_valid := port.cmd_valid
    pin.cmd_addr := port.cmd_addr.resized
    port.cmd_ready := pin.cmd_ready
    pin.wdata_valid := port.wdata_valid
    pin.wdata_data := port.wdata_data
    pin.wdata_we := port.wdata_we
    port.wdata_ready := pin.wdata_ready
  }
}
