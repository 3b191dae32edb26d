package heapwire.core

import heapwire.cereal.deserialize.DeserializationUnitParameter
import heapwire.cereal.serialize.SerializationUnitParameter
import heapwire.isa.{Information, UnitKind}
import heapwire.memory.{LiteDramParameter, MemoryParameter}
import heapwire.protobuf.engine.EngineParameter
import spinal.core._
import spinal.lib.bus.misc.SizeMapping

/** What a cluster is made of, fixed at elaboration.
  *
  * @param name                  the configuration's name, which software can read
  * @param dataWidth             bits of a memory word, the width of LiteDRAM's native port: 32, 64 or 128
  * @param memoryBase            first byte of main memory
  * @param memoryBytes           size of main memory, a power of two
  * @param instructionCacheBytes one way, 32-byte lines
  * @param dataCacheBytes        one way, 32-byte lines, write-through
  * @param sharedCacheBytes      the cache before DRAM that core and units share
  * @param sharedCacheWays       its ways, 2 or 4
  * @param dramPorts             LiteDRAM's native ports a direction, 1 or 2; if nothing is said 1 at 32 bits, where rows are opened in time anyway, else 2
  * @param units                 how many units of each kind
  * @param engine                the shape of the protobuf engines
  * @param cereal                the shape of Cereal's deserialization units
  * @param cerealSerializer      the shape of Cereal's serialization units; which one a unit is, and whether it shares claims, follows from their number
  * @param tags                  commands that may be alive (queued, running, or not yet released)
  * @param queueDepth            commands that may wait for a unit, per kind
  * @param unitClockDivider      the units run at the cluster's clock (1) or at half of it (2), which then does not limit the cluster's
  * @param counters              count commands, cycles, bytes and beats per kind of unit
  * @param debug                 how a debugger reaches the core, if it does
  * @param hardwareBreakpoints   execution triggers of the core, with `debug`
  * @param coherent              false only in tests that show what the snoop is for
  * @param argumentMemory        false only in tests that play the units: engines are given all arguments of a command at once
  */
case class ClusterConfig(
    name: String = "default",
    dataWidth: Int = 128,
    memoryBase: Long = 0x40000000L,
    memoryBytes: Long = 256L << 20,
    instructionCacheBytes: Int = 8192,
    dataCacheBytes: Int = 4096,
    sharedCacheBytes: Int = 16384,
    sharedCacheWays: Int = 4,
    dramPorts: Option[Int] = None,
    units: Map[UnitKind, Int] = Map(UnitKind.Copy -> 1, UnitKind.ProtobufEngine -> 1, UnitKind.ProtobufFields -> 1),
    engine: EngineParameter = EngineParameter(),
    cereal: DeserializationUnitParameter = DeserializationUnitParameter(),
    cerealSerializer: SerializationUnitParameter = SerializationUnitParameter(),
    tags: Int = 16,
    queueDepth: Int = 8,
    unitClockDivider: Int = 1,
    counters: Boolean = true,
    debug: DebugTransport = DebugTransport.Tap,
    hardwareBreakpoints: Int = 2,
    coherent: Boolean = true,
    argumentMemory: Boolean = true
) {
  /** Bits of [[heapwire.isa.Information.Modes]]. */
  def modes: Int =
    (if (count(UnitKind.CerealSerializer) > 0 && cerealSerializer.skyway) 1 << Information.ModeSkywayWrite else 0) |
      (if (count(UnitKind.CerealDeserializer) > 0 && cereal.skyway) 1 << Information.ModeSkywayRead else 0)

  require(Set(32, 64, 128)(dataWidth), s"data width must be 32, 64 or 128 bits, not $dataWidth")
  require(isPow2(memoryBytes) && memoryBytes >= (1 << 20), s"main memory must be a power of two of at least 1 MB, not $memoryBytes bytes")
  require(memoryBase % memoryBytes == 0 && memoryBase + memoryBytes <= 0xf0000000L,
    f"main memory at 0x$memoryBase%x must be aligned to its size and lie below the uncached 0xf0000000")
  for ((what, bytes) <- Seq("instruction" -> instructionCacheBytes, "data" -> dataCacheBytes))
    require(isPow2(bytes) && bytes >= 512 && bytes <= 65536, s"the $what cache must be a power of two from 512 bytes to 64 KB, not $bytes bytes")
  require(isPow2(sharedCacheBytes) && sharedCacheBytes >= 1024, s"the shared cache must be a power of two of at least 1 KB, not $sharedCacheBytes bytes")
  require(isPow2(tags) && tags >= 2 && tags <= 32, s"tags must be a power of two from 2 to 32 (one interrupt enable bit each), not $tags")
  require(isPow2(queueDepth) && queueDepth >= 2 && queueDepth <= 64, s"the queue depth must be a power of two from 2 to 64, not $queueDepth")
  require(unitClockDivider == 1 || unitClockDivider == 2, s"the units' clock is the cluster's divided by 1 or 2, not $unitClockDivider")
  units.foreach { case (kind, count) =>
    require(count >= 0 && count <= 8, s"0 to 8 units of a kind, not $count of ${kind.name}")
  }

  require(hardwareBreakpoints >= 1 && hardwareBreakpoints <= 16, s"1 to 16 hardware breakpoints, not $hardwareBreakpoints")
  require(count(UnitKind.ProtobufFields) <= 1, "one engine carries out the field instructions at most")
  require(count(UnitKind.ProtobufFields) == 0 || count(UnitKind.ProtobufEngine) > 0, "the field instructions want an engine")
  require(unitClockDivider == 1 || count(UnitKind.CerealSerializer) <= 1,
    s"units that claim objects together run at the cluster's clock: one cereal_serializer with unitClockDivider $unitClockDivider, not ${count(UnitKind.CerealSerializer)}")

  val memory = MemoryParameter(dataWidth)
  val dram = LiteDramParameter(memoryBase = memoryBase, memoryBytes = memoryBytes, stripes = dramPorts.getOrElse(if (dataWidth == 32) 1 else 2))
  val memoryMapping = SizeMapping(memoryBase, memoryBytes)

  def tagWidth: Int = log2Up(tags)
  def hasDebug: Boolean = debug != DebugTransport.NoDebug
  def count(kind: UnitKind): Int = units.getOrElse(kind, 0)
  /** Its units look up their commands' arguments in a memory of the front end. Units at half the clock get all of them with the command. */
  def looksUp(kind: UnitKind): Boolean = argumentMemory && kind == UnitKind.ProtobufEngine && unitClockDivider == 1
  /** An engine carries out the field instructions: the last one, as commands that come one at a time go to the first one. */
  def hasFields: Boolean = count(UnitKind.ProtobufFields) > 0
  /** Each unit has one; the engine that carries out the field instructions just its own. */
  def unitClocks: Int = units.collect { case (kind, count) if kind.queued => count }.sum
}

object ClusterConfig {
  /** For a 20k-LUT board. It has no copy unit, which neither the engine's driver nor the collector uses; its calls are answered by software, and
    * counted. 31 messages within the root make 32 levels: hasbits and stack, which are kept by level, fit one block memory each. */
  val tiny = ClusterConfig("tiny", instructionCacheBytes = 4096, sharedCacheBytes = 8192, sharedCacheWays = 2,
    units = Map(UnitKind.ProtobufEngine -> 1), engine = EngineParameter(maxDepth = 31, inputSlots = 4),
    tags = 8, queueDepth = 2, counters = false, debug = DebugTransport.NoDebug)
  val default = ClusterConfig("default")
  /** Two engines. Cereal's units have configurations of their own (docs/decisions/0011-cereal-configurations.md). */
  val full = ClusterConfig("full", sharedCacheBytes = 32768,
    units = Map(UnitKind.Copy -> 1, UnitKind.ProtobufEngine -> 2, UnitKind.ProtobufFields -> 1))
  /** What the second engine brings is measured against this. */
  val single = full.copy(name = "single", units = default.units)
  /** Whole messages alone, without the instructions that go field by field: what the larger boards have room for. */
  val messages = default.copy(name = "messages", units = default.units - UnitKind.ProtobufFields)
  /** No format unit, no debugger: what they cost, in area and in clock, is measured against this. */
  val bare = ClusterConfig("bare", units = Map(UnitKind.Copy -> 1), debug = DebugTransport.NoDebug)
  /** Cereal's units alone: that many serializers and deserializers. */
  private def cereal(name: String, units: Int): ClusterConfig = ClusterConfig(name, sharedCacheBytes = 65536,
    units = Map(UnitKind.Copy -> 1, UnitKind.CerealSerializer -> units, UnitKind.CerealDeserializer -> units))
  val cereal: ClusterConfig = cereal("cereal", 1)
  val cerealX2: ClusterConfig = cereal("cereal-x2", 2)
  val cerealX4: ClusterConfig = cereal("cereal-x4", 4)
  /** As many as in the paper. */
  val cerealX8: ClusterConfig = cereal("cereal-x8", 8)
  /** The paper's ablation: no pipelining, one block reconstructor. */
  val cerealVanilla: ClusterConfig = cereal.copy(name = "cereal-vanilla", cereal = DeserializationUnitParameter.vanilla,
    cerealSerializer = SerializationUnitParameter.vanilla)
  /** Cereal's units, which do Skyway's work, too. */
  val skyway: ClusterConfig = cereal.copy(name = "skyway", cereal = DeserializationUnitParameter(skyway = true), cerealSerializer = SerializationUnitParameter(skyway = true))
  /** Two of each: what several units share, and Skyway's modes, in one simulator. */
  val skywayX2: ClusterConfig = skyway.copy(name = "skyway-x2", units = cerealX2.units)
  val all: Seq[ClusterConfig] = Seq(tiny, default, full, single, messages, bare, cereal, cerealX2, cerealX4, cerealX8, cerealVanilla, skyway, skywayX2)

  def named(name: String): ClusterConfig = all.find(_.name == name).getOrElse(
    throw new IllegalArgumentException(s"no configuration '$name': choose one of ${all.map(_.name).mkString(", ")}"))
}
