package heapwire.core

import spinal.core._
import spinal.lib._
import spinal.lib.cpu.riscv.debug._
import vexriscv.plugin._
import vexriscv.{DecoderService, ExceptionCause, ExceptionService, IBusFetcher, JumpService, Riscv, Stageable, VexRiscv}

/** Debug Mode for VexRiscv (RISC-V debug specification 0.13.2, chapter 4), controlled by SpinalHDL's debug module over
  * its hart bus: halt, resume, `dcsr.step`, `ebreak`, execution of the debugger's instructions, and `triggers` hardware
  * breakpoints. The core's reset resets all of it.
  *
  * Where the core stops: in decode, each instruction is marked with whether, and why, the core is to stop before it. A
  * marked instruction waits in execute, where it has had no effect yet, until everything older is done. Then it is
  * flushed, and its address becomes `dpc`. Older instructions finish as they would without a debugger, including a
  * custom one that has been issued. If a marked instruction cannot get that far (it cannot be fetched or decoded, or it
  * traps in execute), its trap is dropped at the end of the pipeline, and the core stops all the same. So a loop of
  * traps can be halted, and a step never takes the trap of the instruction behind it.
  *
  * A step lets one instruction into an empty pipeline and marks everything behind it. An access that the data cache
  * replays returns unmarked, because no instruction is older then.
  *
  * In Debug Mode fetching is stopped and nothing traps. Instructions come from the debug module, one at a time.
  * `resume` jumps to `dpc` without a trap, so arguments that were staged for a command survive stops and steps.
  * `mcycle` and `minstret` keep counting. There is no `dscratch`: the module reports none (`hartinfo.nscratch` is 0).
  */
class DebugHartPlugin(triggers: Int) extends Plugin[VexRiscv] {
  import DebugHartPlugin._
  var bus: DebugHartBus = null
  private var injection: Stream[Bits] = null
  private var jump: Flow[UInt] = null
  private var illegal: Flow[ExceptionCause] = null

  object IS_EBREAK extends Stageable(Bool())
  object STOP extends Stageable(Bits(3 bits))

  override def setup(pipeline: VexRiscv): Unit = {
    bus = slave(DebugHartBus()).setName("debug")
    val decoder = pipeline.service(classOf[DecoderService])
    decoder.addDefault(IS_EBREAK, False)
    decoder.add(Riscv.EBREAK, List(IS_EBREAK -> True))
    injection = pipeline.service(classOf[IBusFetcher]).getInjectionPort()
    jump = pipeline.service(classOf[JumpService]).createJumpInterface(pipeline.stages.last)
    illegal = pipeline.service(classOf[ExceptionService]).newExceptionPort(pipeline.decode)
  }

  override def build(pipeline: VexRiscv): Unit = pipeline plug new Area {
    import pipeline._
    import pipeline.config._
    private val csr = service(classOf[CsrPlugin])
    private val fetch = service(classOf[IBusFetcher])
    private val loadStore = service(classOf[DBusCachedPlugin])
    private val last = stages.last

    val debugMode = RegInit(False)
    val step, breakpoints, stepped = RegInit(False)
    val cause = Reg(Bits(3 bits)) init 0
    val pc = Reg(UInt(32 bits))
    val haltRequest = RegNext(bus.haltReq) init False

    val haveReset = RegInit(True) clearWhen bus.ackReset
    bus.haveReset := haveReset
    bus.unavailable := ClockDomain.current.isResetActive
    bus.halted := debugMode
    bus.running := !debugMode && !bus.unavailable

    // Debug CSRs; 0x7b0 to 0x7bf exist in Debug Mode only.
    csr.r(Dcsr, 28 -> B(4, 4 bits), 15 -> breakpoints, 6 -> cause, 2 -> step, 0 -> B(3, 2 bits))
    csr.w(Dcsr, 15 -> breakpoints, 2 -> step)
    csr.r(Dpc, pc)
    csr.onWrite(Dpc) { pc := csr.writeData()(31 downto 2).asUInt @@ U"00" }
    decode plug new Area {
      import decode._
      private val code = input(INSTRUCTION)
      illegal.valid := arbitration.isValid && !debugMode && code(6 downto 0) === 0x73 && code(14 downto 12) =/= 0 &&
        code(31 downto 24) === 0x7b
      illegal.code := 2
      illegal.badAddr := code.asUInt
    }
    val trigger = new DebugTriggers(triggers, csr, debugMode, decode.input(PC))

    // Stops: an instruction is marked in decode and held in execute.
    decode plug new Area {
      import decode._
      val older = stages.dropWhile(_ != execute).map(_.arbitration.isValid).orR
      insert(STOP) := 0
      when(!debugMode) {
        when(step && (stepped || older)) { insert(STOP) := Cause.Step }
        when(haltRequest) { insert(STOP) := Cause.HaltRequest }
        when(breakpoints && input(IS_EBREAK)) { insert(STOP) := Cause.Ebreak }
        when(trigger.hit) { insert(STOP) := Cause.Trigger }
      }
    }
    execute plug new Area {
      import execute._
      val stop = arbitration.isValid && input(STOP) =/= 0
      val older = stages.dropWhile(_ != execute).tail.map(_.arbitration.isValid).orR
      arbitration.haltByOther setWhen stop
      when(stop && !older) {
        arbitration.flushIt := True
        arbitration.flushNext := True
        fetch.haltIt()
        debugMode := True
        cause := input(STOP)
        pc := input(PC)
      }
    }
    // The exception of a marked instruction, at the stage where it would become a trap.
    val dropped = last.input(STOP) =/= 0
    val exception = csr.isExceptionPending(last) || loadStore.exceptionBus.valid
    when(debugMode || dropped) { csr.inhibateException() }
    when(exception && dropped && !debugMode) {
      debugMode := True
      cause := last.input(STOP)
      pc := last.input(PC)
    }

    stepped setWhen (last.arbitration.isFiring || csr.isContextSwitching)
    when(debugMode) {
      stepped := False
      fetch.haltIt()
      csr.inhibateEbreakException()
    }
    when(debugMode || step) { csr.inhibateInterrupts() }
    // A step over WFI is a NOP. A step over a command that waits takes as long as the command.
    when(debugMode || haltRequest || step && csr.inWfi) { csr.askWake() }

    // Resume.
    val resume = RegInit(False) setWhen bus.resume.cmd.valid
    bus.resume.rsp.valid := resume
    jump.valid := resume && debugMode
    jump.payload := pc
    when(resume) {
      resume := False
      debugMode := False
      last.arbitration.flushNext := True
    }

    // Instructions of the debug module, and the word that the module exchanges with them.
    val data, instruction = Reg(Bits(32 bits))
    val pending = RegInit(False) clearWhen injection.ready
    when(bus.dmToHart.valid) {
      when(bus.dmToHart.op === DebugDmToHartOp.DATA) { data := bus.dmToHart.data }
      when(bus.dmToHart.op === DebugDmToHartOp.EXECUTE) {
        instruction := bus.dmToHart.data
        pending := True
      }
    }
    injection.valid := pending
    injection.payload := instruction
    csr.r(DebugModule.CSR_DATA, data)
    bus.hartToDm.valid := False
    bus.hartToDm.address := 0
    bus.hartToDm.data := csr.writeData()
    csr.onWrite(DebugModule.CSR_DATA) { bus.hartToDm.valid := True }

    val isEbreak = RegNext(instruction === DebugModule.ebreak())
    val done = debugMode && last.arbitration.isFiring
    bus.commit := done && !isEbreak
    bus.ebreak := done && isEbreak
    bus.exception := debugMode && exception
    bus.redo := debugMode && loadStore.redoBranch.valid
    bus.regSuccess := False
  }
}

object DebugHartPlugin {
  val Dcsr = 0x7b0
  val Dpc = 0x7b1

  /** `dcsr.cause` (section 4.8.1). */
  object Cause {
    val Ebreak = 1
    val Trigger = 2
    val HaltRequest = 3
    val Step = 4
  }
}
