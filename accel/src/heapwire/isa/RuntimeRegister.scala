package heapwire.isa

/** Facts about the running program that every command of a unit shares, written
  * with `set`: class words, singletons, where descriptor tables may lie (after
  * Wu & Schmulbach, section 3.3). Software reloads those that a collection moves.
  */
object RuntimeRegister {
  sealed abstract class Register(val index: Int, val name: String)

  /** Descriptor tables lie within [TableBase, TableLimit). */
  case object TableBase extends Register(0, "TABLE_BASE")
  case object TableLimit extends Register(1, "TABLE_LIMIT")

  /** The mark word of a fresh object. */
  case object MarkPrototype extends Register(2, "MARK_PROTOTYPE")

  /** What `unknownFields` refers to in a fresh message: an empty ByteArrayList that is never changed. */
  case object UnknownFields extends Register(3, "UNKNOWN_FIELDS")

  // Class words
  case object ByteString extends Register(8, "KLASS_BYTE_STRING")
  case object IntArrayList extends Register(10, "KLASS_INT_ARRAY_LIST")
  case object LongArrayList extends Register(11, "KLASS_LONG_ARRAY_LIST")
  case object FloatArrayList extends Register(12, "KLASS_FLOAT_ARRAY_LIST")
  case object DoubleArrayList extends Register(13, "KLASS_DOUBLE_ARRAY_LIST")
  case object BooleanArrayList extends Register(14, "KLASS_BOOLEAN_ARRAY_LIST")
  case object ObjectArrayList extends Register(15, "KLASS_OBJECT_ARRAY_LIST")
  case object ByteArray extends Register(9, "KLASS_BYTE_ARRAY")
  /** The list that holds a message's unknown fields, as they came over the wire. */
  case object ByteArrayList extends Register(16, "KLASS_BYTE_ARRAY_LIST")
  case object IntArray extends Register(18, "KLASS_INT_ARRAY")
  case object LongArray extends Register(19, "KLASS_LONG_ARRAY")
  case object FloatArray extends Register(20, "KLASS_FLOAT_ARRAY")
  case object DoubleArray extends Register(21, "KLASS_DOUBLE_ARRAY")
  case object BooleanArray extends Register(22, "KLASS_BOOLEAN_ARRAY")
  case object ObjectArray extends Register(23, "KLASS_OBJECT_ARRAY")
  /** The class of byte arrays again, where the rule of `ListToArray` looks for it. */
  case object ListByteArray extends Register(24, "KLASS_LIST_BYTE_ARRAY")

  /** Address of the epochs that are open: [[OpenEpochCount]] words, 32-byte aligned: 0 for none, else bits 15..0 an
    * epoch, bits 31..16 the least lower half of its owner words that counts. Software keeps it up to date while units run. */
  case object OpenEpochs extends Register(4, "OPEN_EPOCHS")
  val OpenEpochCount = 8

  /** The least owner word that counts, or a lower one: an object with a lower one is free. Of the operations that are not told themselves. */
  case object OldestOwner extends Register(5, "OLDEST_OWNER")

  /** Cereal's Initialize: bit 0: streams have their headers stripped; bit 1: all classes are forgotten. */
  case object CerealMode extends Register(25, "CEREAL_MODE")
  /** The fingerprint of the registered classes (docs/cereal.md). */
  case object CerealClassSet extends Register(26, "CEREAL_CLASS_SET")

  // Cereal's RegisterClass, in every unit of the format at once: four words, of which the last makes the class known.
  /** Its id; with bit 31 set the class is known to Skyway instead, by this type id, whatever Cereal knows it by. */
  case object CerealClassId extends Register(28, "CEREAL_CLASS_ID")
  case object CerealClassKlass extends Register(29, "CEREAL_CLASS_KLASS")
  /** Bits 31..30: 0 an instance, 1 an array of values, 2 an array of references, 3 left to software (docs/cereal.md); below, of an array log2 of the
    * element size, of an instance its size in bytes. */
  case object CerealClassShape extends Register(30, "CEREAL_CLASS_SHAPE")
  /** Bit i: slot 4 + i of an instance is a reference; 0 for arrays. */
  case object CerealClassReferences extends Register(31, "CEREAL_CLASS_REFERENCES")

  val all: Seq[Register] = Seq(TableBase, TableLimit, MarkPrototype, UnknownFields,
    ByteString, ByteArray, IntArrayList, LongArrayList, FloatArrayList, DoubleArrayList, BooleanArrayList, ObjectArrayList,
    ByteArrayList, IntArray, LongArray, FloatArray, DoubleArray, BooleanArray, ObjectArray, ListByteArray,
    OpenEpochs, OldestOwner, CerealMode, CerealClassSet, CerealClassId, CerealClassKlass, CerealClassShape, CerealClassReferences)

  val Count = 32

  /** The class of an array list's backing array has the list's index plus this. */
  val ListToArray = 8
}
