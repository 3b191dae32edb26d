package heapwire.protobuf.engine.read

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.{TableEntry, TypeFacts, Varint}
import heapwire.protobuf.engine.microcode.Action
import spinal.core._
import spinal.lib._

/** A value before conversion, from the window's second stage. */
case class RawValue() extends Bundle {
  /** A varint, or 32 or 64 bits. */
  val bits = Bits(64 bits)
  /** The varint ends, and has bits beyond the 64th. */
  val beyond = Bool()
  /** It is a length of more bytes than one may have. */
  val longLength = Bool()
  val kind = ItemKind()
  val position, end = UInt(32 bits)
  val exceeds, toInputEnd, endless, element = Bool()
}

object RawValue {
  /** Combinational. */
  def apply(item: WindowItem): RawValue = {
    val raw = RawValue()
    val isFixed32 = item.wireType === 5
    val isFixed = isFixed32 || item.wireType === 1
    val groups = Cat((0 until Varint.MaxBytes).map(i => item.bytes(8 * i, 7 bits)))
    raw.bits := isFixed ? item.bytes(63 downto 0) | groups.resize(64)
    // What does not belong to the value is cleared last: registers have a synchronous clear for this.
    for (i <- 1 until Varint.MaxBytes) {
      val (low, high) = (7 * i, (7 * i + 6) min 63)
      val ended = !isFixed && item.varint <= i
      if (low < 32) when(ended) { raw.bits((high min 31) downto low) := 0 }
      if (high >= 32) when(ended || isFixed32) { raw.bits(high downto (low max 32)) := 0 }
    }
    raw.beyond := item.wireType(0) === False && item.varint === Varint.MaxBytes && item.bytes(79 downto 73).orR
    raw.longLength := item.wireType === 2 && !item.element && item.varint > Varint.MaxShortBytes
    raw.kind := item.kind
    raw.position := item.position
    raw.end := item.end
    raw.exceeds := item.exceeds
    raw.toInputEnd := item.toInputEnd
    raw.endless := item.endless
    raw.element := item.element
    raw
  }
}

/** A field that is ready to be carried out. */
case class FieldStep() extends Bundle {
  val action = Action()
  val status = Bits(Status.Width bits)
  /** Converted to the field's type. A length is in the low bits. */
  val value = Bits(64 bits)
  val log2Size = UInt(2 bits)
  /** It is an element of a packed field. */
  val element = Bool()
  val position = UInt(32 bits)
  /** Input offset where the field ends, including the bytes that its length spans. */
  val runEnd = UInt(32 bits)
  /** The value of a closed enum may be undeclared. */
  val checkEnum = Bool()
  val noLength = Bool()
  /** The field needs more than one write: its case word, `which` or has-flag is written before the value. */
  val presence = Bool()
}

object FieldStep {
  /** Decides what a field means for the open message. Combinational, from registers to a register.
    *
    * @param field    its key; for an element of a packed field, that field's key
    * @param entry    the field's table entry
    * @param facts    facts about the entry's type
    * @param raw      the field's value, unless it is `alone`
    * @param windowAt position of the window, which waits behind a key that is `alone` and at the end of a message
    * @param left     bytes of the message behind a length
    * @param single   the field is that of a field instruction
    * @param views    managed strings of at least this many bytes stay in the input; 0: none
    */
  def apply(field: FoundField, entry: TableEntry, facts: TypeFacts, raw: RawValue, alone: Bool, skipping: Bool,
      native: Bool, wide: Bool, windowAt: UInt, left: UInt, single: Bool, views: UInt): FieldStep = {
    val step = FieldStep()
    val packed = !alone && raw.element
    val isEnd = !alone && raw.kind === ItemKind.End
    val isField = alone || !packed && !isEnd
    val hasLength = isField && field.wireType === 2
    val isVarint = facts.packable && facts.wireType === 0

    // For types of less than 8 bytes only that many bytes are valid; those above are not cleared.
    val halved = raw.bits(63 downto 33) ## raw.bits(32).asBits.andMask(facts.log2Size === 3) ## raw.bits(31 downto 1)
    val number64 = CombInit(raw.bits)
    when(!hasLength && facts.zigzag) { number64 := (B"0" ## halved(62 downto 0)) ^ B(64 bits, default -> raw.bits.lsb) }
    val isBool = !hasLength && facts.isBool
    // Written as gates: otherwise synthesis would use the registers' synchronous clear together with their load enable,
    // which is known last.
    step.value := number64 & B(64 bits, default -> !isBool)
    when(isBool) { step.value(0) := raw.bits =/= 0 }
    val tooLarge = NativeRange.exceeds(raw.bits, facts, entry.sizeLog2)
    step.log2Size := native ? entry.sizeLog2 | facts.log2Size
    step.element := packed
    step.position := (alone || !packed && !isEnd) ? field.position | raw.position
    step.runEnd := (alone || isEnd) ? windowAt | (raw.end + raw.bits(31 downto 0).asUInt.andMask(hasLength))
    val tooLong = raw.bits(63 downto 32).orR || raw.bits(31 downto 0).asUInt > left
    val inPlace = raw.bits(31 downto 0).asUInt >= views && views =/= 0 && !native
    step.noLength := raw.bits(31 downto 0) === 0
    val number = raw.bits(31 downto 0).asSInt
    val fits = number(31 downto 15).asBits.andR || !number(31 downto 15).asBits.orR
    val short = number.resize(16)
    step.checkEnum := entry.closedEnum && (!fits || short < entry.enumLow || short > entry.enumHigh) && !native
    step.presence := !entry.repeated && (entry.inOneof || native && entry.presence === DescriptorLayout.Presence.Hasbit)

    def fail(status: Bits): Unit = {
      step.action := Action.Fail
      step.status := status
    }
    def code(status: Status): Bits = B(status.code, Status.Width bits)
    def past: Bits = raw.toInputEnd ? code(Status.Truncated) | code(Status.BadLength)
    val rightWire = field.wireType === facts.wireType
    val asPacked = field.wireType === 2 && facts.packable && entry.repeated
    val wrongWire = isField && (field.wireType === 3 || field.wireType === 4 || field.known && !rightWire && !asPacked)

    step.status := code(Status.BadDescriptor)
    step.action := Action.Scalar
    when(isEnd) {
      step.action := single ? Action.RunEnd() | Action.End()
    } elsewhen (!alone && raw.exceeds) {
      fail(past)
    } elsewhen (isField && field.status =/= code(Status.Ok)) {
      fail(field.status)
    } elsewhen (!alone && (raw.endless || raw.longLength)) {
      fail(code(Status.VarintOverflow))
    } elsewhen (hasLength && tooLong) {
      fail(past)
    } elsewhen (native && wrongWire && !skipping) {
      fail(code(Status.BadWireType))
    } elsewhen (native && !alone && raw.beyond) {
      fail(code(Status.VarintOverflow))
    } elsewhen (native && (field.known || packed) && !hasLength && isVarint && tooLarge) {
      fail(code(Status.DoesNotFit))
    } elsewhen (isField) {
      when(skipping || !field.known || field.wireType === 4 ||
        !rightWire && !asPacked && facts.known && !entry.unsupported) {
        step.action := field.wireType.mux(
          2 -> Action.SkipBytes(), 3 -> Action.GroupStart(), 4 -> Action.GroupEnd(), default -> Action.Ignore())
      } elsewhen (entry.unsupported) {
        fail(code(Status.Unsupported))
      } elsewhen (!facts.known) {
        fail(code(Status.BadDescriptor))
      } elsewhen (facts.isMessage || facts.isGroup) {
        step.action := Action.Message
      } elsewhen (facts.isString) {
        step.action := entry.repeated ? Action.StrInList | Action.Str
        when(inPlace) { step.action := entry.repeated ? Action.ViewInList | Action.View }
      } elsewhen (asPacked) {
        step.action := Action.Packed
      }
    }
    step
  }
}

/** Whether nanopb would refuse a varint for an integer of 1, 2, 4 or 8 bytes ("integer too large"; for a bool "varint
  * overflow").
  */
object NativeRange {
  /** Combinational. Unsigned and zigzag values are taken with 64 bits, other signed values of less than 8 bytes with
    * 32.
    */
  def exceeds(value: Bits, facts: TypeFacts, sizeLog2: UInt): Bool = {
    val beyond32 = value(63 downto 32).orR
    val beyond16 = value(31 downto 16).orR || beyond32
    val beyond8 = value(15 downto 8).orR || beyond16
    val upper = value(31 downto 16)
    val byte = value(15 downto 8)
    // A signed number fits if all higher bits equal the result's highest bit.
    def alike(bits: Bits, sign: Bool): Bool = sign ? bits.andR | !bits.orR
    val fits16 = alike(upper, value(15))
    val fits8 = alike(upper ## byte, value(7))
    val result = False
    when(facts.isBool) { result := beyond32 } elsewhen (facts.isSigned) {
      result := sizeLog2.mux(0 -> !fits8, 1 -> !fits16, default -> False)
    } otherwise {
      result := sizeLog2.mux(0 -> beyond8, 1 -> beyond16, 2 -> beyond32, default -> False)
    }
    result
  }
}
