package heapwire.isa

/** What `info` answers, by index. A front end answers 0 to an index it does not have. */
object Information {
  /** Capability word: version in bits 3..0, then 4 bits a unit kind with the
    * number of units of it, from bit 4 on. */
  val Capability = 0
  /** Bits 7..0: tags; 15..8: queue entries a unit kind; 23..16: log2 of the bytes of a memory word;
    * 31..24: log2 of what divides the system's clock for the units. */
  val Sizes = 1
  /** Completion interrupt: reads the number of completed, unreleased tags. */
  val Completed = 2
  /** Memory words that were asked of DRAM, and sent there: what the shared cache misses, and what it writes back.
    * They wrap at 2^32; 0 without counters. */
  val DramReads = 3
  val DramWrites = 4

  /** What units can do that others of their kind cannot: bits. */
  val Modes = 5
  /** [[Operation.SkywayWriteObject]], [[Operation.SkywayReadObject]]. */
  val ModeSkywayWrite = 0
  val ModeSkywayRead = 1

  /** Counters of unit kind k start at CounterBase + k * CounterStride. They wrap at 2^32. */
  val CounterBase = 64
  val CounterStride = 8

  sealed abstract class Counter(val index: Int, val name: String)
  case object Commands extends Counter(0, "commands")
  case object BusyCycles extends Counter(1, "busy_cycles")
  case object ReadStallCycles extends Counter(2, "read_stall_cycles")
  case object WriteStallCycles extends Counter(3, "write_stall_cycles")
  case object ReadBytes extends Counter(4, "read_bytes")
  case object WrittenBytes extends Counter(5, "written_bytes")
  /** Those of the read stalls that wait for a descriptor table. */
  case object TableStallCycles extends Counter(6, "table_stall_cycles")
  val counters: Seq[Counter] = Seq(Commands, BusyCycles, ReadStallCycles, WriteStallCycles,
    ReadBytes, WrittenBytes, TableStallCycles)

  val Version = 7
  val CapabilityUnitsBit = 4
  val CapabilityUnitsWidth = 4
  /** There is room for so many kinds in the capability word. */
  val CapabilityKinds = (32 - CapabilityUnitsBit) / CapabilityUnitsWidth
  require(Version < (1 << CapabilityUnitsBit))
  /** Bit of the capability word from which on a kind's units are counted. */
  def unitsBit(kind: UnitKind): Int = CapabilityUnitsBit + CapabilityUnitsWidth * kind.index
  /** The bits of the capability word that tell whether there is a unit for an operation. */
  def capable(operation: Operation): Long =
    UnitKind.all.filter(_.operations.contains(operation)).map(kind => ((1L << CapabilityUnitsWidth) - 1) << unitsBit(kind)).sum

  /** `set` with this index, beyond the runtime registers: bit t of rs2 lets tag t's completion interrupt. */
  val InterruptEnableRegister = 32
  /** The line of the core's external interrupt array that completions raise. */
  val InterruptLine = 31
}
