package heapwire.core

import spinal.core._
import spinal.lib._

/** One custom-0 or custom-1 instruction, with its operands. */
case class CommandRequest() extends Bundle {
  /** Custom-1: an instruction of the fields of messages. */
  val field = Bool()
  /** The core waits for no answer. */
  val posted = Bool()
  val kind = Bits(3 bits)
  val function = Bits(7 bits)
  val rs1, rs2 = Bits(32 bits)
}

/** The border between the core's pipeline (master) and the command front end.
  *
  *  - `request` fires once for every executed instruction, never speculatively. The next
  *    one fires only after the `response`; one that is `posted` has none and may be followed at once.
  *  - `response` is the value of rd; its payload stands until the next request.
  *  - `reading`: what may be requested in this cycle is a `result`. Whether it is comes later.
  *  - `trap` fires when the core enters or leaves a trap handler.
  *  - `interrupt` is a level: an enabled interrupt or a debugger wants the core.
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
