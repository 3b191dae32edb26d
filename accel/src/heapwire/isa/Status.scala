package heapwire.isa

/** The outcome of a command, 8 bits, as `wait` and `poll` answer it. */
sealed abstract class Status(val code: Int, val name: String, val meaning: String)

object Status {
  case object Ok extends Status(0, "OK", "complete")

  // Any unit
  case object BusFault extends Status(1, "BUS_FAULT", "an address outside main memory")
  case object BadCommand extends Status(2, "BAD_COMMAND", "an operation the unit does not have")
  case object BadAlignment extends Status(3, "BAD_ALIGNMENT", "an address that is not aligned as the operation asks")
  case object OutOfBounds extends Status(4, "OUT_OF_BOUNDS", "an address outside the command's bounds")

  case object Broken extends Status(5, "BROKEN", "another one ended this sequence of field instructions")

  // Malformed input, protobuf
  case object Truncated extends Status(16, "TRUNCATED", "the input ends inside a field")
  case object VarintOverflow
      extends Status(17, "VARINT_OVERFLOW", "a varint over ten bytes, a key or length over five bytes or 32 bits")
  case object BadWireType extends Status(18, "BAD_WIRE_TYPE", "wire type 6 or 7")
  case object FieldNumberZero extends Status(19, "FIELD_NUMBER_ZERO", "a key with field number 0")
  case object BadLength
      extends Status(20, "BAD_LENGTH", "a length beyond its enclosing message, or not a multiple of a packed element")
  case object DepthExceeded
      extends Status(21, "DEPTH_EXCEEDED", "messages or groups nested deeper than the command allows")
  case object BadGroup
      extends Status(22, "BAD_GROUP", "an end-group key without its start, or a group that does not end")
  case object InvalidUtf8 extends Status(23, "INVALID_UTF8", "a string field that is not UTF-8")
  case object MissingRequired extends Status(24, "MISSING_REQUIRED", "a message without one of its required fields")

  case object DoesNotFit
      extends Status(25, "DOES_NOT_FIT", "native structs: a value, length or count that its place cannot hold")

  // Resources and tables
  case object FixedArenaFull extends Status(32, "FIXED_ARENA_FULL", "no room for an object in the fixed arena")
  case object FlexibleArenaFull extends Status(33, "FLEXIBLE_ARENA_FULL", "no room for an array in the flexible arena")
  case object BadDescriptor
      extends Status(34, "BAD_DESCRIPTOR", "a descriptor table that is out of bounds or malformed")
  case object Unsupported extends Status(35, "UNSUPPORTED", "valid input that this unit leaves to software")
  case object OutputFull extends Status(36, "OUTPUT_FULL", "no room for the message in the output")
  case object BadObject
      extends Status(37, "BAD_OBJECT", "a reference outside the heap bounds, or an object that contradicts its class")

  // Cereal
  case object BadStream extends Status(48, "BAD_STREAM",
        "a stream's header that contradicts the format, the class set or the stream's length")
  case object BadValue
      extends Status(49, "BAD_VALUE", "a mark or class id that no stream may hold, or a value array of another length")
  case object BadReference
      extends Status(50, "BAD_REFERENCE", "a packed reference that is malformed, or leads to no object")
  case object BadLayout extends Status(51, "BAD_LAYOUT", "a packed layout that is malformed, or is not its class's")
  case object UnregisteredClass extends Status(52, "UNREGISTERED_CLASS", "an object whose class the unit does not hold")
  case object SharedObject extends Status(53, "SHARED_OBJECT", "an object that another serialization has in use")
  case object WorkFull extends Status(54, "WORK_FULL", "no room in the work area")

  val all: Seq[Status] = Seq(Ok, BusFault, BadCommand, BadAlignment, OutOfBounds, Broken,
    Truncated, VarintOverflow, BadWireType, FieldNumberZero, BadLength, DepthExceeded, BadGroup,
    InvalidUtf8, MissingRequired, DoesNotFit, FixedArenaFull, FlexibleArenaFull, BadDescriptor, Unsupported, OutputFull,
    BadObject,
    BadStream, BadValue, BadReference, BadLayout, UnregisteredClass, SharedObject, WorkFull)

  val Width = 8
}
