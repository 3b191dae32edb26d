package heapwire.memory.dram

import heapwire.memory.{LiteDramParameter, MemoryParameter}
import spinal.core._

/** Consecutive words of a block, as [[DramReader]] reads them. */
class Span(p: MemoryParameter, dram: LiteDramParameter) extends Bundle {
  val block = UInt(dram.blockWidth(p) bits)
  val first, last = UInt(log2Up(p.wordsPerBlock) bits)
  /** The newest write of the block, or of another one that shares its bucket; if it is `pending`, the read waits until it is LiteDRAM's. */
  val after = UInt(Sequence.Width bits)
  /** As the write was when the read was decided: later, an old number may be another write's, which waits for this read. */
  val pending = Bool()
}

/** A read. */
case class Fetch(p: MemoryParameter, dram: LiteDramParameter) extends Span(p, dram) {
  /** For the data lane, not for a stream. */
  val fill = Bool()
}

/** A word that was read. */
case class FetchedWord(p: MemoryParameter) extends Bundle {
  val data = Bits(p.dataWidth bits)
  val fill, last = Bool()
}

/** A word to write; `last` ends its block. */
case class StoredWord(p: MemoryParameter, dram: LiteDramParameter) extends Bundle {
  val block = UInt(dram.blockWidth(p) bits)
  val word = UInt(log2Up(p.wordsPerBlock) bits)
  val data = Bits(p.dataWidth bits)
  val mask = Bits(p.wordBytes bits)
  val last = Bool()
}

/** How far the writes of one stripe are, which are numbered as they are decided: `drained` is the newest that LiteDRAM has accepted
  * wholly, `decided` the newest of all.
  */
case class Sequence() extends Bundle {
  val decided, drained = UInt(Sequence.Width bits)
  /** Blocks between decision and LiteDRAM. */
  def pending: UInt = decided - drained
  /** Has the write of that number been decided, and not drained? */
  def isPending(number: UInt): Bool = (number - drained - 1) < pending
}

object Sequence {
  /** Wide enough that no number comes again while a read that knows the old one is queued. */
  val Width = 9
  /** Blocks that a stripe's buffers hold: less than half of the numbers. */
  val Room = 32
  /** Blocks that may be pending: LiteDRAM fetches the data of some words after it has taken their commands. */
  val Blocks = 24
}
