package heapwire.isa

/** The kinds of unit, by their place in the capability word and the counters, and what their commands may ask for. No operation is of two kinds. */
sealed abstract class UnitKind(val index: Int, val name: String, val operations: Operation*) {
  require(index < Information.CapabilityKinds, s"the capability word has no room for $name")
  /** Its units take commands, with tags; else it has instructions of its own. */
  def queued: Boolean = operations.nonEmpty
}

object UnitKind {
  case object Copy extends UnitKind(0, "copy", Operation.Copy, Operation.Fill, Operation.Gather, Operation.CompareAndSwap)
  /** Reads and writes. */
  case object ProtobufEngine extends UnitKind(1, "protobuf_engine", Operation.ProtobufDeserialize, Operation.ProtobufSerialize)
  /** [[FieldInstruction]], which an engine carries out: 1 if the core has them. */
  case object ProtobufFields extends UnitKind(2, "protobuf_fields")
  /** The SU of Cereal, ISCA 2020. */
  case object CerealSerializer extends UnitKind(3, "cereal_serializer", Operation.CerealWriteObject, Operation.SkywayWriteObject)
  /** The DU of Cereal, ISCA 2020. */
  case object CerealDeserializer extends UnitKind(4, "cereal_deserializer", Operation.CerealReadObject, Operation.SkywayReadObject)
  val all: Seq[UnitKind] = Seq(Copy, ProtobufEngine, ProtobufFields, CerealSerializer, CerealDeserializer)

  for (operation <- Operation.all; of = all.filter(_.operations.contains(operation)))
    require(of.size <= 1, s"${operation.name} is of ${of.map(_.name).mkString(" and ")}")
}
