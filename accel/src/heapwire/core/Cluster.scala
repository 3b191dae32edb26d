package heapwire.core

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.wishbone.Wishbone
import spinal.lib.com.jtag.Jtag

/** The whole accelerator as one module: core, command front end, units, memory fabric.
  *
  *  - `peripheral`: Wishbone classic master for everything outside main memory.
  *  - `dma`: Wishbone classic slave into main memory, coherent with the core.
  *  - `dram_read_K`, `dram_write_K`: LiteDRAM native ports; addresses count memory words from
  *    the start of main memory.
  *  - `externalInterrupts`: level lines; line 31 is ORed with the completion interrupt.
  *  - `jtag`: only with `config.debug`. A debugger's reset reaches the core alone, and only
  *    when the core's accesses have ended.
  */
class Cluster(val config: ClusterConfig) extends Component {
  setDefinitionName("HeapwireCluster")
  private val p = config.memory
  val dram = LiteDramParameter(memoryBase = config.memoryBase, memoryBytes = config.memoryBytes)

  val externalResetVector = in UInt (32 bits)
  val externalInterrupts = in Bits (32 bits)
  val jtag = config.debug generate slave(Jtag())
  val peripheral = master(Wishbone(PeripheralPort.wishbone))
  val dma = slave(Wishbone(PeripheralPort.wishbone))
  val dram_read = Vec.fill(dram.stripes)(master(Cluster.widened(dram.readPort(p))))
  val dram_write = Vec.fill(dram.stripes)(master(Cluster.widened(dram.writePort(p))))

  /** The core's own reset: the cluster's, or a debugger's once nothing is under way. */
  val coreReset = RegInit(True)
  private val clusterDomain = ClockDomain.current
  private val coreDomain = clusterDomain.copy(reset = coreReset)
  val cpu = coreDomain(new Cpu(config, clusterDomain))
  cpu.io.resetVector := externalResetVector
  cpu.io.interrupts := externalInterrupts
  if (config.debug) cpu.io.jtag <> jtag

  val data = DataBridge(p, cpu.io.data.p, config.memoryMapping)
  val instructions = InstructionBridge(p, cpu.io.instructions.p, config.memoryMapping)
  data.io.bus <> cpu.io.data
  instructions.io.bus <> cpu.io.instructions
  cpu.io.storesDrained := data.io.storesDrained
  coreReset := cpu.io.debugReset || coreReset && !(data.io.idle && instructions.io.idle)

  val outside = PeripheralPort(2)
  outside.io.masters(0) <> data.io.peripheral
  outside.io.masters(1) <> instructions.io.peripheral
  outside.io.bus <> peripheral

  val dmaPort = DmaPort(p)
  dmaPort.io.bus <> dma

  val fabric = Fabric(FabricParameter(
    memory = p, dram = dram,
    cores = Seq(DataBridge.node(p), InstructionBridge.node(p)),
    units = Seq(DmaPort.node(p)),
    cacheBytes = config.sharedCacheBytes, generalSlots = config.sharedCacheSlots, snoop = config.coherent))
  val coreLock = CoreLock(DataBridge.node(p))
  coreLock.io.up << data.io.memory
  fabric.io.cores(0) << coreLock.io.down
  data.io.blockExclusive := coreLock.io.blockExclusive
  coreLock.io.exclusivePending := data.io.exclusivePending
  coreLock.io.lock.request := False
  fabric.io.cores(1) << instructions.io.memory
  fabric.io.units(0) << dmaPort.io.memory
  data.io.invalidate << fabric.io.invalidate
  fabric.io.invalidated << data.io.invalidated
  data.io.reservationBreak << fabric.io.reservationBreak
  data.io.drain := False
  cpu.io.command.response.setIdle()

  for (k <- 0 until dram.stripes) {
    Cluster.join(dram_read(k), fabric.io.reads(k))
    Cluster.join(dram_write(k), fabric.io.writes(k))
  }
}

object Cluster {
  /** Width of the ports' word addresses, whatever the size of main memory. */
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
