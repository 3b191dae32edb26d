package heapwire.protobuf

import heapwire.isa.{ObjectLayout, Status}
import heapwire.protobuf.native.{NativeStep, NativeValue}
import spinal.core._
import spinal.lib._

/** What the executor does for a token. */
object Action extends SpinalEnum {
  /** Nothing: a scalar that is unknown or within an unknown group, or the end of a packed field. */
  val Ignore = newElement()
  /** Skip the bytes of an unknown field. */
  val SkipBytes = newElement()
  /** Store a scalar in its slot, or append it to its list. */
  val Scalar = newElement()
  /** A packed field begins. */
  val Packed = newElement()
  val Str = newElement()
  /** A message, or a group that is a known field, begins. */
  val Message = newElement()
  /** An unknown group begins, or any group ends. */
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
  val checkUtf8, inOneof = Bool()
  /** Native: how the struct has it. */
  val native = NativeStep()
  /** The number of a closed enum that may not be declared. */
  val checkEnum = Bool()
  /** Of a packed field. */
  val element = Bool()
  /** Of the oneof's case word. */
  val caseOffset = UInt(16 bits)
  val subTable = UInt(32 bits)
  /** Field number, for groups and case words. */
  val number = UInt(29 bits)
  /** An unknown field, or a part of an unknown group. */
  val unknown = Bool()
  /** A message that is a group. */
  val group = Bool()
  val position = UInt(32 bits)
  /** Bytes of the enclosing message behind the token, and behind what its length spans. */
  val remaining, rest = UInt(32 bits)
  val toInputEnd = Bool()
  val status = Bits(Status.Width bits)
}

/** Decides what a token means for the open message and converts its value.
  * `remembered` is the entry of the last field token, for the elements of a
  * packed field; `declared` is asked about numbers of enums. Combinational.
  */
object FieldDecoder {
  def apply(found: FoundToken, remembered: TableEntry, table: TableContext, skipping: Bool, declared: DeclaredValues): FieldStep = {
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
    step.checkUtf8 := entry.checkUtf8
    step.inOneof := entry.inOneof
    step.caseOffset := entry.caseOffset
    step.subTable := entry.subTable
    step.element := token.kind === TokenKind.Element
    step.number := step.element ? entry.number | token.number
    step.unknown := False
    step.group := facts.isGroup
    step.position := token.offset
    step.remaining := token.remaining
    step.rest := token.remaining - token.value(31 downto 0).asUInt.andMask(token.wireType === 2)
    step.toInputEnd := token.toInputEnd
    step.status := Status.BadDescriptor.code
    step.action := Action.Fail

    val slotEnd = entry.offset +^ (U(1, 4 bits) |<< (entry.repeated ? U(2, 2 bits) | facts.log2Size))
    val alignMask = ((U(1, 4 bits) |<< (entry.repeated ? U(2, 2 bits) | facts.log2Size)) - 1).resize(3 bits)
    val caseMisplaced = entry.repeated || entry.caseOffset(1 downto 0) =/= 0 ||
      entry.caseOffset < ObjectLayout.Header.Size || (entry.caseOffset +^ U(4)) > table.objectSize
    val misplaced = slotEnd > table.objectSize || entry.offset < ObjectLayout.Header.Size ||
      (entry.offset(2 downto 0) & alignMask) =/= 0 || !entry.hasHasbit || (entry.hasbit >> 9) =/= 0 ||
      (entry.hasbit >> 5) >= table.hasbitsWords.resized || entry.inOneof && caseMisplaced
    val number = token.value(31 downto 0).asSInt
    declared.io.query.table := table.address >> 4
    declared.io.query.field := entry.number
    declared.io.query.value := token.value(31 downto 0)
    step.checkEnum := entry.closedEnum && (number < entry.enumLow || number > entry.enumHigh) && !declared.io.known

    val tooLong = token.wireType === 2 && token.value.asUInt > token.remaining
    val unpacked = token.wireType === facts.wireType
    val packed = token.wireType === 2 && facts.packable && entry.repeated

    def unknown(): Unit = {
      step.unknown := True
      step.action := Action.Ignore
      when(token.wireType === 2) { step.action := Action.SkipBytes }
      when(token.wireType === 3) { step.action := Action.GroupStart }
      when(token.wireType === 4) { step.action := Action.GroupEnd }
    }

    switch(token.kind) {
      is(TokenKind.Element) { step.action := Action.Scalar }
      is(TokenKind.PackedEnd) { step.action := Action.Ignore }
      is(TokenKind.End) { step.action := Action.End }
      is(TokenKind.Field) {
        when(tooLong) {
          step.status := token.toInputEnd ? B(Status.Truncated.code, Status.Width bits) | B(Status.BadLength.code, Status.Width bits)
        } elsewhen (skipping || !found.known || token.wireType === 4) {
          unknown()
        } elsewhen (entry.unsupported) {
          step.status := Status.Unsupported.code
        } elsewhen (!facts.known) {
          step.status := Status.BadDescriptor.code
        } elsewhen (!unpacked && !packed) {
          unknown()
        } elsewhen (misplaced && !table.native) {
          step.status := Status.BadDescriptor.code
        } elsewhen (facts.isMessage || facts.isGroup) {
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
    step.native := NativeStep(entry, facts)
    when(table.native) {
      val varint = NativeValue(token.value, facts, entry.sizeLog2)
      val isVarint = facts.packable && facts.wireType === 0
      step.log2Size := entry.sizeLog2
      step.subTable := (entry.nativeSubTable << 4).resize(32).asUInt
      step.checkEnum := False
      when(token.wireType =/= 2 && isVarint) { step.value := varint.bits }
      when(token.kind === TokenKind.Element || token.kind === TokenKind.Field && !tooLong) {
        val known = token.kind === TokenKind.Element || found.known
        // nanopb has no groups, and takes a wrong wire type for an error.
        val wrongWire = token.kind === TokenKind.Field && (token.wireType === 3 || token.wireType === 4 || known && !unpacked && !packed)
        when(wrongWire) {
          step.action := Action.Fail
          step.status := Status.BadWireType.code
        } elsewhen (token.beyond) {
          step.action := Action.Fail
          step.status := Status.VarintOverflow.code
        } elsewhen (known && token.wireType =/= 2 && isVarint && varint.tooLarge) {
          step.action := Action.Fail
          step.status := Status.DoesNotFit.code
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
