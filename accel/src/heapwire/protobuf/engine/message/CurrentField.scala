package heapwire.protobuf.engine.message

import heapwire.isa.DescriptorLayout.Presence
import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.read._
import heapwire.protobuf.engine.write.ScannerPorts
import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** The current field of the open message, and the step that it becomes. When messages are written, the field is that of
  * the scanner.
  *
  * @param granule what the cache returns: the entry of a field
  * @param made    the type of the entry that is made of a field instruction
  */
class CurrentField(execution: Execution, command: Command, message: OpenMessage, window: Window, lookup: FieldLookup,
    scanner: ScannerPorts, granule: Bits, made: Option[UInt]) extends Area {
  import execution.{does, is}
  import message.context
  val key = Reg(FoundField())
  val entry = Reg(TableEntry())
  /** Facts about the type of its entry. */
  val facts = Reg(TypeFacts())
  /** `valid`: there is a field. `fresh`: it has not become a step yet. `packed`: its packed elements are coming. */
  val valid, fresh, packed = RegInit(False)
  /** Fields are carried out as they come. Otherwise the microprogram is in control. */
  val stepping = RegInit(False)
  val step = Reg(FieldStep())
  val stepValid = RegInit(False)
  /** The step is done. `stores`: its value, or its presence, is to be stored. `stored`: its value is. Assigned by those
    * who carry it out.
    */
  val stepTaken, stores, stored = Bool()
  /** Where the text begins that is being copied: an error in it is found when another step is current. */
  private val textPosition = RegNextWhen(step.position, does(Act.copyText) || does(Act.checkText))

  // ---- items of the window are keys, which are looked up, and values ---------------------------------------
  /** Everything that was read ahead is dropped. */
  private val dropAhead = command.killing || does(Act.pauseStream) || command.begins
  private val item = window.io.item
  private val isKey = item.kind === ItemKind.Key
  lookup.io.key.valid := item.valid && isKey
  lookup.io.key.payload := item.payload
  // A value every other cycle, so that nothing that happens to a step reaches the window in the same cycle.
  val raw = item.throwWhen(isKey).map(RawValue(_)).halfPipe(flush = dropAhead)
  // Keys and values have separate back-pressure; an item goes one of the two ways.
  item.ready.removeAssignments() := isKey ? lookup.io.key.ready | !raw.valid
  lookup.io.context := context.lookup
  lookup.io.ready := context.ready
  lookup.io.bypass := message.skipping
  lookup.io.kill := dropAhead

  // ---- the step ---------------------------------------------------------------------------------------------
  val alone = valid && fresh && !packed && key.alone
  private val load = (!stepValid || stepTaken) &&
    (alone || raw.valid && (raw.kind === ItemKind.End || valid && Mux(raw.element, packed, fresh)))
  raw.ready := load && !alone
  private val left = RegNext(window.io.left)
  private val next = FieldStep(key, entry, facts, raw.payload, alone, message.skipping, context.native, context.wide,
    window.io.position, left, command.inSequence, command.viewsFrom)
  when(load && !command.killing) {
    step := next
    when(!(raw.kind === ItemKind.End && !alone)) { fresh := False }
  }
  // A command begins with a step of its own, which is taken when the command's message has begun.
  stepValid := (stepValid && !stepTaken || load || command.begins) && !command.killing
  lookup.io.takes := !valid || stepValid && !packed && step.action === Action.Scalar
  lookup.io.found.ready := !valid || stored && !packed && !fresh || packed && !(raw.valid && raw.element) && !stepValid
  // Entries come from the cache, or are made of a field instruction.
  private val loaded = TableEntry()
  loaded.bits := granule
  private val makes = does(Act.makeEntry)
  private val code = CombInit(loaded.fieldType)
  /** Facts about the type of the entry that comes. */
  val loadedFacts = TypeFacts(code)
  // A field that was taken, or whose elements have all come, is finished. Its registers may then hold an entry that is
  // not found yet.
  private val finds = lookup.io.found.ready && lookup.io.busy
  private val loads = finds || scanner.load
  when(loads) { entry := loaded }
  when(loads || makes) { facts := loadedFacts }
  // If the field is fresh it is already the next one.
  when(stepTaken && !packed && !fresh && step.action =/= Action.End || does(Act.release) || does(Act.enterAndRelease)) {
    valid := False
  }
  when(finds) { key := lookup.io.found.payload }
  when(lookup.io.found.fire) {
    valid := True
    fresh := True
    packed := False
  }
  for (fieldType <- made) when(makes) { code := fieldType }
  when(command.killing || command.begins) {
    valid := False
    packed := False
  }
  when(command.begins) { step.position := 0 }
  when(does(Act.readPacked)) { packed := True }

  /** The step's case word, `which` or has-flag is still to be written. */
  val presenceDue = step.presence && !is(Flag.presenceDone)
  /** Bytes (log2) of a scalar or of an element, when messages are written. */
  val slotLog2 = message.native ? entry.sizeLog2 | facts.log2Size
  private val atCase = command.writing ? scanner.atCase | presenceDue
  /** The address of its slot or case word. */
  val place = message.address + (atCase ? entry.caseOffset | (scanner.atNext ? loaded.offset | entry.offset))

  private val elementBytes = UInt(16 bits)
  elementBytes := (U(1, 4 bits) |<< step.log2Size).resize(16)
  when(facts.isString) { elementBytes := (entry.pointer && !entry.fixedLength) ? U(4, 16 bits) | entry.elementSize }
  when(facts.isMessage) { elementBytes := entry.maxCount }
  private val runCount = (step.value(31 downto 2) |>> facts.log2Size.lsb.asUInt).asUInt
  val words: Map[Outside, Bits] = Map(
    Outside.value -> step.value(31 downto 0), Outside.entry2 -> entry.bits(95 downto 64),
    Outside.number -> key.number.resize(32).asBits,
    Outside.position -> (command.faultAtText ? textPosition | step.position).asBits,
    Outside.runEnd -> step.runEnd.asBits,
    Outside.elementBytes -> (message.native ? elementBytes.resize(30) | runCount).resize(32).asBits)
  /** Of these words only one half is used, and only by the adder. */
  val halves: Map[Outside, Bits] =
    Map(Outside.entry1 -> entry.bits(63 downto 32), Outside.entry3 -> entry.bits(127 downto 96))
  private val fixedRun = facts.packable && facts.wireType(0) && !step.noLength && !message.native &&
    step.value(1 downto 0) === 0 && !(facts.log2Size.lsb && step.value(2)) && !command.inSequence
  private val nests = facts.isMessage || facts.isGroup
  private val isScalar =
    (step.action === Action.Scalar || step.action === Action.Ignore) && !(command.inSequence && !stepValid)
  val conditions: Map[Cond, Bool] = Seq(
    Cond.repeated -> entry.repeated, Cond.inOneof -> entry.inOneof,
    Cond.enumAtHand -> (!entry.inOneof && entry.caseOffset =/= 0), Cond.isGroup -> facts.isGroup,
    Cond.checkEnum -> step.checkEnum, Cond.isElement -> step.element, Cond.isScalar -> isScalar,
    Cond.noLength -> step.noLength, Cond.longLength -> step.value(31 downto 16).orR, Cond.fixedRun -> fixedRun,
    Cond.isSkip -> (step.action === Action.SkipBytes), Cond.isGroupStart -> (step.action === Action.GroupStart),
    Cond.isGroupEnd -> (step.action === Action.GroupEnd), Cond.pointer -> entry.pointer,
    Cond.fixedCount -> entry.fixedCount, Cond.fixedLength -> entry.fixedLength, Cond.isText -> facts.isText,
    Cond.isString -> facts.isString, Cond.isMessage -> facts.isMessage, Cond.presenceDue -> presenceDue,
    Cond.referred -> (entry.pointer && (!entry.repeated || facts.isString && !entry.fixedLength)),
    Cond.checkUtf8 -> entry.checkUtf8, Cond.isImplicit -> (entry.presence === Presence.Implicit),
    Cond.required -> (entry.presence === Presence.Required), Cond.packable -> facts.packable,
    Cond.asPacked -> entry.packed, Cond.asBytes -> facts.wireType(0), Cond.elementWide0 -> slotLog2(0),
    Cond.elementWide1 -> slotLog2(1)).map { case (cond, holds) => cond -> RegNext(holds) }.toMap
  val ofInstruction: Map[Cond, Bool] = Map(Cond.stepReady -> stepValid,
    Cond.stepFails -> RegNext(step.action === Action.Fail), Cond.isRaw -> RegNext(!facts.known),
    Cond.nests -> RegNext(nests))
}
