package heapwire.memory

import spinal.core._
import spinal.lib._

/** One [[heapwire.isa.FieldInstruction]], with its operands. */
case class FieldRequest() extends Bundle {
  val kind = Bits(2 bits)
  val function = Bits(7 bits)
  val rs1, rs2 = Bits(32 bits)
}

/** The border between the command front end (master) and the unit of the field
  * instructions (slave).
  *
  *  - `request`: instructions in program order.
  *  - `response`: rd of `parfield` and `chksuccess`, one after each of them; no other
  *    request comes before it.
  *  - `settled`: no request is under way, every write is acknowledged, and therefore
  *    visible to the core. `chksuccess`, but for Take, comes only then.
  *  - `parsing`: what was parsed last is still being stored. `parfield` and Take come
  *    only when it is low, and are answered within the time of some reads.
  *  - `flush` (level): somebody waits for `settled`: send what is gathered.
  *  - `registers` may fire at any time; software writes them while no sequence is open.
  */
case class FieldPort() extends Bundle with IMasterSlave {
  val request = Stream(FieldRequest())
  val response = Flow(Bits(32 bits))
  val registers = Flow(RegisterWrite())
  val settled, parsing, flush = Bool()
  val activity = UnitActivity()

  override def asMaster(): Unit = {
    master(request, registers)
    slave(response)
    in(settled, parsing, activity)
    out(flush)
  }
}
