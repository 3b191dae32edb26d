package heapwire.protobuf

import heapwire.isa.{ObjectLayout, Status}
import spinal.core._
import spinal.lib._

/** What the executor does for a token. */
object Action extends SpinalEnum {
  /** Nothing: an unknown scalar, or the end of a packed field. */
  val Ignore = newElement()
  /** Skip the bytes of an unknown field. */
  val SkipBytes = newElement()
  /** Store a scalar in its slot, or append it to its list. */
  val Scalar = newElement()
  /** A packed field begins. */
  val Packed = newElement()
  val Str, Message = newElement()
  /** An unknown group begins, or a group ends. */
  val GroupStart, GroupEnd = newElement()
  /** The message ends. */
  val End = newElement()
  /** The command ends with `status`. */
  val Fail = newElement()
}

/** A token ready for execution. */
case class FieldStep() extends Bundle {
  val action = Action()
  /** Converted to the field's type; a length in the low bits. */
  val value = Bits(64 bits)
  val repeated = Bool()
  /** Of the slot in the object. */
  val offset = UInt(16 bits)
  val log2Size = UInt(2 bits)
  val list = UInt(3 bits)
  val packedMode = ParserMode()
  val bit = UInt(9 bits)
  val hasHasbit = Bool()
  val subTable = UInt(32 bits)
  /** Field number, for groups. */
  val number = UInt(29 bits)
  val wireType = Bits(3 bits)
  val position = UInt(32 bits)
  val remaining = UInt(32 bits)
  val toInputEnd = Bool()
  val status = Bits(Status.Width bits)
}

/** Decides what a token means for the open message and converts its value.
  * `remembered` is the entry of the last field token, for the elements of a
  * packed field. Combinational.
  */
object FieldDecoder {
  def apply(found: FoundToken, remembered: TableEntry, table: TableContext, skipping: Bool): FieldStep = {
    val token = found.token
    val step = FieldStep()
    val entry = (token.kind === TokenKind.Element) ? remembered | found.entry
    val facts = TypeFacts(entry.fieldType)

    // A length stays as it is, whatever the type of the elements.
    step.value := (token.wireType === 2) ? token.value | convert(token.value, facts)
    step.repeated := entry.repeated
    step.offset := entry.offset
    step.log2Size := facts.log2Size
    step.list := facts.list
    step.packedMode := facts.wireType.mux(
      1 -> ParserMode.Packed64(),
      5 -> ParserMode.Packed32(),
      default -> ParserMode.PackedVarint())
    step.bit := entry.hasbit.resized
    step.hasHasbit := entry.hasHasbit
    step.subTable := entry.subTable
    step.number := token.number
    step.wireType := token.wireType
    step.position := token.offset
    step.remaining := token.remaining
    step.toInputEnd := token.toInputEnd
    step.status := Status.BadDescriptor.code
    step.action := Action.Fail

    val slotEnd = entry.offset +^ (U(1, 4 bits) |<< (entry.repeated ? U(2, 2 bits) | facts.log2Size))
    val alignMask = ((U(1, 4 bits) |<< (entry.repeated ? U(2, 2 bits) | facts.log2Size)) - 1).resize(3 bits)
    val misplaced = slotEnd > table.objectSize || entry.offset < ObjectLayout.Header.Size ||
      (entry.offset(2 downto 0) & alignMask) =/= 0 || (entry.hasbit >> 9) =/= 0 ||
      entry.hasHasbit && (entry.hasbit >> 5) >= table.hasbitsWords.resized

    val tooLong = token.wireType === 2 && token.value.asUInt > token.remaining
    val unpacked = token.wireType === facts.wireType
    val packed = token.wireType === 2 && facts.packable && entry.repeated

    def unknown(): Unit = {
      step.action := Action.Ignore
      when(token.wireType === 2) { step.action := Action.SkipBytes }
      when(token.wireType === 3) { step.action := Action.GroupStart }
      when(token.wireType === 4) { step.action := Action.GroupEnd }
    }

    switch(token.kind) {
      is(TokenKind.Element) {
        step.action := Action.Scalar
      }
      is(TokenKind.PackedEnd) { step.action := Action.Ignore }
      is(TokenKind.End) { step.action := Action.End }
      is(TokenKind.Field) {
        when(tooLong) {
          step.status := token.toInputEnd ? B(Status.Truncated.code, Status.Width bits) | B(Status.BadLength.code, Status.Width bits)
        } elsewhen (skipping || !found.known || token.wireType === 4) {
          unknown()
        } elsewhen (entry.unsupported || facts.isGroup && unpacked) {
          step.status := Status.Unsupported.code
        } elsewhen (!facts.known) {
          step.status := Status.BadDescriptor.code
        } elsewhen (!unpacked && !packed) {
          unknown()
        } elsewhen (misplaced) {
          step.status := Status.BadDescriptor.code
        } elsewhen (facts.isMessage) {
          step.action := Action.Message
        } elsewhen (facts.isString) {
          step.action := Action.Str
        } elsewhen (packed) {
          step.action := Action.Packed
        } otherwise {
          step.action := Action.Scalar
        }
      }
    }
    when(token.failed) {
      step.action := Action.Fail
      step.status := token.status
    }
    step
  }

  /** Zigzag and bool; a 32-bit slot takes the low half. */
  private def convert(value: Bits, facts: TypeFacts): Bits = {
    val v = value.asUInt
    val wide = facts.log2Size === 3
    val low = wide ? v | v(31 downto 0).resize(64)
    val zigzag = ((low |>> 1) ^ U(64 bits, default -> v.lsb)).asBits
    val result = CombInit(value)
    when(facts.zigzag) { result := zigzag }
    when(facts.isBool) { result := (value =/= 0).asBits.resize(64) }
    result
  }
}
