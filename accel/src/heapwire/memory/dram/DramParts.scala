package heapwire.memory.dram

import heapwire.memory.{LiteDramParameter, MemoryParameter}
import spinal.core._

/** Consecutive words of a block, for [[DramReader]] to read. */
class Span(p: MemoryParameter, dram: LiteDramParameter) extends Bundle {
  val block = UInt(dram.blockWidth(p) bits)
  val first, last = UInt(log2Up(p.wordsPerBlock) bits)
  /** Number of the newest write of the block, or of another block that shares its bucket. If that write is `pending`,
    * the read waits until LiteDRAM has accepted the write.
    */
  val after = UInt(dram.sequenceWidth bits)
  /** Whether the write was pending when the read was decided. It cannot be derived later: the number may then belong to
    * another write, which waits for this read.
    */
  val pending = Bool()
}

/** A read. */
case class Fetch(p: MemoryParameter, dram: LiteDramParameter) extends Span(p, dram) {
  /** The words are for the data lane, not for a stream. */
  val fill = Bool()
}

/** A word that was read from DRAM. */
case class FetchedWord(p: MemoryParameter) extends Bundle {
  val data = Bits(p.dataWidth bits)
  val fill, last = Bool()
}

/** A word to write to DRAM. `last` ends its block. */
case class StoredWord(p: MemoryParameter, dram: LiteDramParameter) extends Bundle {
  val block = UInt(dram.blockWidth(p) bits)
  val word = UInt(log2Up(p.wordsPerBlock) bits)
  val data = Bits(p.dataWidth bits)
  val mask = Bits(p.wordBytes bits)
  val last = Bool()
}

/** The progress of one stripe's writes. Writes are numbered as they are decided: `decided` is the newest number,
  * `drained` the newest number whose block LiteDRAM has accepted completely.
  */
case class Sequence(dram: LiteDramParameter) extends Bundle {
  val decided, drained = UInt(dram.sequenceWidth bits)
  /** Returns the number of blocks that are decided and not yet drained. */
  def pending: UInt = decided - drained
  /** Returns whether write `number` is decided and not drained. */
  def isPending(number: UInt): Bool = (number - drained - 1) < pending
}
