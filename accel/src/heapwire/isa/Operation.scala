package heapwire.isa

/** What a command asks for: funct7 of `submit`.
  *
  * @param code      7 bits
  * @param arguments names of the argument words, in order
  * @param results   names of the result words, in order
  */
sealed abstract class Operation(
    val code: Int, val name: String, val arguments: Seq[String], val results: Seq[String]) {
  require(code >= 0 && code < 128 && arguments.size <= Instruction.ArgumentWords && results.size <= Instruction.ResultWords)
}

object Operation {
  /** Copies `length` bytes; the ranges must not overlap. */
  case object Copy extends Operation(0x00, "copy",
    Seq("source", "destination", "length"), Seq("done"))

  /** Writes the byte `value` `length` times. */
  case object Fill extends Operation(0x01, "fill",
    Seq("value", "destination", "length"), Seq("done"))

  /** Reads `count` aligned 16-byte words, whose addresses are the 32-bit words at
    * `list` (16-byte aligned), and writes them one after the other from
    * `destination`. `in_flight` bounds the reads under way (0: no bound but the
    * unit's). Every address must lie within [`bound`, `limit`).
    */
  case object Gather extends Operation(0x02, "gather",
    Seq("list", "destination", "count", "in_flight", "bound", "limit"), Seq("done"))

  /** Atomically: if the word at `address` is `expected` it becomes `value`.
    * `old` is what it was. Breaks the core's reservation on that block.
    */
  case object CompareAndSwap extends Operation(0x03, "compare_and_swap",
    Seq("address", "expected", "value"), Seq("old"))

  /** Parses `length` bytes at `input` into objects of the type that `table`
    * describes. Objects are taken upwards from [`fixed`, `fixed_limit`), growing
    * arrays from [`flexible`, `flexible_limit`); nothing else is ever written.
    * On an error `offset` is the input offset of the offending key or value.
    */
  case object ProtobufDeserialize extends Operation(0x10, "protobuf_deserialize",
    Seq("input", "length", "table", "max_depth", "fixed", "fixed_limit", "flexible", "flexible_limit"),
    Seq("root", "fixed_top", "flexible_top", "offset"))

  /** Writes the message at `object`, of the type that `table` describes, to the
    * end of [`output`, `output_limit`): its `length` bytes start at `start`, and
    * nothing outside that range is ever written. Objects are read only within
    * [`bound`, `limit`) and are not changed. On an error `start` and `length` are
    * 0 and `at` is the address of the object at fault.
    */
  case object ProtobufSerialize extends Operation(0x11, "protobuf_serialize",
    Seq("object", "table", "max_depth", "output", "output_limit", "bound", "limit"),
    Seq("start", "length", "at"))

  /** Writes the graph below `object` as a stream (docs/cereal.md) from `output`, 16-byte aligned, to below `output_limit`. Objects
    * are read within [`bound`, `limit`) only; of them only the metadata change. [`work`, `work_limit`), 64-byte aligned, is the unit's to write for as
    * long as the command runs. `mode`: bits 31..16 the epoch that software has opened for it, bits 15..0 the oldest epoch
    * that is open. On an error `length` is 0, `at` the address of the object at fault and `objects` how many had been numbered.
    */
  case object CerealWriteObject extends Operation(0x20, "cereal_write_object",
    Seq("object", "output", "output_limit", "work", "work_limit", "bound", "limit", "mode"),
    Seq("length", "objects", "graph", "at"))

  /** Builds the image of the stream of at most `length` bytes at `input`, 16-byte aligned, from `image`, 16-byte aligned, to below `image_limit`; nothing
    * else is ever written but [`work`, `work_limit`), 64-byte aligned. `consumed` is how long the stream is. On an error `top` is `image` and `offset`
    * the stream's byte at fault, to 16 bytes.
    */
  case object CerealReadObject extends Operation(0x21, "cereal_read_object",
    Seq("input", "length", "image", "image_limit", "work", "work_limit"),
    Seq("root", "top", "consumed", "offset"))

  /** Writes what the graph below `object` adds to a buffer of Skyway (docs/skyway.md): its objects' clones alone, one after the other from `output`, 8-byte aligned, to below
    * `output_limit` rounded down to 16; the first gets the relative address `relative`, a multiple of 8 from 16 to below 2^29. `owner`: the owner word of the stream, bits 31..16
    * the epoch of its phase; an object that has it was sent before. `work`: bits 31..6 a place of 64-byte blocks that are the unit's to write for as long
    * as the command runs, bits 5..0 log2 of its bytes, 6 at least. Objects are read within [`bound`, `limit`) only; of them only the metadata change.
    * `top` is the relative address behind the last object, which has been claimed, of which there are `objects` more, with type ids up to `types`. On an
    * error these tell what has been claimed, `at` is the address of the object at fault, and what is in the output means nothing.
    */
  case object SkywayWriteObject extends Operation(0x22, "skyway_write_object",
    Seq("object", "output", "output_limit", "work", "owner", "bound", "limit", "relative"),
    Seq("types", "objects", "top", "at"))

  /** Makes the `length` bytes of clones at `chunk`, 64-byte aligned, the only ones of a buffer of Skyway, into objects in place: klasses for type ids, addresses for
    * references. Nothing else is ever written but [`work`, `work_limit`), 64-byte aligned, from the start of which on there is, afterwards, a bit for 8 bytes of
    * the chunk, 1 where an object starts, to a multiple of 64 bytes. `objects` is their number. `replaced` is 0 as long as the chunk is as it was, 1 from when the
    * unit has begun to write it: of a command that is OK, too. On an error `at` is the relative address that docs/skyway.md has for it; with `replaced` 1 that is
    * where a reference leads and no object begins, and all else has been replaced, unless the error is BUS_FAULT, which has no place.
    */
  case object SkywayReadObject extends Operation(0x23, "skyway_read_object",
    Seq("chunk", "length", "work", "work_limit"),
    Seq("objects", "replaced", "at"))

  val all: Seq[Operation] = Seq(Copy, Fill, Gather, CompareAndSwap, ProtobufDeserialize, ProtobufSerialize,
    CerealWriteObject, CerealReadObject, SkywayWriteObject, SkywayReadObject)
}
