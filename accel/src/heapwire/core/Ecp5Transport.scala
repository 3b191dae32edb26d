package heapwire.core

import spinal.core._
import spinal.lib._
import spinal.lib.com.jtag._
import spinal.lib.cpu.riscv.debug._

/** Pins of Lattice's JTAGG primitive, by which the ECP5's own TAP gives access to its user instructions ER1 and ER2.
  * All but `jtck` are synchronous to `jtck`. `jce` is high from Capture-DR to the end of Shift-DR.
  */
case class Jtagg() extends Bundle with IMasterSlave {
  val jtck, jtdi, jshift, jupdate, jrstn, jce1, jce2 = Bool()
  val jtdo1, jtdo2 = Bool()

  override def asMaster(): Unit = {
    out(jtck, jtdi, jshift, jupdate, jrstn, jce1, jce2)
    in(jtdo1, jtdo2)
  }
}

/** The debug transport through the ECP5's TAP. Its registers `dtmcs` and `dmi` are ER1 (0x32) and ER2 (0x38); a stock
  * OpenOCD learns this by `riscv set_ir`. (A tunnel would need only one user instruction, but OpenOCD 0.12 supports it
  * only with Xilinx' instruction.)
  */
case class Ecp5Transport(p: DebugTransportModuleParameter) extends Component {
  val io = new Bundle {
    val jtagg = slave(Jtagg())
    val bus = master(DebugBus(p.addressWidth))
  }
  private val tck = ClockDomain(io.jtagg.jtck)
  val registers = tck on new Ecp5Registers(io.jtagg)
  val logic = new DebugTransportModuleJtag(p, registers, jtagCd = tck, debugCd = ClockDomain.current)
  io.bus <> logic.systemLogic.bus
}

/** `dtmcs` (instruction 0x10 of the specification) as ER1 and `dmi` (0x11) as ER2. */
class Ecp5Registers(jtagg: Jtagg) extends Area with JtagTapFunctions {
  private def first(instruction: Int): Boolean = {
    require(instruction == 0x10 || instruction == 0x11,
      s"the ECP5 has two user instructions, and none for 0x${instruction.toHexString}")
    instruction == 0x10
  }
  private def selected(instruction: Int): Bool = if (first(instruction)) jtagg.jce1 else jtagg.jce2
  val lastSecond = Reg(Bool()) setWhen jtagg.jce2 clearWhen jtagg.jce1

  override def isCapturing(instruction: Int): Bool = selected(instruction) && !jtagg.jshift
  override def isUpdating(instruction: Int): Bool = jtagg.jupdate && lastSecond =/= Bool(first(instruction))
  override def isReseting(): Bool = !jtagg.jrstn

  override def readAndWrite[T <: Data](captureData: T, updateData: T, captureReady: Bool, updateValid: Bool)(
      instruction: Int): Area = {
    val register = new JtagTapInstructionReadWrite(captureData, updateData, captureReady)
    register.ctrl.tdi := jtagg.jtdi
    register.ctrl.enable := True
    register.ctrl.capture := isCapturing(instruction)
    register.ctrl.shift := selected(instruction) && jtagg.jshift
    register.ctrl.update := isUpdating(instruction)
    register.ctrl.reset := isReseting()
    updateValid := register.ctrl.update
    (if (first(instruction)) jtagg.jtdo1 else jtagg.jtdo2) := register.ctrl.tdo
    register
  }

  override def idcode(value: Bits)(instruction: Int): Area =
    throw new UnsupportedOperationException("IDCODE is the FPGA's")
  override def read[T <: Data](data: T, light: Boolean)(instruction: Int): Area =
    throw new UnsupportedOperationException
  override def write[T <: Data](data: T, cleanUpdate: Boolean, readable: Boolean)(instruction: Int): Area =
    throw new UnsupportedOperationException
  override def flowFragmentPush[T <: Data](sink: Flow[Fragment[Bits]], domain: ClockDomain)(instruction: Int): Area =
    throw new UnsupportedOperationException
}
