package heapwire.core

import heapwire.copy.{CopyParameter, CopyUnit}
import heapwire.isa.UnitKind
import heapwire.memory.{FieldPort, LockPort, UnitPort}
import heapwire.protobuf.Deserializer
import heapwire.protobuf.fields.FieldUnit
import heapwire.protobuf.serialize.Serializer
import spinal.lib.bus.tilelink._

/** A unit as the cluster sees it: its command port and its roads to memory.
  *
  * @param buses masters with their parameters, in the order in which the fabric joins them
  * @param lock  present if the unit has atomic operations
  */
case class UnitSocket(kind: UnitKind, port: UnitPort, buses: Seq[(NodeParameters, Bus)], lock: Option[LockPort])

object UnitSocket {
  /** Builds one unit of a kind. */
  def apply(kind: UnitKind, config: ClusterConfig): UnitSocket = kind match {
    case UnitKind.Copy =>
      val unit = CopyUnit(CopyParameter(tagWidth = config.tagWidth), config.memory)
      val buses = Seq(unit.reader.queue.node -> unit.io.readBus, unit.writer.node -> unit.io.writeBus) ++
        unit.gather.nodes.zip(unit.io.gatherBuses)
      UnitSocket(kind, unit.io.port, buses, Some(unit.io.lock))
    case UnitKind.ProtobufDeserializer =>
      val unit = Deserializer(config.protobuf.copy(tagWidth = config.tagWidth), config.memory)
      UnitSocket(kind, unit.io.port, unit.buses, None)
    case UnitKind.ProtobufSerializer =>
      val unit = Serializer(config.serializer.copy(tagWidth = config.tagWidth), config.memory)
      UnitSocket(kind, unit.io.port, unit.buses, None)
    case _ => throw new IllegalArgumentException(s"there is no ${kind.name} to be had")
  }
}

/** The unit of the field instructions, likewise. */
case class FieldSocket(port: FieldPort, buses: Seq[(NodeParameters, Bus)])

object FieldSocket {
  def apply(config: ClusterConfig): FieldSocket = {
    val unit = FieldUnit(config.fields, config.memory)
    FieldSocket(unit.io.port, unit.buses)
  }
}
