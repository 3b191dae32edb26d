package heapwire.memory

import heapwire.isa.{Instruction, RuntimeRegister, Status}
import spinal.core._
import spinal.lib._

/** One operation with its arguments, as the front end hands it to a unit. */
case class UnitCommand(tagWidth: Int) extends Bundle {
  val tag = UInt(tagWidth bits)
  val operation = Bits(7 bits)
  /** Undefined for a unit that looks its arguments up ([[ArgumentPort]]). */
  val arguments = Vec.fill(Instruction.ArgumentWords)(Bits(32 bits))
}

/** The argument look-up of a unit, which is the master: `word` is argument `index` of the command that the unit is
  * offered, in the same cycle.
  */
case class ArgumentPort() extends Bundle with IMasterSlave {
  val index = UInt(log2Up(Instruction.ArgumentWords) bits)
  val word = Bits(32 bits)

  override def asMaster(): Unit = {
    out(index)
    in(word)
  }
}

/** The outcome of a command. */
case class UnitCompletion(tagWidth: Int) extends Bundle {
  val tag = UInt(tagWidth bits)
  val status = Bits(Status.Width bits)
  val results = Vec.fill(Instruction.ResultWords)(Bits(32 bits))
}

/** A write of one runtime register. A unit also discards every descriptor that it has cached. */
case class RegisterWrite() extends Bundle {
  val index = UInt(log2Up(RuntimeRegister.Count) bits)
  val value = Bits(32 bits)
}

/** Level signals for the cycles they describe; the front end counts them. */
case class UnitActivity() extends Bundle {
  /** A command is under way. */
  val busy = Bool()
  /** Only a missing read keeps the unit from continuing. */
  val readStall = Bool()
  /** During `readStall`: the missing read is of a descriptor table. */
  val tableStall = Bool()
  /** Only a write keeps the unit from continuing. */
  val writeStall = Bool()
}

/** The interface between the command front end (master) and a unit (slave).
  *
  *  - `command`: a unit may take a command before the previous one has completed, or one at a time.
  *  - `completion` is offered only when every write of the command is acknowledged, and therefore visible to the core,
  *    and no request of the command is in flight. A unit may begin to work on the next command before. Until then that
  *    one only reads, and what was read ahead for the one before may still come; nobody takes it.
  *  - `registers` may fire at any time. Software writes them while the units are idle.
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
