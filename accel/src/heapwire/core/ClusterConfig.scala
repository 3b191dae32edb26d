package heapwire.core

import heapwire.cereal.deserialize.DeserializationUnitParameter
import heapwire.cereal.serialize.SerializationUnitParameter
import heapwire.isa.{Information, UnitKind}
import heapwire.memory.{LiteDramParameter, MemoryParameter}
import heapwire.protobuf.EngineParameter
import spinal.core._
import spinal.lib.bus.misc.SizeMapping

/** The configuration of a cluster, fixed at elaboration.
  *
  * @param name                  the configuration's name, which software can read
  * @param dataWidth             bits of a memory word, the width of LiteDRAM's native port: 32, 64 or 128
  * @param memoryBase            first byte of main memory
  * @param memoryBytes           size of main memory, a power of two
  * @param instructionCacheBytes size of the instruction cache: one way, 32-byte lines
  * @param dataCacheBytes        size of the data cache: one way, 32-byte lines, write-through
  * @param sharedCacheBytes      size of the cache in front of DRAM that core and units share
  * @param sharedCacheWays       its ways, 2 or 4
  * @param dramPorts             LiteDRAM native ports per direction, 1, 2 or 4. The default is 1 at 32 bits, where rows
  *                              are opened in time with one port; 4 at 128 bits for serialization units, whose reads
  *                              and claims open many rows (docs/decisions/0018-dram-ports.md); otherwise 2
  * @param units                 number of units of each kind
  * @param engine                parameters of the protobuf engines
  * @param cereal                parameters of Cereal's deserialization units
  * @param cerealSerializer      parameters of Cereal's serialization units. A unit's number, and whether it shares
  *                              claims, follow from how many there are
  * @param tags                  commands that may be alive (queued, running, or not yet released)
  * @param queueDepth            commands that may wait for a unit, per kind
  * @param unitClockDivider      1: the units run at the cluster's clock; 2: at half of it, so that the units do not
  *                              limit the cluster's clock
  * @param counters              count commands, cycles and bytes per kind of unit, and words read from and written to
  *                              DRAM
  * @param debug                 how a debugger reaches the core, if at all
  * @param hardwareBreakpoints   execution triggers of the core, with `debug`
  * @param coherent              false only in tests that show what the snoop is for
  * @param addedLatency          cycles that the simulated board adds to each read of memory, for sweeps; the cluster
  *                              itself does not depend on it
  * @param argumentMemory        false only in tests that play the units: engines then get all arguments with the
  *                              command
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
    units: Map[UnitKind, Int] = Map(UnitKind.Copy -> 1, UnitKind.ProtobufEngine -> 1, UnitKind.ProtobufFields -> 1,
      UnitKind.Evacuation -> 1),
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
    addedLatency: Int = 0,
    argumentMemory: Boolean = true) {
  /** Returns the bits of [[heapwire.isa.Information.Modes]]. */
  def modes: Int =
    (if (count(UnitKind.CerealSerializer) > 0 && cerealSerializer.skyway) 1 << Information.ModeSkywayWrite else 0) |
      (if (count(UnitKind.CerealDeserializer) > 0 && cereal.skyway) 1 << Information.ModeSkywayRead else 0)

  require(Set(32, 64, 128)(dataWidth), s"data width must be 32, 64 or 128 bits, not $dataWidth")
  require(isPow2(memoryBytes) && memoryBytes >= (1 << 20),
    s"main memory must be a power of two of at least 1 MB, not $memoryBytes bytes")
  require(memoryBase % memoryBytes == 0 && memoryBase + memoryBytes <= 0xf0000000L,
    f"main memory at 0x$memoryBase%x must be aligned to its size and lie below the uncached 0xf0000000")
  for ((what, bytes) <- Seq("instruction" -> instructionCacheBytes, "data" -> dataCacheBytes))
    require(isPow2(bytes) && bytes >= 512 && bytes <= 65536,
      s"the $what cache must be a power of two from 512 bytes to 64 KB, not $bytes bytes")
  require(isPow2(sharedCacheBytes) && sharedCacheBytes >= 1024,
    s"the shared cache must be a power of two of at least 1 KB, not $sharedCacheBytes bytes")
  require(isPow2(tags) && tags >= 2 && tags <= 32,
    s"tags must be a power of two from 2 to 32 (one interrupt enable bit each), not $tags")
  require(isPow2(queueDepth) && queueDepth >= 2 && queueDepth <= 64,
    s"the queue depth must be a power of two from 2 to 64, not $queueDepth")
  require(unitClockDivider == 1 || unitClockDivider == 2,
    s"the units' clock is the cluster's divided by 1 or 2, not $unitClockDivider")
  units.foreach { case (kind, count) =>
    require(count >= 0 && count <= 8, s"0 to 8 units of a kind, not $count of ${kind.name}")
  }

  require(addedLatency >= 0 && addedLatency <= 64, s"a simulated board adds 0 to 64 cycles to reads, not $addedLatency")
  require(hardwareBreakpoints >= 1 && hardwareBreakpoints <= 16,
    s"1 to 16 hardware breakpoints, not $hardwareBreakpoints")
  require(count(UnitKind.ProtobufFields) <= 1, "one engine carries out the field instructions at most")
  require(count(UnitKind.ProtobufFields) == 0 || count(UnitKind.ProtobufEngine) > 0,
    "the field instructions want an engine")
  require(unitClockDivider == 1 || count(UnitKind.CerealSerializer) <= 1,
    s"units that claim objects together run at the cluster's clock: one cereal_serializer with unitClockDivider " +
      s"$unitClockDivider, not ${count(UnitKind.CerealSerializer)}")

  val memory = MemoryParameter(dataWidth)
  val dram: LiteDramParameter = {
    val ports = dramPorts.getOrElse(dataWidth match {
      case 32 => 1
      case 128 if count(UnitKind.CerealSerializer) > 0 => 4
      case _ => 2
    })
    val one = LiteDramParameter(memoryBase = memoryBase, memoryBytes = memoryBytes, stripes = ports)
    // With four ports, long batches: rows then open while others' data move. The words fit the same block RAMs.
    if (ports == 4) one.copy(batchBlocks = 64, writeBlocks = 128) else one
  }
  val memoryMapping = SizeMapping(memoryBase, memoryBytes)

  def tagWidth: Int = log2Up(tags)
  def hasDebug: Boolean = debug != DebugTransport.NoDebug
  /** Returns the number of units of a kind. The evacuation unit needs memory words of 64 bits. */
  def count(kind: UnitKind): Int =
    if (kind == UnitKind.Evacuation && dataWidth < 64) 0 else units.getOrElse(kind, 0)
  /** Returns whether units of this kind read their commands' arguments one by one from a memory of the front end. Units
    * at half the clock get all arguments with the command.
    */
  def looksUp(kind: UnitKind): Boolean = argumentMemory && kind == UnitKind.ProtobufEngine && unitClockDivider == 1
  /** Returns whether an engine carries out the field instructions. It is the last engine, because commands that come
    * one at a time go to the first one.
    */
  def hasFields: Boolean = count(UnitKind.ProtobufFields) > 0
  /** Returns the number of unit clocks: one per unit. The field instructions use the clock of the engine that carries
    * them out.
    */
  def unitClocks: Int = UnitKind.all.filter(_.queued).map(count).sum
  /** Returns the `unitClockDivider` of real boards. The copy unit and the protobuf engine keep up with a board's clock;
    * Cereal's units do not.
    */
  def boardClockDivider: Int = if (count(UnitKind.CerealSerializer) + count(UnitKind.CerealDeserializer) > 0) 2 else 1
}

object ClusterConfig {
  /** For a board of 20,000 LUTs. It has no copy unit, which neither the engine's driver nor the collector uses;
    * software carries out its calls and counts them. 31 nested messages within the root make 32 levels: hasbits and
    * stack, which have an entry per level, then fit one block RAM each. Its engine copies every string.
    */
  val tiny = ClusterConfig("tiny", instructionCacheBytes = 4096, sharedCacheBytes = 8192, sharedCacheWays = 2,
    units = Map(UnitKind.ProtobufEngine -> 1), engine = EngineParameter(maxDepth = 31, inputSlots = 4, views = false),
    tags = 8, queueDepth = 2, counters = false, debug = DebugTransport.NoDebug)
  val default = ClusterConfig("default")
  /** Two engines. Cereal's units have configurations of their own (docs/decisions/0011-cereal-configurations.md). */
  val full = ClusterConfig("full", sharedCacheBytes = 32768,
    units = Map(UnitKind.Copy -> 1, UnitKind.ProtobufEngine -> 2, UnitKind.ProtobufFields -> 1))
  /** The baseline for what the second engine gains. */
  val single = full.copy(name = "single", units = full.units + (UnitKind.ProtobufEngine -> 1))
  /** Whole messages only, without the field instructions: what the larger boards have room for. */
  val messages = default.copy(name = "messages", units = default.units - UnitKind.ProtobufFields - UnitKind.Evacuation)
  /** The baseline for what format units and debugger cost in area and clock: it has neither. */
  val bare = ClusterConfig("bare", units = Map(UnitKind.Copy -> 1), debug = DebugTransport.NoDebug)
  /** Cereal's units, one in each direction, and the copy unit only. */
  val cereal = ClusterConfig("cereal", sharedCacheBytes = 65536,
    units = Map(UnitKind.Copy -> 1, UnitKind.CerealSerializer -> 1, UnitKind.CerealDeserializer -> 1))
  /** The paper's ablation: no pipelining, one block reconstructor. */
  val cerealVanilla: ClusterConfig = cereal.copy(name = "cereal-vanilla", cereal = DeserializationUnitParameter.vanilla,
    cerealSerializer = SerializationUnitParameter.vanilla)
  /** Cereal's units with Skyway's modes. */
  val skyway: ClusterConfig = cereal.copy(name = "skyway", cereal = DeserializationUnitParameter(skyway = true),
    cerealSerializer = SerializationUnitParameter(skyway = true))
  /** The configurations without parameters. */
  val bases: Seq[ClusterConfig] = Seq(tiny, default, full, single, messages, bare, cereal, cerealVanilla, skyway)

  /** Returns the configuration with this name: that of a base, and parameters ([[ConfigParameter]]).
    *
    * Throws IllegalArgumentException if there is none.
    */
  def named(name: String): ClusterConfig = {
    val base =
      bases.filter(base => name == base.name || name.startsWith(base.name + "-")).maxByOption(_.name.length).getOrElse(
        throw new IllegalArgumentException(
          s"no configuration '$name': choose one of ${bases.map(_.name).mkString(", ")}"))
    ConfigParameter.applied(base, name)
  }
}
