package heapwire.isa

/** The accelerator descriptor table (ADT) of a message type, 16-byte aligned and
  * position independent:
  *
  *  1. a 32-byte header;
  *  1. `lastSlot` + 1 entries of 16 bytes, a power of two, an open hash table over the field number
  *     (Wu & Schmulbach, section 3.2, has a table as wide as the span of the
  *     numbers instead), which reading looks fields up in;
  *  1. `fieldCount` entries, one a field, the highest number first: what
  *     writing, which goes backwards, walks. They differ from the hashed
  *     ones in their first word, which is the key as it goes onto the wire;
  *  1. if `enumLists` is not 0, for each field of a closed enum its number, how
  *     many values, and the values; then a 0. All words of 32 bits.
  *
  * Lookup of n: slot = (n ^ n >> Fold(0) ^ n >> Fold(1)) & lastSlot; then up to `maxProbe`
  * further slots, cyclically, until the entry's number is n (found) or 0 (unknown).
  */
object DescriptorLayout {
  val HeaderSize = 32
  val EntrySize = 16
  val Magic = 0x48575041 // "HWPA"
  val Alignment = 16

  /** A bit field of a 32-bit word of a structure: byte offset of the word, low bit, width. */
  case class Field(name: String, offset: Int, bit: Int, width: Int)

  object Header {
    val Klass = Field("klass", 0, 0, 32)
    val ObjectSize = Field("object_size", 4, 0, 16)              // bytes, multiple of 8
    val HasbitsOffset = Field("hasbits_offset", 4, 16, 16)
    val MemoizedSizeOffset = Field("memoized_size_offset", 8, 0, 16)
    val MemoizedIsInitializedOffset = Field("memoized_is_initialized_offset", 8, 16, 16)
    val UnknownFieldsOffset = Field("unknown_fields_offset", 12, 0, 16)
    val HasbitsWords = Field("hasbits_words", 12, 16, 16)        // 32-bit words
    val LastSlot = Field("last_slot", 16, 0, 16)                 // slots of the hash, a power of two, less 1
    val MaxProbe = Field("max_probe", 16, 16, 8)
    val MapEntry = Field("map_entry", 16, 24, 1)                 // a type that protoc made for a map field
    val HasRequired = Field("has_required", 16, 25, 1)           // this type or one that it reaches has required fields
    val Native = Field("native", 16, 26, 1)                      // objects are C structs as nanopb lays them out: see NativeHeader
    val WideCount = Field("wide_count", 16, 27, 1)               // native: pb_size_t has four bytes, else two
    val AlignLog2 = Field("align_log2", 16, 28, 2)               // native: of the struct's address
    val Cleared = Field("cleared", 16, 27, 5)                    // managed: of a new object, bytes in units of ClearedUnit; 0: all of them
    val FieldCount = Field("field_count", 20, 0, 16)
    val RequiredCount = Field("required_count", 20, 16, 16)      // hasbits 0 .. requiredCount - 1 must all be set
    val UnknownHasbit = Field("unknown_hasbit", 24, 0, 15)       // of the list of unknown fields
    val Usual = Field("usual", 24, 15, 1)                        // see UsualHasbits
    val EnumLists = Field("enum_lists", 24, 16, 16)              // distance from the header in units of 16 bytes
    val MagicWord = Field("magic", 28, 0, 32)
    val all = Seq(Klass, ObjectSize, HasbitsOffset, MemoizedSizeOffset, MemoizedIsInitializedOffset,
      UnknownFieldsOffset, HasbitsWords, LastSlot, MaxProbe, MapEntry, HasRequired, Native, WideCount, AlignLog2, Cleared, FieldCount, RequiredCount,
      UnknownHasbit, Usual, EnumLists, MagicWord)
  }

  object Entry {
    val Number = Field("number", 0, 0, 29)                       // hashed; 0: empty slot
    val Key = Field("key", 0, 0, 32)                             // ordered: number << 3 | wire type
    val Offset = Field("offset", 4, 0, 16)                       // of the field's slot in the object
    val Type = Field("type", 4, 16, 5)                           // FieldType
    val Repeated = Field("repeated", 4, 21, 1)
    val Unsupported = Field("unsupported", 4, 22, 1)             // seen on the wire: the command ends with UNSUPPORTED
    val HasHasbit = Field("has_hasbit", 4, 23, 1)                // the object has the bit; units ask for it
    val CheckUtf8 = Field("check_utf8", 4, 24, 1)
    val ClosedEnum = Field("closed_enum", 4, 25, 1)              // values that are not declared are unknown fields
    val InOneof = Field("in_oneof", 4, 26, 1)                    // its occurrence writes its number to `caseOffset`
    val Packed = Field("packed", 4, 27, 1)                       // serialized packed; either way is read
    val PresenceKind = Field("presence", 4, 28, 3)               // Presence
    val SubTable = Field("sub_table", 8, 0, 32)                  // messages: signed byte distance from this table's header
    val EnumLow = Field("enum_low", 8, 0, 16)                    // closed enums: a range of declared values, signed;
    val EnumHigh = Field("enum_high", 8, 16, 16)                 //   others are looked up in the enum lists
    val Hasbit = Field("hasbit", 12, 0, 16)                      // bit index; one for all members of a oneof
    val CaseOffset = Field("case_offset", 12, 16, 16)            // of the oneof's case word: the number of the member that is set, or 0
    val all = Seq(Number, Key, Offset, Type, Repeated, Unsupported, HasHasbit, CheckUtf8, ClosedEnum, InOneof, Packed, PresenceKind,
      SubTable, EnumLow, EnumHigh, Hasbit, CaseOffset)
  }

  /** Words of a native table's header that mean something else (docs/decisions/0006-nanopb-tables.md). There are no
    * hasbits in the object and no memos; `objectSize` is the struct's, any number of bytes.
    */
  object NativeHeader {
    val Initial = Field("initial", 0, 0, 32)                     // byte distance from the header to the initial records
    val InitialCount = Field("initial_count", 8, 0, 16)          // how many there are
    val InitialData = Field("initial_data", 8, 16, 16)           // how many of them, the last ones, carry data; the others clear
    val all = Seq(Initial, InitialCount, InitialData)
  }

  /** How a fresh struct begins: bytes [offset, offset + length) become `data`, or zero, record after record. Bytes that
    * no record names stay as they are. 16 bytes, 16-byte aligned.
    */
  object InitialRecord {
    val Offset = Field("offset", 0, 0, 16)
    val Length = Field("length", 0, 16, 16)
    val Data = Field("data", 4, 0, 32)                           // and the two words behind it
    val MaxData = 12
    val all = Seq(Offset, Length, Data)
  }

  /** What words 2 and 3 of a native table's entry hold. */
  object NativeEntry {
    val SubTable = Field("sub_table", 8, 0, 16)                  // messages: signed distance between headers in units of 16 bytes
    val ElementSize = Field("element_size", 8, 0, 16)            // strings, bytes: bytes of one in the struct or the array
    val MaxCount = Field("max_count", 8, 16, 16)                 // repeated: most elements, 0: any number; messages that are alone or behind a pointer: bytes of the struct
    val Hasbit = Field("hasbit", 12, 0, 9)                       // of the unit alone; required fields have the first ones
    val Pointer = Field("pointer", 12, 9, 1)                     // the slot holds the address of the value or array
    val SizeLog2 = Field("size_log2", 12, 10, 2)                 // scalars: bytes of a value
    val FixedCount = Field("fixed_count", 12, 12, 1)             // repeated: exactly MaxCount elements, not counted in the struct
    val FixedLength = Field("fixed_length", 12, 13, 1)           // bytes: exactly ElementSize of them, without a size before
    val PresenceOffset = Field("presence_offset", 12, 16, 16)    // of the has-flag, the count, or the oneof's which
    val all = Seq(SubTable, ElementSize, MaxCount, Hasbit, Pointer, SizeLog2, FixedCount, FixedLength, PresenceOffset)
  }

  /** When a field is serialized. */
  object Presence {
    /** Its hasbit is set. */
    val Hasbit = 0
    /** Its value is not zero, its string not empty (proto3 without `optional`). */
    val Implicit = 1
    /** Its slot is not null: messages and lists. */
    val Reference = 2
    /** The case word of its oneof is its number. */
    val Case = 3
    /** Always, by its default if it is absent: keys and values of map entries. */
    val Always = 4
    /** As Hasbit; without it the command ends with MISSING_REQUIRED. */
    val Required = 5
    val all = Seq("HASBIT" -> Hasbit, "IMPLICIT" -> Implicit, "REFERENCE" -> Reference, "CASE" -> Case, "ALWAYS" -> Always,
      "REQUIRED" -> Required)
  }

  /** Whether this version's units take native tables; what they do not take is left to nanopb. */
  val NativeDeserialize = true
  val NativeSerialize = true

  /** Bytes that `Header.Cleared` counts in. The part holds all that is read before a hasbit is asked. */
  val ClearedUnit = 32

  /** Of `Header.Usual`: the only word of hasbits lies here, behind it the two memos and the list of unknown fields. */
  val UsualHasbits: Int = ObjectLayout.Header.Size

  /** By so many bits a field number is shifted before it is folded onto itself. Dense numbers keep slots of their own. */
  val Fold: Seq[Int] = Seq(4, 11)

  /** A memo or unknown-fields offset that the type does not have. */
  val NoOffset = 0

  /** Most required fields of a type that units check; tables with more are left to software. */
  val MaxRequired = 32

  /** Units hold this many words of hasbits a message; tables with more are left to software. */
  val MaxHasbitsWords = 16
}

/** FieldDescriptorProto.Type of the protobuf specification, and how a value is stored. */
object FieldType {
  /** @param log2Size log2 of the bytes of a slot or array element */
  sealed abstract class Type(val code: Int, val name: String, val wireType: Int, val log2Size: Int)
  case object Double extends Type(1, "DOUBLE", 1, 3)
  case object Float extends Type(2, "FLOAT", 5, 2)
  case object Int64 extends Type(3, "INT64", 0, 3)
  case object Uint64 extends Type(4, "UINT64", 0, 3)
  case object Int32 extends Type(5, "INT32", 0, 2)
  case object Fixed64 extends Type(6, "FIXED64", 1, 3)
  case object Fixed32 extends Type(7, "FIXED32", 5, 2)
  case object Bool extends Type(8, "BOOL", 0, 0)
  case object Str extends Type(9, "STRING", 2, 2)
  case object Group extends Type(10, "GROUP", 3, 2)
  case object Message extends Type(11, "MESSAGE", 2, 2)
  case object Bytes extends Type(12, "BYTES", 2, 2)
  case object Uint32 extends Type(13, "UINT32", 0, 2)
  case object Enum extends Type(14, "ENUM", 0, 2)
  case object Sfixed32 extends Type(15, "SFIXED32", 5, 2)
  case object Sfixed64 extends Type(16, "SFIXED64", 1, 3)
  case object Sint32 extends Type(17, "SINT32", 0, 2)
  case object Sint64 extends Type(18, "SINT64", 0, 3)
  val all: Seq[Type] = Seq(Double, Float, Int64, Uint64, Int32, Fixed64, Fixed32, Bool, Str, Group, Message, Bytes,
    Uint32, Enum, Sfixed32, Sfixed64, Sint32, Sint64)

  /** The array-list class register of a repeated field of this type. */
  def listRegister(t: Type): RuntimeRegister.Register = t match {
    case Double => RuntimeRegister.DoubleArrayList
    case Float => RuntimeRegister.FloatArrayList
    case Bool => RuntimeRegister.BooleanArrayList
    case Str | Bytes | Message | Group => RuntimeRegister.ObjectArrayList
    case _ if t.log2Size == 3 => RuntimeRegister.LongArrayList
    case _ => RuntimeRegister.IntArrayList
  }
}
