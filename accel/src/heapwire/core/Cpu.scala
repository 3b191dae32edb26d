package heapwire.core

import heapwire.memory.{BlockRam, MemoryParameter}
import spinal.core._
import spinal.lib._
import spinal.lib.cpu.riscv.debug.DebugHartBus
import vexriscv.ip.{DataCacheConfig, DataCacheMemBus, InstructionCacheConfig, InstructionCacheMemBus}
import vexriscv.plugin._
import vexriscv.{VexRiscv, VexRiscvConfig}

object Cpu {
  val LineBytes = 32
  /** The extensions in `misa`, which debuggers read: A, I, M. */
  val Extensions = 1 << 0 | 1 << 8 | 1 << 12

  def instructionCache(bytes: Int, memory: MemoryParameter) = InstructionCacheConfig(
    cacheSize = bytes, bytePerLine = LineBytes, wayCount = 1, addressWidth = 32, cpuDataWidth = 32,
    memDataWidth = memory.dataWidth, catchIllegalAccess = true, catchAccessFault = true,
    asyncTagMemory = false, twoCycleRam = false, twoCycleCache = true)

  def dataCache(bytes: Int, memory: MemoryParameter) = DataCacheConfig(
    cacheSize = bytes, bytePerLine = LineBytes, wayCount = 1, addressWidth = 32, cpuDataWidth = 32,
    memDataWidth = memory.dataWidth, catchAccessError = true, catchIllegal = true, catchUnaligned = true,
    withLrSc = true, withAmo = true, withExclusive = true, withInvalidate = true,
    pendingMax = 4) // the bridge acknowledges a store in the next cycle
}

/** The core: VexRiscv, RV32IMA with Zicsr and Zifencei, machine mode only.
  *
  * It has a single-cycle multiplier and shifter, an iterative divider, dynamic branch target prediction, both caches,
  * and its registers in block RAM. `mcycle` and `minstret` are read-only and there is no `mscratch`. Interrupt mask and
  * pending lines are at CSR 0xBC0 and 0xFC0, as LiteX has them. Addresses from 0xf0000000 on are not cached.
  *
  * `debug` is the hart's side of the RISC-V debug module (see [[DebugHartPlugin]]). The module itself is outside, where
  * a debugger's reset of the core does not affect it.
  */
class Cpu(config: ClusterConfig) extends Component {
  private val instructionCache = Cpu.instructionCache(config.instructionCacheBytes, config.memory)
  private val dataCache = Cpu.dataCache(config.dataCacheBytes, config.memory)

  val io = new Bundle {
    val resetVector = in UInt (32 bits)
    val interrupts = in Bits (32 bits)
    val instructions = master(InstructionCacheMemBus(instructionCache))
    val data = master(DataCacheMemBus(dataCache))
    val command = master(CommandPort())
    val storesDrained = in Bool ()
    val debug = config.hasDebug generate slave(DebugHartBus())
  }

  private val fetch = new IBusCachedPlugin(
    resetVector = null, prediction = DYNAMIC_TARGET, historyRamSizeLog2 = 8, relaxPredictorAddress = true,
    config = instructionCache)
  private val loadStore = new DBusCachedPlugin(
    config = dataCache, dBusRspSlavePipe = true, relaxedMemoryTranslationRegister = true, csrInfo = true)
  private val interrupts = new ExternalInterruptArrayPlugin(machineMaskCsrId = 0xbc0, machinePendingsCsrId = 0xfc0)
  // CSRs that no software uses are left out: `mscratch`, and the user-mode aliases of the counters.
  private val csr = new CsrPlugin(CsrPluginConfig.all(mtvecInit = 0x20).copy(ebreakGen = true,
      misaExtensionsInit = Cpu.Extensions,
      misaAccess = CsrAccess.READ_ONLY, mbadaddrAccess = CsrAccess.READ_ONLY, mscratchGen = false,
      mcycleAccess = CsrAccess.READ_ONLY, minstretAccess = CsrAccess.READ_ONLY, ucycleAccess = CsrAccess.NONE,
      uinstretAccess = CsrAccess.NONE))
  private val command = new CommandPlugin(fields = config.hasFields)
  private val fence = new FenceInstructionPlugin
  private val debug = config.hasDebug generate new DebugHartPlugin(config.hardwareBreakpoints)

  val core = new VexRiscv(VexRiscvConfig(List[Plugin[VexRiscv]](
      fetch,
      loadStore,
      new StaticMemoryTranslatorPlugin(ioRange = _(31 downto 28) === 0xf),
      new DecoderSimplePlugin(catchIllegalInstruction = true),
      new RegFilePlugin(regFileReadyKind = vexriscv.plugin.SYNC, zeroBoot = false),
      new IntAluPlugin,
      new SrcPlugin(separatedAddSub = false, executeInsertion = true),
      new FullBarrelShifterPlugin,
      new HazardSimplePlugin(bypassExecute = true, bypassMemory = true, bypassWriteBack = true,
        bypassWriteBackBuffer = true),
      new MulPlugin,
      new DivPlugin,
      new BranchPlugin(earlyBranch = false, catchAddressMisaligned = true),
      csr,
      interrupts,
      command,
      fence) ++ Option(debug)))

  // A register that is written while it is read is forwarded by the bypass.
  core.walkComponents(_.dslBody.walkStatements {
    case memory: Mem[_] if memory.getName().contains("regFile") => BlockRam(memory); case _ =>
  })
  fetch.externalResetVector := io.resetVector
  interrupts.externalInterruptArray := io.interrupts
  csr.timerInterrupt := False
  csr.softwareInterrupt := False
  fence.storesDrained := io.storesDrained
  io.instructions <> fetch.iBus
  io.data <> loadStore.dBus
  io.command <> command.port
  if (config.hasDebug) io.debug <> debug.bus
}
