package heapwire.memory

import heapwire.isa.{Instruction, RuntimeRegister, Status}
import spinal.core._
import spinal.lib._

/** What a front end hands a unit: one operation with its arguments. */
case class UnitCommand(tagWidth: Int) extends Bundle {
  val tag = UInt(tagWidth bits)
  val operation = Bits(7 bits)
  /** Without a meaning for a unit that looks them up ([[ArgumentPort]]). */
  val arguments = Vec.fill(Instruction.ArgumentWords)(Bits(32 bits))
}

/** Arguments of the command that a unit is offered, one at a time, for a unit that looks them up: `word` is the one of `index`, in the same cycle. The unit is the master. */
case class ArgumentPort() extends Bundle with IMasterSlave {
  val index = UInt(log2Up(Instruction.ArgumentWords) bits)
  val word = Bits(32 bits)

  override def asMaster(): Unit = {
    out(index)
    in(word)
  }
}

/** How the command ended. */
case class UnitCompletion(tagWidth: Int) extends Bundle {
  val tag = UInt(tagWidth bits)
  val status = Bits(Status.Width bits)
  val results = Vec.fill(Instruction.ResultWords)(Bits(32 bits))
}

/** One runtime register changes; a unit also drops every descriptor it has cached. */
case class RegisterWrite() extends Bundle {
  val index = UInt(log2Up(RuntimeRegister.Count) bits)
  val value = Bits(32 bits)
}

/** Levels that hold in the cycles they describe; the front end counts them. */
case class UnitActivity() extends Bundle {
  /** A command is under way. */
  val busy = Bool()
  /** The unit could go on but for a read. */
  val readStall = Bool()
  /** Of the cycles of `readStall`: what is missing is a descriptor table, or an entry of one. */
  val tableStall = Bool()
  /** The unit could go on but for a write. */
  val writeStall = Bool()
}

/** The border between the command front end (master) and a unit (slave).
  *
  *  - `command`: a unit may take a command before the one before it has completed,
  *    or one at a time.
  *  - `completion` is offered only when every write of the command is acknowledged,
  *    and therefore visible to the core, and no request of it is in flight.
  *  - `registers` may fire at any time; software writes them while the units are idle.
  */
case class UnitPort(tagWidth: Int) extends Bundle with IMasterSlave {
  val command = Stream(UnitCommand(tagWidth))
  val completion = Stream(UnitCompletion(tagWidth))
  val registers = Flow(RegisterWrite())
  val activity = UnitActivity()

  override def asMaster(): Unit = {
    master(command, registers)
    slave(completion)
    in(activity)
  }
}
