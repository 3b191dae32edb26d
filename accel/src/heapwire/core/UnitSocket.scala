package heapwire.core

import heapwire.cereal.deserialize.DeserializationUnit
import heapwire.cereal.serialize.{ClaimPort, SerializationUnit}
import heapwire.copy.CopyUnit
import heapwire.evacuate.EvacuationUnit
import heapwire.isa.UnitKind
import heapwire.memory.{ArgumentPort, FieldPort, SharedRoad, UnitPort}
import heapwire.protobuf.engine.Engine
import spinal.lib.bus.tilelink._

/** A unit as the cluster sees it: its command port and its memory buses.
  *
  * @param buses    masters with their parameters, in the order in which the fabric joins them
  * @param claim    present if the unit claims objects alongside other units
  * @param argument present if the unit looks its arguments up
  * @param fields   present if the unit also carries out the field instructions
  * @param linger   the number of the unit's cycles, after the last one with work, in which its registers may still
  *                 change
  */
case class UnitSocket(kind: UnitKind, port: UnitPort, buses: Seq[(NodeParameters, Bus)],
    claim: Option[ClaimPort] = None, argument: Option[ArgumentPort] = None, fields: Option[FieldPort] = None,
    linger: Int = UnitClock.Linger)

object UnitSocket {
  /** Builds one unit of a kind. `ordinal` is its number within the kind, from 0. */
  def apply(kind: UnitKind, config: ClusterConfig, ordinal: Int): UnitSocket = kind match {
    case UnitKind.Copy =>
      val unit = CopyUnit(config.tagWidth, config.memory)
      UnitSocket(kind, unit.io.port, Seq(unit.engine.node -> unit.io.bus))
    case UnitKind.ProtobufEngine =>
      val withFields = config.hasFields && ordinal == config.count(kind) - 1
      val unit =
        Engine(config.engine.copy(tagWidth = config.tagWidth, fields = withFields, looksUp = config.looksUp(kind)),
          config.memory)
      // After a register write its cache may sweep its lines.
      UnitSocket(kind, unit.io.port, unit.buses, argument = Option(unit.io.argument), fields = Option(unit.io.fields),
        linger = UnitClock.Linger + config.engine.cacheBytes / config.memory.blockBytes)
    case UnitKind.CerealSerializer =>
      // Unit number 0 in an object's owner word stands for software.
      val unit = SerializationUnit(config.cerealSerializer.copy(tagWidth = config.tagWidth, unit = ordinal + 1,
          claimants = config.count(kind), allocatedBytes = config.sharedCacheBytes / 2), config.memory)
      UnitSocket(kind, unit.io.port, unit.buses, claim = Option(unit.io.claim))
    case UnitKind.CerealDeserializer =>
      val unit = DeserializationUnit(config.cereal.copy(tagWidth = config.tagWidth), config.memory)
      // The fabric moves one word per cycle and direction, however many buses the unit has. Three buses keep values,
      // packed sections, and writes from waiting for one another.
      val Seq(values, references, layouts, scan, starts, written, objects) = unit.buses
      UnitSocket(kind, unit.io.port,
        Seq(values, SharedRoad(references, layouts, scan, starts), SharedRoad(written, objects)))
    case UnitKind.Evacuation =>
      val unit = EvacuationUnit(config.tagWidth, config.memory)
      UnitSocket(kind, unit.io.port, Seq(unit.node -> unit.io.bus))
    case _ => throw new IllegalArgumentException(s"there is no ${kind.name} to be had")
  }
}
