package heapwire.isa

/** The numbers of the Cereal format; docs/cereal.md says what they mean. Slots are 4 bytes. */
object CerealFormat {
  val Slot = 4

  val Magic = 0x4c524543L
  val Version = 1
  /** What streams, and their sections, begin and end at multiples of. */
  val Alignment = 16

  /** Where the fields of a stream's header lie, in bytes: one of 16 bits, two of 8, the others of 32. */
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
    val all: Seq[(String, Int)] = Seq("magic" -> Magic, "version" -> Version, "flags" -> Flags, "reserved" -> Reserved, "class_set" -> ClassSet,
      "objects" -> Objects, "graph" -> Graph, "values" -> Values, "references" -> References, "layouts" -> Layouts)
  }
  /** Bit of the flags. */
  val FlagStrip = 0

  /** The graph's bytes: a number of so many bits, and of at least so many bytes. */
  val GraphBits = 29
  val GraphLeast = 16

  /** The low bits of a mark in a stream; the hash is above them. */
  val MarkLow: Int = ObjectLayout.Mark.Unlocked
  val MarkLowBits: Int = ObjectLayout.Mark.HashBit

  /** Slots of a header, in the image. */
  val InstanceHeader: Int = (ObjectLayout.Metadata.Instance + ObjectLayout.Metadata.Size) / Slot
  val ArrayHeader: Int = ObjectLayout.Metadata.ArrayElements / Slot
  /** Values of a header that is not stripped: mark, class id, and an array's length. */
  val InstanceHeaderValues = 2
  val ArrayHeaderValues = 3

  /** A packet is its end map, a byte, and the buckets that it tells of. */
  val BucketBits = 8
  val PacketBuckets = 7
  val PacketBytes = 8
  require(PacketBytes == 1 + PacketBuckets * BucketBits / 8 && PacketBuckets < 8)

  /** A reference is a relative address in these units of bytes, from 1 on; its item has so many buckets at most. */
  val Granule: Int = ObjectLayout.Alignment
  val ReferenceBuckets = 4
  require(ReferenceBuckets == (GraphBits - Integer.numberOfTrailingZeros(Granule) + BucketBits) / BucketBits)

  /** Of a class, in the class set and in [[RuntimeRegister.CerealClassShape]]. */
  object Kind {
    val Instance = 0
    val Values = 1
    val References = 2
    /** In that register alone: registered, but more than the tables can say; its objects are left to software. */
    val Elsewhere = 3
    require(Seq(Instance, Values, References) == Seq("INSTANCE", "PRIMITIVE_ARRAY", "OBJECT_ARRAY").map(KlassLayout.Kinds.toMap))
  }

  /** How the runtime registers tell of the classes: bits of [[RuntimeRegister.CerealMode]], the lowest bit of the kind in
    * [[RuntimeRegister.CerealClassShape]], and how many slots [[RuntimeRegister.CerealClassReferences]] has a bit for. */
  object Registration {
    val ModeStrip = 0
    val ModeForget = 1
    val KindBit = 30
    /** Of [[RuntimeRegister.CerealClassId]]: a type id of Skyway. */
    val TypeIdBit = 31
    val Slots = 32
  }

  /** What software is told, by name. */
  val constants: Seq[(String, Long)] = Seq[(String, Long)](
    "slot" -> Slot, "magic" -> Magic, "version" -> Version, "alignment" -> Alignment) ++
    Header.all.map { case (name, at) => s"header_$name" -> at.toLong } ++ Seq[(String, Long)](
    "header_size" -> Header.Size, "flag_strip" -> (1 << FlagStrip),
    "graph_limit" -> (1L << GraphBits), "graph_least" -> GraphLeast,
    "mark" -> MarkLow, "mark_mask" -> ((1 << MarkLowBits) - 1), "hash_bit" -> MarkLowBits,
    "instance_header" -> InstanceHeader, "array_header" -> ArrayHeader,
    "bucket_bits" -> BucketBits, "packet_buckets" -> PacketBuckets, "packet_bytes" -> PacketBytes,
    "granule" -> Granule, "reference_buckets" -> ReferenceBuckets,
    "kind_instance" -> Kind.Instance, "kind_values" -> Kind.Values, "kind_references" -> Kind.References, "kind_elsewhere" -> Kind.Elsewhere,
    "mode_strip" -> (1 << Registration.ModeStrip), "mode_forget" -> (1 << Registration.ModeForget),
    "shape_kind_bit" -> Registration.KindBit, "id_type" -> (1L << Registration.TypeIdBit), "shape_slots" -> Registration.Slots)
}
