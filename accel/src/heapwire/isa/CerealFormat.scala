package heapwire.cereal

/** What docs/cereal.md fixes, in slots of 4 bytes. */
object CerealFormat {
  val Magic = 0x4c524543L
  val Version = 1
  val HeaderBytes = 32
  /** Bit of the flags. */
  val FlagStrip = 0
  /** The graph's bytes, a number of so many bits. */
  val GraphBits = 29
  /** The low bits of a mark in a stream; the hash is above them. */
  val MarkLow = 1
  val MarkLowBits = 7

  val InstanceHeader = 4
  val ArrayHeader = 6
  /** Values of a header that is not stripped: mark, class id, and an array's length. */
  val InstanceHeaderValues = 2
  val ArrayHeaderValues = 3

  val BucketBits = 8
  val PacketBuckets = 7
  val PacketBytes = 8

  /** Of a class, as `CerealClassShape` tells it. */
  object Kind {
    val Instance = 0
    val Values = 1
    val References = 2
    /** Registered, but more than the tables can say: its objects are left to software. */
    val Elsewhere = 3
  }
}
