package heapwire.memory

import spinal.core._
import spinal.lib._

/** One [[heapwire.isa.FieldInstruction]], with its operands. */
case class FieldRequest() extends Bundle {
  val kind = Bits(2 bits)
  val function = Bits(7 bits)
  val rs1, rs2 = Bits(32 bits)
}

/** The interface between the command front end (master) and the unit of the field instructions (slave).
  *
  *  - `request`: instructions in program order.
  *  - `response`: rd of `parfield` and `chksuccess`, one for each of them. The master sends no other request before it.
  *  - `settled`: no request is under way, and every write is acknowledged and therefore visible to the core.
  *    `chksuccess`, except with Take, is sent only then.
  *  - `parsing`: the last parsed value is still being stored. `parfield` and `chksuccess` with Take are sent only when
  *    it is low, and are answered within the time of a few reads.
  *  - `flush` (level): the master waits for `settled`, so the unit sends what it has gathered.
  *  - `registers` may fire at any time. Software writes them while no sequence is open.
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
