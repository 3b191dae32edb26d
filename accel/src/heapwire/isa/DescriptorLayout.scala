package heapwire.isa

/** The accelerator descriptor table (ADT) of a message type. It is 16-byte aligned and position independent:
  *
  *   1. a 32-byte header;
  *   1. `lastSlot` + 1 entries of 16 bytes, a power of two: an open hash table over the field number, in which reading
  *      looks fields up. (The table of Wu & Schmulbach, section 3.2, is as wide as the span of the field numbers
  *      instead.)
  *   1. `fieldCount` entries, one per field, in descending order of field numbers: writing goes backwards and walks
  *      these. They differ from the hashed entries in their first word only, which is the key as it goes onto the wire;
  *   1. if `enumLists` is not 0, for each field of a closed enum: the field number, the number of values, and the
  *      values; then a 0. All of these are 32-bit words.
  *
  * Lookup of field n: slot = (n ^ n >> Fold(0) ^ n >> Fold(1)) & lastSlot; then up to `maxProbe` further slots,
  * cyclically, until the entry's number is n (found) or 0 (unknown field).
  */
object DescriptorLayout {
  val HeaderSize = 32
  val EntrySize = 16
  val Magic = 0x48575041 // "HWPA"
  val Alignment = 16

  /** A bit field of a 32-bit word: byte offset of the word in its structure, lowest bit, width in bits. */
  case class Field(name: String, offset: Int, bit: Int, width: Int)

  object Header {
    val Klass = Field("klass", 0, 0, 32)
    val ObjectSize = Field("object_size", 4, 0, 16) // bytes, a multiple of 8
    val HasbitsOffset = Field("hasbits_offset", 4, 16, 16)
    val MemoizedSizeOffset = Field("memoized_size_offset", 8, 0, 16)
    val MemoizedIsInitializedOffset = Field("memoized_is_initialized_offset", 8, 16, 16)
    val UnknownFieldsOffset = Field("unknown_fields_offset", 12, 0, 16)
    val HasbitsWords = Field("hasbits_words", 12, 16, 16) // 32-bit words
    val LastSlot = Field("last_slot", 16, 0, 16) // number of hash slots, a power of two, minus 1
    val MaxProbe = Field("max_probe", 16, 16, 8)
    val MapEntry = Field("map_entry", 16, 24, 1) // an entry type that protoc makes for a map field
    val HasRequired = Field("has_required", 16, 25, 1) // this or a reachable type has required fields
    val WideCount = Field("wide_count", 16, 27, 1) // native: pb_size_t has four bytes, otherwise two
    val AlignLog2 = Field("align_log2", 16, 28, 2) // native: log2 of the struct's alignment in bytes
    // managed: how many bytes of a new object are cleared, in units of ClearedUnit; 0: all of them
    val Cleared = Field("cleared", 16, 27, 5)
    val FieldCount = Field("field_count", 20, 0, 16)
    val Model = Field("model", 20, 30, 2) // see Model
    val RequiredCount = Field("required_count", 20, 16, 14) // hasbits 0 .. requiredCount - 1 must all be set
    val UnknownHasbit = Field("unknown_hasbit", 24, 0, 15) // hasbit of the list of unknown fields
    val Usual = Field("usual", 24, 15, 1) // see UsualHasbits
    val EnumLists = Field("enum_lists", 24, 16, 16) // distance from the header in units of 16 bytes
    val MagicWord = Field("magic", 28, 0, 32)
    val all = Seq(Klass, ObjectSize, HasbitsOffset, MemoizedSizeOffset, MemoizedIsInitializedOffset,
      UnknownFieldsOffset, HasbitsWords, LastSlot, MaxProbe, MapEntry, HasRequired, WideCount, AlignLog2,
      Cleared, FieldCount, RequiredCount, Model,
      UnknownHasbit, Usual, EnumLists, MagicWord)
  }

  object Entry {
    val Number = Field("number", 0, 0, 29) // in hashed entries; 0: the slot is empty
    val Key = Field("key", 0, 0, 32) // in ordered entries: number << 3 | wire type
    val Offset = Field("offset", 4, 0, 16) // of the field's slot, from the start of the object
    val Type = Field("type", 4, 16, 5) // FieldType
    val Repeated = Field("repeated", 4, 21, 1)
    val Unsupported = Field("unsupported", 4, 22, 1) // if it occurs, the command ends with UNSUPPORTED
    val HasHasbit = Field("has_hasbit", 4, 23, 1) // the object has this hasbit, and units use it
    val CheckUtf8 = Field("check_utf8", 4, 24, 1)
    val ClosedEnum = Field("closed_enum", 4, 25, 1) // undeclared values become unknown fields
    val InOneof = Field("in_oneof", 4, 26, 1) // an occurrence writes its number to `caseOffset`
    val Packed = Field("packed", 4, 27, 1) // written packed; both forms are read
    val PresenceKind = Field("presence", 4, 28, 3) // Presence
    // messages: signed distance in bytes from this table's header to that of the field's type
    val SubTable = Field("sub_table", 8, 0, 32)
    val EnumLow = Field("enum_low", 8, 0, 16) // closed enums: first of a range of declared values,
    val EnumHigh = Field("enum_high", 8, 16, 16) // its last; others are looked up in the enum lists
    val Hasbit = Field("hasbit", 12, 0, 16) // bit index; the members of a oneof share one
    // of the oneof's case word, which holds the number of the member that is set, or 0
    val CaseOffset = Field("case_offset", 12, 16, 16)
    // closed enums, unless in a oneof: distance in bytes from this table's header to the number of its values in the
    // enum lists, which these follow; 0 if it would not fit
    val EnumValues = Field("enum_values", 12, 16, 16)
    val all = Seq(Number, Key, Offset, Type, Repeated, Unsupported, HasHasbit, CheckUtf8, ClosedEnum, InOneof, Packed,
      PresenceKind,
      SubTable, EnumLow, EnumHigh, Hasbit, CaseOffset, EnumValues)
  }

  /** Header words that have another meaning in a native table (docs/decisions/0006-nanopb-tables.md). A native object
    * has no hasbits and no memos. `objectSize` is the size of the struct, any number of bytes.
    */
  object NativeHeader {
    val Initial = Field("initial", 0, 0, 32) // byte distance from the header to the initial records
    val InitialCount = Field("initial_count", 8, 0, 16) // number of initial records
    val InitialData = Field("initial_data", 8, 16, 16) // number of records with data; they are the last ones
    val all = Seq(Initial, InitialCount, InitialData)
  }

  /** A header word that has another meaning in a table of upb's messages. Hasbits begin at byte 8 of a message; behind
    * upb's, in words of their own, are those that only the unit has: of fields without presence, and of lists.
    */
  object UpbHeader {
    val HasbitsBytes = Field("hasbits_bytes", 8, 0, 16) // of upb's hasbits
    val all = Seq(HasbitsBytes)
  }

  /** Initial content of a new struct: each record, in order, sets bytes [offset, offset + length) to `data` or to zero.
    * Bytes that no record covers keep what they were. A record is 16 bytes long and 16-byte aligned.
    */
  object InitialRecord {
    val Offset = Field("offset", 0, 0, 16)
    val Length = Field("length", 0, 16, 16)
    val Data = Field("data", 4, 0, 32) // this word and the two behind it
    val MaxData = 12
    val all = Seq(Offset, Length, Data)
  }

  /** The fields in words 2 and 3 of a native table's entry. */
  object NativeEntry {
    val SubTable = Field("sub_table", 8, 0, 16) // messages: signed distance of headers, in 16 bytes
    val ElementSize = Field("element_size", 8, 0, 16) // strings, bytes: bytes of one in struct or array
    // repeated: largest number of elements, 0: no limit; messages that are singular or behind a pointer: bytes of the
    // struct
    val MaxCount = Field("max_count", 8, 16, 16)
    val Hasbit = Field("hasbit", 12, 0, 9) // of the unit only; required fields have the first
    val Pointer = Field("pointer", 12, 9, 1) // the slot holds the value's or array's address
    val SizeLog2 = Field("size_log2", 12, 10, 2) // scalars: log2 of the bytes of a value
    val FixedCount = Field("fixed_count", 12, 12, 1) // repeated: always MaxCount elements, no count
    val FixedLength = Field("fixed_length", 12, 13, 1) // bytes: always ElementSize, without a size in front
    val PresenceOffset = Field("presence_offset", 12, 16, 16) // of the has-flag, the count, or the oneof's `which`
    val all = Seq(SubTable, ElementSize, MaxCount, Hasbit, Pointer, SizeLog2, FixedCount, FixedLength, PresenceOffset)
  }

  /** The object models: what a type's objects look like. The units always have managed objects, and one other model at
    * a time (docs/decisions/0022-object-models.md).
    */
  object Model {
    val Managed = 0
    /** nanopb's C structs: see NativeHeader. */
    val Nanopb = 1
    /** upb's messages: see UpbHeader. */
    val Upb = 2
    /** Structs of Go: as upb's messages, with all hasbits from byte 12 on. */
    val Go = 3
    val all = Seq("MANAGED" -> Managed, "NANOPB" -> Nanopb, "UPB" -> Upb, "GO" -> Go)
  }

  /** The condition under which a field is serialized. */
  object Presence {
    /** Its hasbit is set. */
    val Hasbit = 0
    /** Its value is not zero, or its string is not empty (proto3 without `optional`). */
    val Implicit = 1
    /** Its slot is not null (messages and lists). */
    val Reference = 2
    /** The case word of its oneof holds its number. */
    val Case = 3
    /** Always; an absent field has its default value (keys and values of map entries). */
    val Always = 4
    /** As Hasbit; if the hasbit is not set, the command ends with MISSING_REQUIRED. */
    val Required = 5
    val all =
      Seq("HASBIT" -> Hasbit, "IMPLICIT" -> Implicit, "REFERENCE" -> Reference, "CASE" -> Case, "ALWAYS" -> Always,
        "REQUIRED" -> Required)
  }

  /** Whether the units of this version accept native tables. Software leaves tables that they do not accept to nanopb.
    */
  val NativeDeserialize = true
  val NativeSerialize = true

  /** The unit of `Header.Cleared`, in bytes. The cleared part covers everything that is read without looking at a
    * hasbit first.
    */
  val ClearedUnit = 32

  /** If `Header.Usual` is set, the object's only word of hasbits is at this byte offset, followed by the two memos and
    * the list of unknown fields.
    */
  val UsualHasbits: Int = ObjectLayout.Header.Size

  /** The field number is shifted right by each of these and XORed onto itself. Dense field numbers get one slot each.
    */
  val Fold: Seq[Int] = Seq(4, 11)

  /** Offset of a memo, or of the unknown fields, that the type does not have. */
  val NoOffset = 0

  /** The most required fields per type that units check. Software handles types with more. */
  val MaxRequired = 32

  /** The most words of hasbits per message that units hold. Software handles types with more. */
  val MaxHasbitsWords = 16
}

/** The types of FieldDescriptorProto.Type (protobuf specification), and how a value of each is stored. */
object FieldType {
  /** @param log2Size log2 of the bytes of a slot or an array element
    * @param encoding how software encodes a slot: `BOOLEAN`, `FIXED*` and `BYTES` as protobuf says; as a varint after
    *                 `ZIGZAG*`, as it is (`UNSIGNED32`, `VARINT64`), or extended to 64 bits by its sign (`SIGNED32`);
    *                 `MESSAGE`, `GROUP`
    */
  sealed abstract class Type(val code: Int, val name: String, val wireType: Int, val log2Size: Int,
      val encoding: String)
  case object Double extends Type(1, "DOUBLE", 1, 3, "FIXED64")
  case object Float extends Type(2, "FLOAT", 5, 2, "FIXED32")
  case object Int64 extends Type(3, "INT64", 0, 3, "VARINT64")
  case object Uint64 extends Type(4, "UINT64", 0, 3, "VARINT64")
  case object Int32 extends Type(5, "INT32", 0, 2, "SIGNED32")
  case object Fixed64 extends Type(6, "FIXED64", 1, 3, "FIXED64")
  case object Fixed32 extends Type(7, "FIXED32", 5, 2, "FIXED32")
  case object Bool extends Type(8, "BOOL", 0, 0, "BOOLEAN")
  case object Str extends Type(9, "STRING", 2, 2, "BYTES")
  case object Group extends Type(10, "GROUP", 3, 2, "GROUP")
  case object Message extends Type(11, "MESSAGE", 2, 2, "MESSAGE")
  case object Bytes extends Type(12, "BYTES", 2, 2, "BYTES")
  case object Uint32 extends Type(13, "UINT32", 0, 2, "UNSIGNED32")
  case object Enum extends Type(14, "ENUM", 0, 2, "SIGNED32")
  case object Sfixed32 extends Type(15, "SFIXED32", 5, 2, "FIXED32")
  case object Sfixed64 extends Type(16, "SFIXED64", 1, 3, "FIXED64")
  case object Sint32 extends Type(17, "SINT32", 0, 2, "ZIGZAG32")
  case object Sint64 extends Type(18, "SINT64", 0, 3, "ZIGZAG64")
  val all: Seq[Type] = Seq(Double, Float, Int64, Uint64, Int32, Fixed64, Fixed32, Bool, Str, Group, Message, Bytes,
    Uint32, Enum, Sfixed32, Sfixed64, Sint32, Sint64)

  /** Returns the register with the array-list class of a repeated field of this type. */
  def listRegister(t: Type): RuntimeRegister.Register = t match {
    case Double => RuntimeRegister.DoubleArrayList
    case Float => RuntimeRegister.FloatArrayList
    case Bool => RuntimeRegister.BooleanArrayList
    case Str | Bytes | Message | Group => RuntimeRegister.ObjectArrayList
    case _ if t.log2Size == 3 => RuntimeRegister.LongArrayList
    case _ => RuntimeRegister.IntArrayList
  }
}
