package heapwire.protobuf.engine

import heapwire.isa.{DescriptorLayout, FieldInstruction, Status}
import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** A field instruction without its operands. */
case class FieldHead() extends Bundle {
  val kind = Bits(2 bits)
  val function = Bits(7 bits)

  def is(of: FieldInstruction.Kind): Bool = kind === of.funct3
  def fieldType: UInt = function(4 downto 0).asUInt
  def repeated: Bool = function(FieldInstruction.RepeatedBit)
  def flag: Bool = function(FieldInstruction.FlagBit)
}

/** The field instructions at the engine's second port ([[FieldInstruction]]; docs/reference/units/protobuf_fields.md):
  * a queue, and what the program needs to know of the current instruction. The program carries out each instruction to
  * its end, from the entrance for its kind and function, and rests in between.
  *
  *  - `open`: the engine has a sequence, or the rest of one, and is not idle. A first instruction begins like a
  *    command.
  *  - A command that comes while nothing is queued ends the sequence, and so does an instruction that opens another
  *    one. The same program handles both: it drops what is under way and closes the sequence; then the command, or the
  *    instruction, begins.
  */
class EngineFields(engine: Engine) extends Area {
  import engine._
  import FieldInstruction._
  private val port = io.fields

  /** Operands are in one memory, which takes two cycles per instruction: rs1, then rs2. */
  val queue = new Area {
    private val width = log2Up(p.fieldQueue)
    val put, taken = Reg(UInt(width + 1 bits)) init 0
    val second = RegInit(False)
    /** An instruction is in the queue, or its first half. */
    val any = put =/= taken || second
    private val room = (put ^ taken) =/= p.fieldQueue
    private val writes = port.request.valid && room
    val operands = Mem(Bits(32 bits), 2 * p.fieldQueue).addAttribute("ram_style", "distributed")
    val heads = Mem(FieldHead(), p.fieldQueue).addAttribute("ram_style", "distributed")
    private val head = FieldHead()
    head.kind := port.request.kind
    head.function := port.request.function
    operands.write(put.resize(width) @@ second, second ? port.request.rs2 | port.request.rs1, writes)
    heads.write(put.resize(width), head, writes)
    port.request.ready := room && second
    when(writes) { second := !second }
    when(port.request.fire) { put := put + 1 }
    val first = taken.resize(width)
  }
  private val first = queue.heads.readAsync(queue.first)
  /** `head`: the next instruction; `waiting`: there is one. */
  val head = RegNext(first)
  private val pops = Bool()
  val waiting = RegNext(queue.any && !pops) init False
  def operand(second: Bool): Bits = queue.operands.readAsync(queue.first @@ second)

  val open, resting, atHand, answerDue = RegInit(False)
  /** The current instruction found no open sequence. */
  val begun = Reg(Bool())
  val quiet = !queue.any && !port.request.valid
  /** `due`: an instruction, or an event without one, is due. `turns`: its program begins. */
  val due, turns = Bool()
  /** The instruction opens an output. */
  val toWrite = head.is(Seroutput) && head.function === SetUp.Output

  /** Where the program of the instruction begins. Two events come without an instruction: a command, and the request
    * that all writes reach memory.
    */
  private val asked = first.function(6 downto 3).orR ? U(7, 3 bits) | first.function(2 downto 0).asUInt
  private val asInstruction =
    Vec(for (kind <- 0 until 4; function <- 0 until 8) yield address(FieldsProgram.entrance(kind, function)))(
      first.kind.asUInt @@ asked)
  val entrance = RegNext(asInstruction)
  private val next = waiting ? entrance |
    (io.port.command.valid ? address(FieldsProgram.Leave) | address(FieldsProgram.Settle))
  /** Where the program continues: at the next entrance if it rests; otherwise it is carrying out a field, which is then
    * done.
    */
  val target = resting ? next | address(FieldsProgram.Done)

  // ---- the table entry that is made of the instruction ------------------------------------------------
  private def make(field: FoundField, entry: TableEntry, facts: TypeFacts): Unit = {
    import DescriptorLayout.{Entry, Field, Presence}
    def set(of: Field, value: Bits): Unit = entry.bits(8 * of.offset + of.bit, of.width bits) := value.resize(of.width)
    val packs = head.repeated && head.flag && facts.packable
    val wireType = packs ? B(2, 3 bits) | facts.wireType
    entry.bits.clearAll()
    set(Entry.Key, registers.result(28 downto 0).asBits ## wireType)
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
  val numberTooLarge = Reg(Bool())
  /** The instruction is allowed in this sequence, with the current entry. */
  val legal = Bool()

  /** Connects what needs the rest of the engine. */
  def connect(): Unit = {
    val nests = facts.isMessage || facts.isGroup
    val scalar = facts.packable && (!head.flag || head.repeated)
    val raw = !facts.known && head.fieldType === Raw && !head.repeated && !head.flag
    legal :=
      (facts.isString || scalar ||
        (command.writing ? (nests && !head.repeated || raw) | (nests && head.repeated && !head.flag))) &&
        head.is(Serfield) === command.writing && !(command.writing && is(Flag.settled))
    when(does(Act.makeEntry)) {
      make(at.field, at.entry, at.loadedFacts)
      at.valid := True
      at.fresh := True
      at.packed := False
      numberTooLarge := registers.result(31 downto 29).orR
      // The alignment of the slot, which holds a reference or a scalar.
      context.alignLog2 := (head.repeated || head.fieldType === Raw) ? U(2, 2 bits) | at.loadedFacts.log2Size
    }

    // Unless a live sequence continues, nothing is written and no value is read.
    when(!is(Flag.live)) {
      when(first.is(Serfield)) { entrance := address(FieldsProgram.Next) }
      when(first.is(Parfield)) { entrance := address(FieldsProgram.Failed) }
    }
    val goesOn = is(Flag.live) && !is(Flag.settled)
    due := resting && (waiting || quiet && (io.port.command.valid || port.flush && goesOn))
    turns := due && !quick.trap && !quick.outputFull
    val takes = waiting && (turns || command.byField)
    when(command.begins) { open := command.byField }
    when(command.byField) { begun := True }
    when(takes) {
      atHand := True
      answerDue := head.kind.msb
    }
    when(does(Act.nextRequest)) { begun := False }
    when(does(Act.nextRequest)) { resting := True }
    // A fault in the cycle in which the program begins to rest also wakes it.
    when(turns || quick.trap || quick.outputFull) { resting := False }
    when(does(Act.nextRequest) || does(Act.closeSequence)) { atHand := False }
    when(does(Act.closeSequence)) {
      open := False
      engine.flags(Flag.live.index) := False
    }
    // If an earlier instruction failed, `seroutput` stays in the queue: the fault does not belong to the sequence that
    // it opens.
    pops := does(Act.nextRequest) && atHand && !(command.killing && head.is(Seroutput) && !begun)
    when(pops) { queue.taken := queue.taken + 1 }

    val answers = does(Act.answer) || does(Act.answerStatus)
    when(answers) { answerDue := False }
    port.response.valid := RegNext(answers) init False
    port.response.payload :=
      RegNextWhen(does(Act.answerStatus) ? command.status.resize(32) | registers.result.asBits, answers)
    port.parsing := !((command.idle || resting) && quiet && !io.port.command.valid)
    port.settled := !port.parsing && (command.idle || !goesOn) && !port.response.valid
    port.activity.busy := open && !(resting && !is(Flag.live))
    port.activity.readStall := open && io.port.activity.readStall
    port.activity.tableStall := False
    port.activity.writeStall := open && io.port.activity.writeStall
  }
  /** Returns whether the program begins to rest. */
  def halts: Bool = does(Act.nextRequest) || does(Act.closeSequence)
}
