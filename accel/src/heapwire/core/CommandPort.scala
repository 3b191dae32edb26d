package heapwire.core

import spinal.core._
import spinal.lib._

/** One custom-0 or custom-1 instruction, with its operands. */
case class CommandRequest() extends Bundle {
  /** A custom-1 instruction ([[heapwire.isa.FieldInstruction]]); otherwise custom-0. */
  val field = Bool()
  /** The core does not wait for an answer. */
  val posted = Bool()
  val kind = Bits(3 bits)
  val function = Bits(7 bits)
  val rs1, rs2 = Bits(32 bits)
}

/** The interface between the core's pipeline (master) and the command front end.
  *
  *  - `request` fires once for every executed instruction, never speculatively. The next one fires only after the
  *    `response`. A `posted` request has no response, and the next request may follow at once.
  *  - `response` is the value of rd. Its payload is stable until the next request.
  *  - `reading`: a request in this cycle, if there is one, is a `result`. It is known earlier than `request.valid`.
  *  - `trap` fires when the core enters or leaves a trap handler.
  *  - `interrupt` (level): an enabled interrupt or a debugger wants the core.
  */
case class CommandPort() extends Bundle with IMasterSlave {
  val request = Flow(CommandRequest())
  val response = Flow(Bits(32 bits))
  val reading = Bool()
  val trap = Bool()
  val interrupt = Bool()

  override def asMaster(): Unit = {
    master(request)
    slave(response)
    out(reading, trap, interrupt)
  }
}
