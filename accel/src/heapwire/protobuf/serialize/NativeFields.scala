package heapwire.protobuf.serialize

import heapwire.isa.DescriptorLayout.Presence
import heapwire.isa.FieldType
import spinal.core._

/** How a C struct has a field. */
case class NativeField() extends Bundle {
  /** Of what the field is in the struct. */
  val offset = UInt(16 bits)
  /** A string up to its NUL; bytes of one length; else bytes behind their count. */
  val isText, fixedLength = Bool()
  /** Always `most` elements. */
  val fixedCount = Bool()
  /** Of [[OrderedEntry.third]]. */
  val sizes = Bits(32 bits)
  /** Bytes of a string, or of bytes with their count, in the struct. */
  def elementSize: UInt = sizes(15 downto 0).asUInt
  /** Most elements. */
  def most: UInt = sizes(31 downto 16).asUInt
  /** Of a message: byte distance from the table to that of the field's messages. */
  def subTable(native: Bool): UInt = native ? OrderedEntry.nativeSubTable(sizes) | sizes.asUInt
}

object NativeField {
  def apply(entry: OrderedEntry): NativeField = {
    val field = NativeField()
    field.offset := entry.offset
    field.isText := entry.fieldType === FieldType.Str.code
    field.fixedLength := entry.fixedLength
    field.fixedCount := entry.fixedCount
    field.sizes := entry.third
    field
  }
}

/** What must be read of a struct to know whether a field is there, and a scalar's value or where the value is. */
case class NativeReads() extends Bundle {
  /** The slot; the has-flag or count; it is a has-flag. */
  val slot, presence, isFlag = Bool()
  /** Both lie in one word; false for some that do. */
  val together = Bool()
}

object NativeReads {
  /** A managed object: the slot alone. */
  def managed: NativeReads = {
    val reads = NativeReads()
    reads.slot := True
    reads.presence := False
    reads.isFlag := False
    reads.together := False
    reads
  }

  def apply(entry: OrderedEntry, field: ScannedField, message: ScannedObject, wordShift: Int): NativeReads = {
    val reads = NativeReads()
    val counted = entry.repeated && !entry.fixedCount
    val flagged = !entry.repeated && entry.presence === Presence.Hasbit
    val within = message.address(wordShift - 1 downto 0)
    def carries(offset: UInt): Bool = (within +^ offset(wordShift - 1 downto 0)).msb
    reads.slot := entry.pointer || !entry.repeated && !field.isString && !field.isMessage
    reads.presence := counted || flagged
    reads.isFlag := flagged
    reads.together := (entry.offset >> wordShift) === (entry.presenceOffset >> wordShift) && carries(entry.offset) === carries(entry.presenceOffset)
    reads
  }
}
