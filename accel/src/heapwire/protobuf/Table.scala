package heapwire.protobuf

import heapwire.isa.{DescriptorLayout, FieldType, RuntimeRegister}
import spinal.core._
import spinal.lib._

/** The header of a table, as it is in memory. */
case class TableHeader() extends Bundle {
  val bits = Bits(8 * DescriptorLayout.HeaderSize bits)
  private def field(f: DescriptorLayout.Field): UInt = bits(8 * f.offset + f.bit, f.width bits).asUInt
  import DescriptorLayout.Header._
  def klass: UInt = field(Klass)
  def objectSize: UInt = field(ObjectSize)
  def hasbitsOffset: UInt = field(HasbitsOffset)
  def memoizedSizeOffset: UInt = field(MemoizedSizeOffset)
  def memoizedIsInitializedOffset: UInt = field(MemoizedIsInitializedOffset)
  def unknownFieldsOffset: UInt = field(UnknownFieldsOffset)
  def hasbitsWords: UInt = field(HasbitsWords)
  def lastSlot: UInt = field(LastSlot)
  def maxProbe: UInt = field(MaxProbe)
  def fieldCount: UInt = field(FieldCount)
  def requiredCount: UInt = field(RequiredCount)
  def unknownHasbit: UInt = field(UnknownHasbit)
  def usual: Bool = field(Usual).lsb
  def mapEntry: Bool = field(MapEntry).lsb
  def model: UInt = field(Model)
  def wideCount: Bool = field(WideCount).lsb
  def alignLog2: UInt = field(AlignLog2)
  def cleared: UInt = field(Cleared)
  def initial: UInt = field(DescriptorLayout.NativeHeader.Initial)
  def initialCount: UInt = field(DescriptorLayout.NativeHeader.InitialCount)
  def initialData: UInt = field(DescriptorLayout.NativeHeader.InitialData)
  def enumLists: UInt = field(EnumLists)
  def magic: UInt = field(MagicWord)
}

/** An entry of a table, as it is in memory. */
case class TableEntry() extends Bundle {
  val bits = Bits(8 * DescriptorLayout.EntrySize bits)
  private def field(f: DescriptorLayout.Field): Bits = bits(8 * f.offset + f.bit, f.width bits)
  import DescriptorLayout.Entry._
  def number: UInt = field(Number).asUInt
  def offset: UInt = field(Offset).asUInt
  def fieldType: UInt = field(Type).asUInt
  def repeated: Bool = field(Repeated).lsb
  def unsupported: Bool = field(Unsupported).lsb
  def hasHasbit: Bool = field(HasHasbit).lsb
  def checkUtf8: Bool = field(CheckUtf8).lsb
  def closedEnum: Bool = field(ClosedEnum).lsb
  def inOneof: Bool = field(InOneof).lsb
  def packed: Bool = field(Packed).lsb
  def enumLow: SInt = field(EnumLow).asSInt
  def enumHigh: SInt = field(EnumHigh).asSInt
  def caseOffset: UInt = field(CaseOffset).asUInt
  def subTable: UInt = field(SubTable).asUInt
  def hasbit: UInt = field(Hasbit).asUInt
  def presence: UInt = field(PresenceKind).asUInt

  // Fields of a native table's entry.
  import DescriptorLayout.NativeEntry
  def nativeSubTable: SInt = field(NativeEntry.SubTable).asSInt
  def elementSize: UInt = field(NativeEntry.ElementSize).asUInt
  def maxCount: UInt = field(NativeEntry.MaxCount).asUInt
  def pointer: Bool = field(NativeEntry.Pointer).lsb
  def sizeLog2: UInt = field(NativeEntry.SizeLog2).asUInt
  def fixedCount: Bool = field(NativeEntry.FixedCount).lsb
  def fixedLength: Bool = field(NativeEntry.FixedLength).lsb
}

/** Facts about a field type. */
case class TypeFacts() extends Bundle {
  val known, packable, isBool, zigzag, isMessage, isString, isGroup = Bool()
  /** A string, not bytes. */
  val isText = Bool()
  /** Varint integers that are neither zigzag nor bool. */
  val isSigned, isUnsigned = Bool()
  val wireType = Bits(3 bits)
  val log2Size = UInt(2 bits)
  /** The index of the list class register minus that of the first list class. */
  val list = UInt(3 bits)
}

object TypeFacts {
  val FirstList: Int = RuntimeRegister.IntArrayList.index
  /** `list` for the list of unknown fields. */
  val UnknownFields: Int = RuntimeRegister.ByteArrayList.index - FirstList

  def apply(code: UInt): TypeFacts = {
    val facts = TypeFacts()
    facts.assignDontCare()
    facts.known := False
    facts.packable := False
    facts.isBool := False
    facts.zigzag := False
    facts.isMessage := False
    facts.isString := False
    facts.isText := False
    facts.isSigned := False
    facts.isUnsigned := False
    facts.isGroup := False
    switch(code) {
      for (t <- FieldType.all) is(t.code) {
        val string = t == FieldType.Str || t == FieldType.Bytes
        facts.known := True
        facts.isMessage := Bool(t == FieldType.Message)
        facts.isGroup := Bool(t == FieldType.Group)
        facts.isString := Bool(string)
        facts.isText := Bool(t == FieldType.Str)
        facts.isSigned := Bool(t == FieldType.Int32 || t == FieldType.Int64 || t == FieldType.Enum)
        facts.isUnsigned := Bool(t == FieldType.Uint32 || t == FieldType.Uint64)
        facts.packable := Bool(t.wireType != 2 && t.wireType != 3)
        facts.isBool := Bool(t == FieldType.Bool)
        facts.zigzag := Bool(t == FieldType.Sint32 || t == FieldType.Sint64)
        facts.wireType := t.wireType
        facts.log2Size := t.log2Size
        facts.list := FieldType.listRegister(t).index - FirstList
      }
      default {}
    }
    facts
  }
}
