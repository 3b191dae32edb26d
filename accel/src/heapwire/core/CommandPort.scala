package heapwire.core

import spinal.core._
import spinal.lib._

/** One custom-0 or custom-1 instruction, with its operands. */
case class CommandRequest() extends Bundle {
  /** Custom-1: an instruction of the fields of messages. */
  val field = Bool()
  val kind = Bits(3 bits)
  val function = Bits(7 bits)
  val rs1, rs2 = Bits(32 bits)
}

/** The border between the core's pipeline (master) and the command front end.
  *
  *  - `request` fires once for every executed instruction, never speculatively. The next
  *    one fires only after the `response`, but `stage` has no response and may be followed
  *    at once.
  *  - `response` is the value of rd.
  *  - `trap` fires when the core enters or leaves a trap handler.
  *  - `interrupt` is a level: an enabled interrupt or a debugger wants the core.
  */
case class CommandPort() extends Bundle with IMasterSlave {
  val request = Flow(CommandRequest())
  val response = Flow(Bits(32 bits))
  val trap = Bool()
  val interrupt = Bool()

  override def asMaster(): Unit = {
    master(request)
    slave(response)
    out(trap, interrupt)
  }
}
