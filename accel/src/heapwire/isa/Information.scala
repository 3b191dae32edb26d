package heapwire.isa

/** The information words that `info` reads, by index. An index that the front end does not have reads as 0. */
object Information {
  /** Capability word: the interface's version in bits 3..0; from bit 4 on, 4 bits per unit kind with the number of
    * units of that kind.
    */
  val Capability = 0
  /** Bits 7..0: number of tags; 15..8: queue entries per unit kind; 23..16: log2 of the bytes of a memory word; 31..24:
    * log2 of the divider between the system's clock and the units' clock.
    */
  val Sizes = 1
  /** Number of tags that are complete and not released. */
  val Completed = 2
  /** Memory words read from DRAM (shared cache misses) and written to it (write-backs). They wrap at 2^32 and are 0
    * without counters.
    */
  val DramReads = 3
  val DramWrites = 4

  /** Bits for what these units can do that other units of their kind cannot. */
  val Modes = 5
  /** The units carry out [[Operation.SkywayWriteObject]], and [[Operation.SkywayReadObject]]. */
  val ModeSkywayWrite = 0
  val ModeSkywayRead = 1

  /** What programs of object models must have been made for, to be loaded. */
  val Program = 6

  /** Counters of unit kind k start at CounterBase + k * CounterStride. They wrap at 2^32. */
  val CounterBase = 64
  val CounterStride = 8

  /** @param name its name in all software, a key of a bench's rows too */
  sealed abstract class Counter(val index: Int, val name: String)
  case object Commands extends Counter(0, "commands")
  case object BusyCycles extends Counter(1, "busy_cycles")
  case object ReadStallCycles extends Counter(2, "read_stall_cycles")
  case object WriteStallCycles extends Counter(3, "write_stall_cycles")
  case object ReadBytes extends Counter(4, "read_bytes")
  case object WriteBytes extends Counter(5, "write_bytes")
  /** The part of the read stalls that waits for a descriptor table. */
  case object TableStallCycles extends Counter(6, "table_stall_cycles")

  /** The counters that a bench's row has, in its order. It has those of cycles if the unit was busy. */
  val byteCounters: Seq[Counter] = Seq(ReadBytes, WriteBytes)
  val cycleCounters: Seq[Counter] = Seq(BusyCycles, ReadStallCycles, TableStallCycles, WriteStallCycles)
  val counters: Seq[Counter] = (Commands +: (byteCounters ++ cycleCounters)).sortBy(_.index)
  require(counters.map(_.index) == counters.indices && counters.size <= CounterStride)

  val Version = 8
  val CapabilityUnitsBit = 4
  val CapabilityUnitsWidth = 4
  /** The number of unit kinds for which the capability word has room. */
  val CapabilityKinds = (32 - CapabilityUnitsBit) / CapabilityUnitsWidth
  require(Version < (1 << CapabilityUnitsBit))
  /** Returns the lowest bit of the capability word's count of this kind's units. */
  def unitsBit(kind: UnitKind): Int = CapabilityUnitsBit + CapabilityUnitsWidth * kind.index
  /** Returns a mask of the capability word, which selects the counts of the unit kinds that carry out this operation.
    */
  def capable(operation: Operation): Long =
    UnitKind.all.filter(_.operations.contains(operation)).map(kind =>
      ((1L << CapabilityUnitsWidth) - 1) << unitsBit(kind)).sum

  /** Index of `set` behind the runtime registers: bit t of rs2 enables the completion interrupt of tag t. */
  val InterruptEnableRegister = 32
  /** The line of the core's external interrupt array that completions raise. */
  val InterruptLine = 31
}
