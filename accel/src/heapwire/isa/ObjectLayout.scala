package heapwire.isa

/** Layout of objects in the 32-bit heap: offsets and sizes in bytes. Objects are aligned to [[Alignment]]. References
  * are 32 bits wide; null is 0.
  */
object ObjectLayout {
  val Alignment = 8

  /** Every object begins with its mark word and its klass word. */
  object Header {
    val Mark = 0
    val Klass = 4
    val Size = 8
  }

  /** Mark words. The low two bits are the state. If the state is Forwarded, the other bits are the object's new
    * address. Otherwise they hold a 0 bit, the age (collections survived) and the identity hash (0: not computed yet).
    */
  object Mark {
    val Unlocked = 1
    val Forwarded = 3
    val StateMask = 3
    val AgeBit = 3
    val AgeWidth = 4
    val HashBit = 7
    val HashWidth = 25
  }

  /** Serialization metadata of objects whose klass has the flag `Metadata`: behind the header of an instance, behind
    * the length of an array.
    */
  object Metadata {
    val Size = 8
    val Instance = 8
    val Array = 12
    val ArrayElements = 24
  }

  object Array {
    val Length = 8
    /** Elements of every size start here. So 8-byte elements are aligned, and one rule serves all arrays
      * (docs/decisions/0003-object-layout.md).
      */
    val Elements = 16
  }

  /** String and bytes fields: a byte array with the bytes (UTF-8 for strings), and a hash that is computed lazily. */
  object ByteString {
    val Hash = 8
    val Bytes = 12
    val Size = 16
  }

  /** A string or bytes field that was left in the input: `Length` bytes of the byte array `Owner`, from its element
    * `Offset` on; if `Owner` is null, of memory, from the address `Offset` on. The word where a [[ByteString]] has its
    * array is [[ByteView.Mark]], which is no reference.
    */
  object ByteView {
    val Owner = 8
    val Mark = 1
    val Offset = 16
    val Length = 20
    val Size = 24
  }

  /** IntArrayList and its kin: the first `Count` elements of `Array` are valid. */
  object ArrayList {
    val Count = 8
    val Array = 12
    val Size = 16
  }

  /** A memoized value that has not been computed yet. */
  val MemoUnset = -1
}

/** The klass: the class descriptor that software and units read. It is immutable and lies outside the moving heap. */
object KlassLayout {
  val ObjectSize = 0 // bytes, including the header; 0 for arrays
  val Kind = 4 // one of Kinds
  val ElementShift = 8 // log2 of an array's element size
  val Super = 12 // reference to the superclass's klass, or 0
  val Id = 16 // numeric id
  // bit i: slot i (4 bytes each, behind the header) is a reference; bit 31: pointer to a long bitmap >> 1
  val ReferenceBitmap = 20
  val Name = 24 // reference to a C string
  val Flags = 28 // 16 bits
  val TypeId = 30 // 16 bits: the class's number in Skyway's registry, 0: none (docs/reference/skyway.md)
  val Size = 32

  /** Objects of the class carry serialization metadata. */
  val FlagMetadata = 1

  val Kinds = Seq("INSTANCE" -> 0, "PRIMITIVE_ARRAY" -> 1, "OBJECT_ARRAY" -> 2, "MESSAGE" -> 3)
}
