package heapwire.core

import spinal.core._
import spinal.lib._
import vexriscv.plugin.CsrInterface

/** The trigger module (RISC-V debug specification 0.13.2, chapter 5): `count` triggers of type `mcontrol`. Their only
  * action is to enter Debug Mode before the instruction at the address in `tdata2` is executed.
  *
  * Only Debug Mode may arm them. `tdata1`, whose fields are WARL, is therefore one bit: either all that it takes to
  * stop M-mode at an address, or nothing. A debugger that requests anything else, such as a watchpoint, reads back that
  * it did not get it.
  */
class DebugTriggers(count: Int, csr: CsrInterface, debugMode: Bool, pc: UInt) extends Area {
  import DebugTriggers._

  val select = Reg(UInt(log2Up(count) max 1 bits)) init 0
  val armed = Vec.fill(count)(RegInit(False))
  val address = Vec.fill(count)(Reg(UInt(30 bits)))
  val hit = armed.zip(address).map { case (on, at) => on && at === pc(31 downto 2) }.orR

  // The index of a trigger that does not exist is not stored; this is how a debugger counts the triggers.
  csr.onWrite(Select) {
    val index = csr.writeData().asUInt
    when(index < count) { select := index.resized }
  }
  csr.r(Select, 0 -> select)

  private def chosen(i: Int) = Bool(count == 1) || select === i
  csr.onWrite(Data1) {
    val asked = csr.writeData()
    val arms = asked(31 downto 27) === B(Type << 1 | 1, 5 bits) &&
      asked(15 downto 0) === B(1 << Action | 1 << MachineMode | 1 << Execute, 16 bits)
    for (i <- 0 until count) when(debugMode && chosen(i)) { armed(i) := arms }
  }
  private val on = if (count == 1) armed(0) else armed.read(select)
  csr.r(Data1, 28 -> B(Type, 4 bits), DebugModeOnly -> on, Action -> on, MachineMode -> on, Execute -> on)

  csr.onWrite(Data2) {
    for (i <- 0 until count) when(debugMode && chosen(i)) { address(i) := csr.writeData()(31 downto 2).asUInt }
  }
  csr.r(Data2, 2 -> (if (count == 1) address(0) else address.read(select)))
}

object DebugTriggers {
  val Select = 0x7a0
  val Data1 = 0x7a1
  val Data2 = 0x7a2
  /** The type code of `mcontrol`, and its bits. */
  val Type = 2
  val DebugModeOnly = 27
  val Action = 12
  val MachineMode = 6
  val Execute = 2
}
