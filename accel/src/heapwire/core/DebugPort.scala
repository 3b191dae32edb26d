package heapwire.core

import spinal.core._
import spinal.lib._
import spinal.lib.com.jtag.Jtag
import spinal.lib.cpu.riscv.debug._

/** How a debugger reaches the debug module: not at all, through four JTAG pins and a TAP of the cluster's own, or
  * through the user instructions of an ECP5's TAP.
  */
sealed abstract class DebugTransport(val name: String)
object DebugTransport {
  case object NoDebug extends DebugTransport("none")
  case object Tap extends DebugTransport("tap")
  case object Ecp5 extends DebugTransport("ecp5")
  val all: Seq[DebugTransport] = Seq(NoDebug, Tap, Ecp5)

  def named(name: String): DebugTransport = all.find(_.name == name).getOrElse(
    throw new IllegalArgumentException(s"no debug transport '$name': choose one of ${all.map(_.name).mkString(", ")}"))

  /** The IDCODE of the cluster's own TAP: version 1, part `HW`, no manufacturer (0x7ff). */
  val IdCode: Long = 1L << 28 | 0x4857L << 12 | 0x7ffL << 1 | 1
}

/** SpinalHDL's RISC-V debug module (0.13.2, 2 words of program buffer) with its transport, for one hart. There is no
  * system bus: the hart accesses memory for the debugger, who thus sees what the hart sees.
  *
  * Every signal of `hart` passes a register here. `ndmreset` is a level. It does not reset anything in this component;
  * `dmactive` resets the debug module.
  */
case class DebugPort(transport: DebugTransport) extends Component {
  require(transport != DebugTransport.NoDebug, "a debug port needs a transport")
  val io = new Bundle {
    val jtag = (transport == DebugTransport.Tap) generate slave(Jtag())
    val jtagg = (transport == DebugTransport.Ecp5) generate slave(Jtagg())
    val hart = master(DebugHartBus())
    val ndmreset = out Bool ()
  }

  private val dtm = DebugTransportModuleParameter(addressWidth = 7, version = 1, idle = 7)
  val module = DebugModule(DebugModuleParameter(version = dtm.version + 1, harts = 1, progBufSize = 2, datacount = 1,
      hartsConfig = Seq(DebugModuleCpuConfig(xlen = 32, flen = 0, withFpuRegAccess = false))))

  val tap = (transport == DebugTransport.Tap) generate {
    val tap = DebugTransportModuleJtagTap(dtm, debugCd = ClockDomain.current, jtagId = DebugTransport.IdCode.toInt)
    tap.io.jtag <> io.jtag
    tap.io.bus <> module.io.ctrl
    tap
  }
  val ecp5 = (transport == DebugTransport.Ecp5) generate {
    val ecp5 = Ecp5Transport(dtm)
    ecp5.io.jtagg <> io.jtagg
    ecp5.io.bus <> module.io.ctrl
    ecp5
  }

  private val inner = module.io.harts(0)
  inner.halted := RegNext(io.hart.halted) init False
  inner.running := RegNext(io.hart.running) init False
  inner.unavailable := RegNext(io.hart.unavailable) init True
  inner.haveReset := RegNext(io.hart.haveReset) init False
  inner.exception := RegNext(io.hart.exception) init False
  inner.commit := RegNext(io.hart.commit) init False
  inner.ebreak := RegNext(io.hart.ebreak) init False
  inner.redo := RegNext(io.hart.redo) init False
  inner.regSuccess := False
  inner.hartToDm <-< io.hart.hartToDm
  inner.resume.rsp <-< io.hart.resume.rsp
  io.hart.resume.cmd <-< inner.resume.cmd
  io.hart.dmToHart <-< inner.dmToHart
  io.hart.haltReq := RegNext(inner.haltReq) init False
  io.hart.ackReset := RegNext(inner.ackReset) init False
  io.ndmreset := RegNext(module.io.ndmreset) init False
}
