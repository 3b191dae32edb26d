package heapwire.isa

/** Facts about the running program that all commands of the units share, written with `set`: klass words, singletons,
  * the range of the descriptor tables (after the class registers of Wu & Schmulbach, section 3.3). Software writes a
  * register again when a collection has moved its object.
  */
object RuntimeRegister {
  sealed abstract class Register(val index: Int, val name: String)

  /** Descriptor tables lie within [TableBase, TableLimit). */
  case object TableBase extends Register(0, "TABLE_BASE")
  case object TableLimit extends Register(1, "TABLE_LIMIT")

  /** The mark word of a new object. */
  case object MarkPrototype extends Register(2, "MARK_PROTOTYPE")

  /** The initial value of `unknownFields` in a new message: an empty ByteArrayList that is never changed. */
  case object UnknownFields extends Register(3, "UNKNOWN_FIELDS")

  /** Klasses lie within [ClassBase, ClassLimit), both multiples of 4 KB. Units that read klasses where class words lead
    * read none outside. A limit of 0 is the end of the address space, so that both are 0 if nothing is declared.
    */
  case object ClassBase extends Register(6, "CLASS_BASE")
  case object ClassLimit extends Register(7, "CLASS_LIMIT")

  // Klass words
  case object ByteString extends Register(8, "KLASS_BYTE_STRING")
  case object IntArrayList extends Register(10, "KLASS_INT_ARRAY_LIST")
  case object LongArrayList extends Register(11, "KLASS_LONG_ARRAY_LIST")
  case object FloatArrayList extends Register(12, "KLASS_FLOAT_ARRAY_LIST")
  case object DoubleArrayList extends Register(13, "KLASS_DOUBLE_ARRAY_LIST")
  case object BooleanArrayList extends Register(14, "KLASS_BOOLEAN_ARRAY_LIST")
  case object ObjectArrayList extends Register(15, "KLASS_OBJECT_ARRAY_LIST")
  case object ByteArray extends Register(9, "KLASS_BYTE_ARRAY")
  /** The list that holds a message's unknown fields, in wire format. */
  case object ByteArrayList extends Register(16, "KLASS_BYTE_ARRAY_LIST")
  case object ByteView extends Register(17, "KLASS_BYTE_VIEW")
  case object IntArray extends Register(18, "KLASS_INT_ARRAY")
  case object LongArray extends Register(19, "KLASS_LONG_ARRAY")
  case object FloatArray extends Register(20, "KLASS_FLOAT_ARRAY")
  case object DoubleArray extends Register(21, "KLASS_DOUBLE_ARRAY")
  case object BooleanArray extends Register(22, "KLASS_BOOLEAN_ARRAY")
  case object ObjectArray extends Register(23, "KLASS_OBJECT_ARRAY")
  /** The klass of byte arrays again, at the index where the rule of `ListToArray` expects it. */
  case object ListByteArray extends Register(24, "KLASS_LIST_BYTE_ARRAY")

  /** Address of the open epochs: [[OpenEpochCount]] words, 32-byte aligned. A word is 0 if it holds no epoch. Otherwise
    * bits 15..0 are an epoch, and bits 31..16 the lowest valid lower half of that epoch's owner words. Software keeps
    * the words up to date while units run.
    */
  case object OpenEpochs extends Register(4, "OPEN_EPOCHS")
  val OpenEpochCount = 8

  /** The lowest owner word that is still in use, or a lower one. An object with a lower owner word is free. It applies
    * to operations without an argument for this.
    */
  case object OldestOwner extends Register(5, "OLDEST_OWNER")

  /** Cereal's Initialize. Bit 0: streams have their headers stripped; bit 1: units forget all classes. */
  case object CerealMode extends Register(25, "CEREAL_MODE")
  /** The fingerprint of the registered classes (docs/reference/cereal.md). */
  case object CerealClassSet extends Register(26, "CEREAL_CLASS_SET")

  /** The program of an object model, a part of an instruction at a time (docs/decisions/0022-object-models.md). Until the
    * first command of the protobuf engines after a reset; later `set` answers [[SetResult.Locked]], and nothing changes.
    */
  case object ProtobufProgram extends Register(27, "PROTOBUF_PROGRAM")

  // Cereal's RegisterClass, for all units of the format at once. It takes four words; the last one,
  // CEREAL_CLASS_REFERENCES, registers the class.
  /** The class id. If bit 31 is set, the class is registered for Skyway instead, by this type id, independently of its
    * class id in Cereal.
    */
  case object CerealClassId extends Register(28, "CEREAL_CLASS_ID")
  case object CerealClassKlass extends Register(29, "CEREAL_CLASS_KLASS")
  /** Bits 31..30: 0 instance, 1 array of values, 2 array of references, 3 left to software (docs/reference/cereal.md).
    * Below: log2 of an array's element size, or an instance's size in bytes.
    */
  case object CerealClassShape extends Register(30, "CEREAL_CLASS_SHAPE")
  /** Bit i: slot 4 + i of an instance is a reference; 0 for arrays. */
  case object CerealClassReferences extends Register(31, "CEREAL_CLASS_REFERENCES")

  val all: Seq[Register] = Seq(TableBase, TableLimit, MarkPrototype, UnknownFields,
    ByteString, ByteArray, IntArrayList, LongArrayList, FloatArrayList, DoubleArrayList, BooleanArrayList,
    ObjectArrayList,
    ByteArrayList, ByteView, IntArray, LongArray, FloatArray, DoubleArray, BooleanArray, ObjectArray, ListByteArray,
    OpenEpochs, OldestOwner, ClassBase, ClassLimit, CerealMode, CerealClassSet, ProtobufProgram, CerealClassId,
    CerealClassKlass,
    CerealClassShape,
    CerealClassReferences)

  val Count = 32

  /** The index of the klass of a list's backing array is the list's index plus this. */
  val ListToArray = 8
}
