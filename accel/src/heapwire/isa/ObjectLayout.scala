package heapwire.isa

/** How objects lie in the 32-bit heap: offsets and sizes in bytes. Objects are
  * aligned to [[Alignment]]; references are 32 bits wide, null is 0.
  */
object ObjectLayout {
  val Alignment = 8

  /** Every object begins with its mark word and its class word. */
  object Header {
    val Mark = 0
    val Klass = 4
    val Size = 8
  }

  /** Mark words: the low two bits tell the state; a forwarded object's other bits
    * are its new address. Else: a bit that is 0, collections survived, identity
    * hash (0: not computed yet).
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

  /** Serialization metadata, which classes with the flag `Metadata` carry: behind
    * the header of an object, behind the length of an array. */
  object Metadata {
    val Size = 8
    val Instance = 8
    val Array = 12
    val ArrayElements = 24
  }

  object Array {
    val Length = 8
    /** Elements start here for every element size, so that 8-byte elements are
      * aligned and one rule serves all arrays (docs/decisions/0003). */
    val Elements = 16
  }

  /** String and bytes fields: the UTF-8 bytes in a byte array, the hash computed lazily. */
  object ByteString {
    val Hash = 8
    val Bytes = 12
    val Size = 16
  }

  /** IntArrayList and its kin: the first `Size` elements of `Array` count. */
  object ArrayList {
    val Count = 8
    val Array = 12
    val Size = 16
  }

  /** A memoized value that was not computed yet. */
  val MemoUnset = -1
}

/** The class descriptor that software and units read; immutable, outside the moving heap. */
object KlassLayout {
  val ObjectSize = 0        // bytes, header included; 0 for arrays
  val Kind = 4              // KlassKind
  val ElementShift = 8      // log2 of an array's element size
  val Super = 12            // reference to the superclass's klass, or 0
  val Id = 16               // numeric id
  val ReferenceBitmap = 20  // bit i: slot i (4 bytes, after the header) is a reference; bit 31 set: pointer to a long bitmap >> 1
  val Name = 24             // reference to a C string
  val Flags = 28            // 16 bits
  val TypeId = 30           // 16 bits: the class's number in Skyway's global registry, 0: none (docs/skyway.md)
  val Size = 32

  /** Objects of the class carry serialization metadata. */
  val FlagMetadata = 1

  val Kinds = Seq("INSTANCE" -> 0, "PRIMITIVE_ARRAY" -> 1, "OBJECT_ARRAY" -> 2, "MESSAGE" -> 3)
}
