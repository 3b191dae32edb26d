package heapwire.isa

/** The operation of a command: funct7 of `submit`.
  *
  * @param code      7 bits
  * @param arguments names of the argument words, in order
  * @param results   names of the result words, in order
  */
sealed abstract class Operation(
    val code: Int, val name: String, val arguments: Seq[String], val results: Seq[String]) {
  require(
    code >= 0 && code < 128 && arguments.size <= Instruction.ArgumentWords && results.size <= Instruction.ResultWords)
}

object Operation {
  /** Copies `length` bytes. The ranges must not overlap. */
  case object Copy extends Operation(0x00, "copy",
        Seq("source", "destination", "length"), Seq("done"))

  /** Writes the byte `value` `length` times. */
  case object Fill extends Operation(0x01, "fill",
        Seq("value", "destination", "length"), Seq("done"))

  /** Reads `count` aligned 16-byte words and writes them one after the other from `destination` on. Their addresses are
    * the 32-bit words at `list`, which is 16-byte aligned. At most `in_flight` reads are under way (0: the unit's own
    * limit). Every address must lie within [`bound`, `limit`).
    */
  case object Gather extends Operation(0x02, "gather",
        Seq("list", "destination", "count", "in_flight", "bound", "limit"), Seq("done"))

  /** Atomically replaces the word at `address` by `value` if it is `expected`. `old` is what the word was. Breaks the
    * core's reservation of that block.
    */
  case object CompareAndSwap extends Operation(0x03, "compare_and_swap",
        Seq("address", "expected", "value"), Seq("old"))

  /** Parses the `length` bytes at `input` into objects of the type that `table` describes. Objects are allocated
    * upwards from [`fixed`, `fixed_limit`), growing arrays from [`flexible`, `flexible_limit`). Nothing else is ever
    * written.
    *
    * `limits`: bits 15..0 are the most levels below the root (0: the unit's own limit). If bits 30..16 are not 0, strings
    * and bytes fields of a managed message that have at least so many bytes stay in the input, and a view
    * ([[ObjectLayout.ByteView]]) takes their place. Bit 31: `input` is the first element of a byte array of the heap,
    * which becomes their owner. On an error, `root` and the tops are 0, and `offset` is the input offset of the offending key or value.
    */
  case object ProtobufDeserialize extends Operation(0x10, "protobuf_deserialize",
        Seq("input", "length", "table", "limits", "fixed", "fixed_limit", "flexible", "flexible_limit"),
        Seq("root", "fixed_top", "flexible_top", "offset"))

  /** Writes the message at `object`, of the type that `table` describes, to the end of [`output`, `output_limit`): its
    * `length` bytes start at `start`. Nothing outside that range is ever written. Objects are read only within
    * [`bound`, `limit`) and are not changed. On an error, `start` and `length` are 0 and `at` is the address of the
    * object at fault.
    */
  case object ProtobufSerialize extends Operation(0x11, "protobuf_serialize",
        Seq("object", "table", "max_depth", "output", "output_limit", "bound", "limit"),
        Seq("start", "length", "at"))

  /** Writes the graph below `object` as a Cereal stream (docs/reference/cereal.md) to [`output`, `output_limit`);
    * `output` is 16-byte aligned. Objects are read only within [`bound`, `limit`), and only their metadata change. The
    * unit may write [`work`, `work_limit`), 64-byte aligned, while the command runs.
    *
    * `mode`: bits 31..16 are the epoch that software has opened for this command, bits 15..0 the oldest open epoch. On
    * an error, `length` is 0, `at` is the address of the object at fault, and `objects` is how many objects had been
    * numbered.
    */
  case object CerealWriteObject extends Operation(0x20, "cereal_write_object",
        Seq("object", "output", "output_limit", "work", "work_limit", "bound", "limit", "mode"),
        Seq("length", "objects", "graph", "at"))

  /** Builds the image of the Cereal stream at `input`, 16-byte aligned and of at most `length` bytes, in [`image`,
    * `image_limit`); `image` is 16-byte aligned. Nothing else is ever written but [`work`, `work_limit`), 64-byte
    * aligned. `consumed` is the length of the stream. On an error, `top` is `image`, and `offset` is the byte of the
    * stream at fault, rounded to 16 bytes.
    */
  case object CerealReadObject extends Operation(0x21, "cereal_read_object",
        Seq("input", "length", "image", "image_limit", "work", "work_limit"),
        Seq("root", "top", "consumed", "offset"))

  /** Writes what the graph below `object` adds to a Skyway buffer (docs/reference/skyway.md): only the clones of its
    * objects, one after the other, from `output`, 8-byte aligned, to below `output_limit` rounded down to 16. The first
    * clone has the relative address `relative`, a multiple of 8 from 16 to below 2^29.
    *
    * `owner` is the stream's owner word, whose bits 31..16 are the epoch of its phase. An object that carries this word
    * was sent before. `work`: bits 31..6 are the address of 64-byte blocks that the unit may write while the command
    * runs, bits 5..0 are log2 of their size in bytes, at least 6. Objects are read only within [`bound`, `limit`), and
    * only their metadata change.
    *
    * `top` is the relative address behind the last object that was claimed, `objects` the number of objects added, and
    * `types` the highest type id among them. On an error, these three describe what has been claimed, `at` is the
    * address of the object at fault, and the content of the output is undefined.
    */
  case object SkywayWriteObject extends Operation(0x22, "skyway_write_object",
        Seq("object", "output", "output_limit", "work", "owner", "bound", "limit", "relative"),
        Seq("types", "objects", "top", "at"))

  /** Turns the `length` bytes of clones at `chunk`, 64-byte aligned, into objects in place: type ids become klasses,
    * relative addresses become references. The chunk must be the buffer's only one. Nothing else is ever written but
    * [`work`, `work_limit`), 64-byte aligned. Afterwards the work area begins with a map of one bit per 8 bytes of the
    * chunk, 1 where an object starts, padded to a multiple of 64 bytes.
    *
    * `objects` is the number of objects. `replaced` is 0 while the chunk is unchanged, and 1 once the unit has begun to
    * write the chunk, also if the command ends OK. On an error, `at` is the relative address that
    * docs/reference/skyway.md defines for that error. If `replaced` is 1, `at` is where a reference leads although no
    * object begins there, and everything else has been replaced; the exception is BUS_FAULT, for which `at` has no
    * meaning.
    */
  case object SkywayReadObject extends Operation(0x23, "skyway_read_object",
        Seq("chunk", "length", "work", "work_limit"),
        Seq("objects", "replaced", "at"))

  /** Copies what is live out of the young spaces [`young`, `young_limit`), as far as the references of a list lead to it
    * (docs/reference/units/evacuation.md). The list, 8-byte aligned, gets the new addresses. `count`: bits 7..0 are the
    * references of the list, bits 11..8 the tenure. Only the list and [`old_top`, `young_limit`) are ever written.
    * `left` chains the objects whose slots are left to software. On an error, `at` is the object at fault.
    */
  case object Evacuate extends Operation(0x30, "evacuate",
        Seq("references", "count", "old_top", "young", "young_limit", "top", "limit", "left"),
        Seq("top", "old_top", "left", "at"))

  val all: Seq[Operation] = Seq(Copy, Fill, Gather, CompareAndSwap, ProtobufDeserialize, ProtobufSerialize,
    CerealWriteObject, CerealReadObject, SkywayWriteObject, SkywayReadObject, Evacuate)
}
