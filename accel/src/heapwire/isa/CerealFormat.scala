package heapwire.isa

/** Constants of the Cereal format, which docs/reference/cereal.md specifies. A slot is 4 bytes. */
object CerealFormat {
  val Slot = 4

  val Magic = 0x4c524543L
  val Version = 1
  /** Streams and their sections begin and end at multiples of this many bytes. */
  val Alignment = 16

  /** Byte offsets of the fields of a stream's header. Version and flags have 8 bits, the reserved field 16, all others
    * 32.
    */
  object Header {
    val Magic = 0
    val Version = 4
    val Flags = 5
    val Reserved = 6
    val ClassSet = 8
    val Objects = 12
    val Graph = 16
    val Values = 20
    val References = 24
    val Layouts = 28
    val Size = 32
    val all: Seq[(String, Int)] = Seq("magic" -> Magic, "version" -> Version, "flags" -> Flags, "reserved" -> Reserved,
      "class_set" -> ClassSet,
      "objects" -> Objects, "graph" -> Graph, "values" -> Values, "references" -> References, "layouts" -> Layouts)
  }
  /** Bit of the flags: headers are stripped. */
  val FlagStrip = 0

  /** The size of the graph, in bytes, is a number of `GraphBits` bits and is at least `GraphLeast`. */
  val GraphBits = 29
  val GraphLeast = 16

  /** The low bits of a mark word in a stream. The identity hash is above them. */
  val MarkLow: Int = ObjectLayout.Mark.Unlocked
  val MarkLowBits: Int = ObjectLayout.Mark.HashBit

  /** Slots of an object's header in the image. */
  val InstanceHeader: Int = (ObjectLayout.Metadata.Instance + ObjectLayout.Metadata.Size) / Slot
  val ArrayHeader: Int = ObjectLayout.Metadata.ArrayElements / Slot
  /** Values of a header that is not stripped: mark, class id and, for an array, its length. */
  val InstanceHeaderValues = 2
  val ArrayHeaderValues = 3

  /** A packet is an end map of one byte and the buckets that the end map describes. */
  val BucketBits = 8
  val PacketBuckets = 7
  val PacketBytes = 8
  require(PacketBytes == 1 + PacketBuckets * BucketBits / 8 && PacketBuckets < 8)

  /** A reference is a relative address in units of `Granule` bytes, counted from 1. Its item has at most
    * `ReferenceBuckets` buckets.
    */
  val Granule: Int = ObjectLayout.Alignment
  val ReferenceBuckets = 4
  require(ReferenceBuckets == (GraphBits - Integer.numberOfTrailingZeros(Granule) + BucketBits) / BucketBits)

  /** Kinds of class, in the class set and in [[RuntimeRegister.CerealClassShape]]. */
  object Kind {
    val Instance = 0
    val Values = 1
    val References = 2
    /** Only in that register: the class is registered, but the units' tables cannot describe it. Software handles its
      * objects.
      */
    val Elsewhere = 3
    require(Seq(Instance, Values, References) ==
      Seq("INSTANCE", "PRIMITIVE_ARRAY", "OBJECT_ARRAY").map(KlassLayout.Kinds.toMap))
  }

  /** How the runtime registers describe classes: the bits of [[RuntimeRegister.CerealMode]], the lowest bit of the kind
    * in [[RuntimeRegister.CerealClassShape]], and the number of slots for which
    * [[RuntimeRegister.CerealClassReferences]] has a bit.
    */
  object Registration {
    val ModeStrip = 0
    val ModeForget = 1
    val KindBit = 30
    /** Bit of [[RuntimeRegister.CerealClassId]]: the id is a type id of Skyway. */
    val TypeIdBit = 31
    val Slots = 32
  }

  /** The constants that software gets, by name. */
  val constants: Seq[(String, Long)] = Seq[(String, Long)](
    "slot" -> Slot, "magic" -> Magic, "version" -> Version, "alignment" -> Alignment) ++ Header.all.map {
    case (name, at) => s"header_$name" -> at.toLong
  } ++ Seq[(String, Long)](
    "header_size" -> Header.Size, "flag_strip" -> (1 << FlagStrip),
    "graph_limit" -> (1L << GraphBits), "graph_least" -> GraphLeast,
    "mark" -> MarkLow, "mark_mask" -> ((1 << MarkLowBits) - 1), "hash_bit" -> MarkLowBits,
    "instance_header" -> InstanceHeader, "array_header" -> ArrayHeader,
    "bucket_bits" -> BucketBits, "packet_buckets" -> PacketBuckets, "packet_bytes" -> PacketBytes,
    "granule" -> Granule, "reference_buckets" -> ReferenceBuckets,
    "kind_instance" -> Kind.Instance, "kind_values" -> Kind.Values, "kind_references" -> Kind.References,
    "kind_elsewhere" -> Kind.Elsewhere,
    "mode_strip" -> (1 << Registration.ModeStrip), "mode_forget" -> (1 << Registration.ModeForget),
    "shape_kind_bit" -> Registration.KindBit, "id_type" -> (1L << Registration.TypeIdBit),
    "shape_slots" -> Registration.Slots)
}
