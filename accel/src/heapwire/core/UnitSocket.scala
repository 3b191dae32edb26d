package heapwire.core

import heapwire.cereal.deserialize.DeserializationUnit
import heapwire.cereal.serialize.{ClaimPort, SerializationUnit}
import heapwire.copy.CopyUnit
import heapwire.isa.UnitKind
import heapwire.memory.{ArgumentPort, FieldPort, SharedRoad, UnitPort}
import heapwire.protobuf.engine.Engine
import spinal.lib.bus.tilelink._

/** A unit as the cluster sees it: its command port and its roads to memory.
  *
  * @param buses masters with their parameters, in the order in which the fabric joins them
  * @param claim present if the unit claims objects beside others that do
  * @param argument present if the unit looks its arguments up
  * @param fields present if the unit carries out the field instructions, too
  * @param linger its registers may change for so many of its cycles after the last one with something for it to do
  */
case class UnitSocket(kind: UnitKind, port: UnitPort, buses: Seq[(NodeParameters, Bus)],
                      claim: Option[ClaimPort] = None, argument: Option[ArgumentPort] = None, fields: Option[FieldPort] = None, linger: Int = UnitClock.Linger)

object UnitSocket {
  /** Builds one unit of a kind, the `ordinal`th of it from 0 on. */
  def apply(kind: UnitKind, config: ClusterConfig, ordinal: Int): UnitSocket = kind match {
    case UnitKind.Copy =>
      val unit = CopyUnit(config.tagWidth, config.memory)
      UnitSocket(kind, unit.io.port, Seq(unit.engine.node -> unit.io.bus))
    case UnitKind.ProtobufEngine =>
      val withFields = config.hasFields && ordinal == config.count(kind) - 1
      val unit = Engine(config.engine.copy(tagWidth = config.tagWidth, fields = withFields, looksUp = config.looksUp(kind)), config.memory)
      // After a register write its cache may sweep its lines.
      UnitSocket(kind, unit.io.port, unit.buses, argument = Option(unit.io.argument), fields = Option(unit.io.fields), linger = UnitClock.Linger + config.engine.cacheBytes / config.memory.blockBytes)
    case UnitKind.CerealSerializer =>
      // 0 is software's, in an object's owner word.
      val unit = SerializationUnit(config.cerealSerializer.copy(tagWidth = config.tagWidth, unit = ordinal + 1, claimants = config.count(kind), allocatedBytes = config.sharedCacheBytes / 2), config.memory)
      UnitSocket(kind, unit.io.port, unit.buses, claim = Option(unit.io.claim))
    case UnitKind.CerealDeserializer =>
      val unit = DeserializationUnit(config.cereal.copy(tagWidth = config.tagWidth), config.memory)
      // Its road is the fabric's, of a word a cycle each way, however many buses it has: values, what is packed, and writes do not wait for one another.
      val Seq(values, references, layouts, scan, starts, written, objects) = unit.buses
      UnitSocket(kind, unit.io.port, Seq(values, SharedRoad(references, layouts, scan, starts), SharedRoad(written, objects)))
    case _ => throw new IllegalArgumentException(s"there is no ${kind.name} to be had")
  }
}
