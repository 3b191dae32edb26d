package heapwire.protobuf.serialize

import heapwire.isa.DescriptorLayout
import spinal.core._

/** An ordered entry of a descriptor table as it lies in memory. */
case class OrderedEntry() extends Bundle {
  val bits = Bits(8 * DescriptorLayout.EntrySize bits)
  private def field(f: DescriptorLayout.Field): Bits = bits(8 * f.offset + f.bit, f.width bits)
  import DescriptorLayout.Entry._
  def key: Bits = field(Key)
  def offset: UInt = field(Offset).asUInt
  def fieldType: UInt = field(Type).asUInt
  def repeated: Bool = field(Repeated).lsb
  def unsupported: Bool = field(Unsupported).lsb
  def checkUtf8: Bool = field(CheckUtf8).lsb
  def packed: Bool = field(Packed).lsb
  def presence: UInt = field(PresenceKind).asUInt
  /** Byte distance to the table of the field's messages; of a native table sizes, or that distance in other words. */
  def third: Bits = field(SubTable)
  def hasbit: UInt = field(Hasbit).asUInt
  def caseOffset: UInt = field(CaseOffset).asUInt

  // Of a native table.
  import DescriptorLayout.NativeEntry
  def pointer: Bool = field(NativeEntry.Pointer).lsb
  def sizeLog2: UInt = field(NativeEntry.SizeLog2).asUInt
  def fixedCount: Bool = field(NativeEntry.FixedCount).lsb
  def fixedLength: Bool = field(NativeEntry.FixedLength).lsb
  def presenceOffset: UInt = field(NativeEntry.PresenceOffset).asUInt
}

object OrderedEntry {
  import DescriptorLayout.{Entry, NativeEntry}
  require(NativeEntry.ElementSize.offset == Entry.SubTable.offset && NativeEntry.MaxCount.offset == Entry.SubTable.offset &&
    NativeEntry.SubTable.offset == Entry.SubTable.offset && NativeEntry.MaxCount.bit == 16)

  /** Byte distance to the table of a native field's messages, by its entry's third word. */
  def nativeSubTable(third: Bits): UInt =
    (third(NativeEntry.SubTable.width - 1 downto 0).asSInt << log2Up(DescriptorLayout.Alignment)).resize(32).asUInt
}

/** What a serializer keeps of a table's header. */
case class MessageTable() extends Bundle {
  val address = UInt(32 bits)
  val klass = Bits(32 bits)
  val lastByte, objectSize, hasbitsOffset, unknownOffset, fieldCount = UInt(16 bits)
  val hasbitsWords = UInt(5 bits)
  /** Objects are C structs. */
  val native, wideCount = Bool()
  val alignLog2 = UInt(2 bits)
  /** Behind the last ordered entry. */
  val entriesEnd = UInt(33 bits)
}

object MessageTable {
  /** Reads a header that a [[heapwire.protobuf.TableLoader]] has checked; its hashed entries end at `hashedEnd`. */
  def apply(bits: Bits, at: UInt, hashedEnd: UInt): MessageTable = {
    def field(f: DescriptorLayout.Field): UInt = bits(8 * f.offset + f.bit, f.width bits).asUInt
    import DescriptorLayout.Header._
    val table = MessageTable()
    table.address := at
    table.klass := field(Klass).asBits
    table.objectSize := field(ObjectSize)
    table.lastByte := field(ObjectSize) - 1
    table.hasbitsOffset := field(HasbitsOffset)
    table.unknownOffset := field(UnknownFieldsOffset)
    table.fieldCount := field(FieldCount)
    table.hasbitsWords := field(HasbitsWords).resized
    table.native := field(Native).lsb
    // In a managed table these bits say how much of an object is cleared.
    table.wideCount := field(WideCount).lsb && field(Native).lsb
    table.alignLog2 := field(Native).lsb ? field(AlignLog2) | U(0)
    table.entriesEnd := hashedEnd.resize(33) + (field(FieldCount) << 4)
    table
  }
}
