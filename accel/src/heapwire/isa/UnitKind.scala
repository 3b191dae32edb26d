package heapwire.isa

/** The kinds of unit, with their index in the capability word and in the counters, and the operations that each carries
  * out. An operation belongs to at most one kind.
  */
sealed abstract class UnitKind(val index: Int, val name: String, val operations: Operation*) {
  require(index < Information.CapabilityKinds, s"the capability word has no room for $name")
  /** Returns whether units of this kind take commands with tags. A kind that is not queued has instructions of its own.
    */
  def queued: Boolean = operations.nonEmpty
}

object UnitKind {
  case object Copy
      extends UnitKind(0, "copy", Operation.Copy, Operation.Fill, Operation.Gather, Operation.CompareAndSwap)
  /** Reads and writes protobuf messages. */
  case object ProtobufEngine
      extends UnitKind(1, "protobuf_engine", Operation.ProtobufDeserialize, Operation.ProtobufSerialize)
  /** The instructions of [[FieldInstruction]], which an engine carries out. The count is 1 if the core has them. */
  case object ProtobufFields extends UnitKind(2, "protobuf_fields")
  /** The serialization unit (SU) of Cereal, ISCA 2020. */
  case object CerealSerializer
      extends UnitKind(3, "cereal_serializer", Operation.CerealWriteObject, Operation.SkywayWriteObject)
  /** The deserialization unit (DU) of Cereal, ISCA 2020. */
  case object CerealDeserializer
      extends UnitKind(4, "cereal_deserializer", Operation.CerealReadObject, Operation.SkywayReadObject)
  /** Copies live objects in a young collection. */
  case object Evacuation extends UnitKind(5, "evacuation", Operation.Evacuate)
  val all: Seq[UnitKind] =
    Seq(Copy, ProtobufEngine, ProtobufFields, CerealSerializer, CerealDeserializer, Evacuation)

  for (operation <- Operation.all; of = all.filter(_.operations.contains(operation)))
    require(of.size <= 1, s"${operation.name} is of ${of.map(_.name).mkString(" and ")}")
}
