package heapwire.protobuf.engine.fields

import heapwire.isa.{DescriptorLayout, FieldInstruction, Status}
import heapwire.memory.{FieldPort, UnitActivity}
import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.message.{CurrentField, OpenMessage}
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.FieldsProgram
import heapwire.protobuf.engine.read.FoundField
import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** The sequence that is open, and its current instruction.
  *
  * A command that comes while nothing is queued ends the sequence, and so does an instruction that opens another one.
  * The same program handles both: it drops what is under way and closes the sequence; then the command, or the
  * instruction, begins.
  *
  * @param outputFull the output became full
  * @param activity   what the engine does
  */
class FieldSequence(port: FieldPort, instructions: FieldInstructions, execution: Execution,
    command: Command, message: OpenMessage, current: CurrentField, outputFull: Bool, activity: UnitActivity)
    extends Area {
  import FieldInstruction._
  import current.facts
  import execution._
  import instructions.{commandWaits, due, entrance, first, head, open, pops, queue, quiet, resting, turns, waiting}
  private val atHand, answerDue = RegInit(False)
  /** The current instruction found no open sequence. */
  private val begun = Reg(Bool())

  // ---- the table entry that is made of the instruction ------------------------------------------------
  private def make(field: FoundField, entry: TableEntry, facts: TypeFacts): Unit = {
    import DescriptorLayout.{Entry, Field, Presence}
    def set(of: Field, value: Bits): Unit = entry.bits(8 * of.offset + of.bit, of.width bits) := value.resize(of.width)
    val packs = head.repeated && head.flag && facts.packable
    val wireType = packs ? B(2, 3 bits) | facts.wireType
    entry.bits.clearAll()
    set(Entry.Key, result(28 downto 0).asBits ## wireType)
    set(Entry.Type, head.fieldType.asBits)
    set(Entry.Repeated, head.repeated.asBits)
    set(Entry.CheckUtf8, (head.flag && facts.isString).asBits)
    set(Entry.Packed, (head.flag && !facts.isString).asBits)
    set(Entry.PresenceKind,
      head.repeated ? B(Presence.Reference, Entry.PresenceKind.width bits) |
        B(Presence.Always, Entry.PresenceKind.width bits))
    field.known := True
    field.wireType := wireType
    field.alone := False
    field.status := Status.Ok.code
  }
  private val numberTooLarge = Reg(Bool())
  when(does(Act.makeEntry)) {
    make(current.key, current.entry, current.loadedFacts)
    current.valid := True
    current.fresh := True
    current.packed := False
    numberTooLarge := result(31 downto 29).orR
    // The alignment of the slot, which holds a reference or a scalar.
    message.context.alignLog2 := (head.repeated || head.fieldType === Raw) ? U(2, 2 bits) | current.loadedFacts.log2Size
  }
  private val nests = facts.isMessage || facts.isGroup
  private val scalar = facts.packable && (!head.flag || head.repeated)
  private val raw = !facts.known && head.fieldType === Raw && !head.repeated && !head.flag
  /** The instruction is allowed in this sequence, with the current entry. */
  private val legal =
    (facts.isString || scalar ||
      (command.writing ? (nests && !head.repeated || raw) | (nests && head.repeated && !head.flag))) &&
      head.is(Serfield) === command.writing && !(command.writing && is(Flag.settled))

  // ---- when an instruction begins and ends --------------------------------------------------------------
  // Unless a live sequence continues, nothing is written and no value is read.
  when(!is(Flag.live)) {
    when(first.is(Serfield)) { entrance := address(FieldsProgram.Next) }
    when(first.is(Parfield)) { entrance := address(FieldsProgram.Failed) }
  }
  private val goesOn = is(Flag.live) && !is(Flag.settled)
  due := resting && (waiting || quiet && (commandWaits || port.flush && goesOn))
  turns := due && !command.trap && !outputFull
  when(command.begins) { open := command.byField }
  when(command.byField) { begun := True }
  when(waiting && (turns || command.byField)) {
    atHand := True
    answerDue := head.kind.msb
  }
  when(does(Act.nextRequest)) {
    begun := False
    resting := True
  }
  // A fault in the cycle in which the program begins to rest also wakes it.
  when(turns || command.trap || outputFull) { resting := False }
  when(does(Act.nextRequest) || does(Act.closeSequence)) { atHand := False }
  when(does(Act.closeSequence)) { open := False }
  // If an earlier instruction failed, `seroutput` stays in the queue: the fault does not belong to the sequence that it
  // opens.
  pops := does(Act.nextRequest) && atHand && !(command.killing && head.is(Seroutput) && !begun)
  when(pops) { queue.taken := queue.taken + 1 }

  private val answers = does(Act.answer) || does(Act.answerStatus)
  when(answers) { answerDue := False }
  port.response.valid := RegNext(answers) init False
  port.response.payload := RegNextWhen(does(Act.answerStatus) ? command.status.resize(32) | result.asBits, answers)
  port.parsing := !((command.idle || resting) && quiet && !commandWaits)
  port.settled := !port.parsing && (command.idle || !goesOn) && !port.response.valid
  port.activity.busy := open && !(resting && !is(Flag.live))
  port.activity.readStall := open && activity.readStall
  port.activity.tableStall := False
  port.activity.writeStall := open && activity.writeStall

  val words: Map[Outside, Bits] =
    Map(Outside.argument -> (open ? instructions.operand | command.words(Outside.argument)))
  val conditions: Map[Cond, Bool] = Map(Cond.begun -> begun, Cond.answerDue -> answerDue,
    Cond.illegal -> RegNext(!legal), Cond.numberTooLarge -> numberTooLarge)
}
