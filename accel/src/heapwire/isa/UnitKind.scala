package heapwire.isa

/** The kinds of unit, by their place in the capability word and the counters, and what their commands may ask for. A cluster has no two kinds for one operation. */
sealed abstract class UnitKind(val index: Int, val name: String, val operations: Operation*) {
  require(index < Information.CapabilityKinds, s"the capability word has no room for $name")
  /** Its units take commands, with tags; else it has instructions of its own. */
  def queued: Boolean = operations.nonEmpty
}

object UnitKind {
  case object Copy extends UnitKind(0, "copy", Operation.Copy, Operation.Fill, Operation.Gather, Operation.CompareAndSwap)
  case object ProtobufDeserializer extends UnitKind(1, "protobuf_deserializer", Operation.ProtobufDeserialize)
  case object ProtobufSerializer extends UnitKind(2, "protobuf_serializer", Operation.ProtobufSerialize)
  /** Executes [[FieldInstruction]]. */
  case object ProtobufFields extends UnitKind(3, "protobuf_fields")
  /** The SU of Cereal, ISCA 2020. */
  case object CerealSerializer extends UnitKind(4, "cereal_serializer", Operation.CerealWriteObject, Operation.SkywayWriteObject)
  /** The DU of Cereal, ISCA 2020. */
  case object CerealDeserializer extends UnitKind(5, "cereal_deserializer", Operation.CerealReadObject, Operation.SkywayReadObject)
  /** Both directions by one unit. */
  case object ProtobufEngine extends UnitKind(6, "protobuf_engine", Operation.ProtobufDeserialize, Operation.ProtobufSerialize)
  val all: Seq[UnitKind] = Seq(Copy, ProtobufDeserializer, ProtobufSerializer, ProtobufFields, CerealSerializer, CerealDeserializer, ProtobufEngine)

  /** The operations that several of `kinds` carry out, in words: none, in a cluster. */
  def ambiguous(kinds: Seq[UnitKind]): Seq[String] =
    for (operation <- Operation.all; of = kinds.filter(_.operations.contains(operation)) if of.size > 1)
      yield s"${operation.name} by ${of.map(_.name).mkString(" and ")}"
}
