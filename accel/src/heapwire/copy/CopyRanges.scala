package heapwire.copy

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** The ranges of a command: where they are, and where they end. One adder finds the ends, one after the other, and then steps from
  * block to block.
  */
class CopyRanges(p: MemoryParameter, entry: UInt) extends Area {
  private val blockShift = log2Up(p.blockBytes)
  def block(address: UInt): UInt = address(31 downto blockShift)
  def offset(address: UInt): UInt = address(blockShift - 1 downto 0)

  /** Arguments, in place; the ranges' next blocks. */
  val origin, destination, count = Reg(UInt(32 bits))
  /** A length less one, later a block. */
  val length = Reg(UInt(32 bits))
  /** The last bytes. */
  val originEnd, destinationEnd = Reg(UInt(32 bits))

  val base = CopyRanges.Base()
  /** `count` is added, else `length`. */
  val addCount = Bool()
  val start = base.mux(CopyRanges.Base.Origin -> origin, CopyRanges.Base.Destination -> destination,
    CopyRanges.Base.Entry -> entry, CopyRanges.Base.MinusOne -> U(32 bits, default -> True))
  val added = addCount ? count | length
  val sum = start +^ added
  def next: UInt = sum(31 downto 0)
  def carry: Bool = sum.msb

  val lastOrigin = block(origin) === block(originEnd)
  val lastDestination = block(destination) === block(destinationEnd)
  def stepOrigin(): Unit = block(origin) := block(next)
  def stepDestination(): Unit = block(destination) := block(next)
}

object CopyRanges {
  /** What the adder starts from. */
  object Base extends SpinalEnum(binarySequential) {
    val Origin, Destination, Entry, MinusOne = newElement()
  }
}

/** Which bytes of a block belong to a range: from `first` on in its first block, up to `last` in its last one. */
class RangeMask(p: MemoryParameter, first: UInt, last: UInt, isLast: Bool) extends Area {
  private val wordShift = log2Up(p.wordBytes)
  private def beatOf(offset: UInt) = offset(offset.getWidth - 1 downto wordShift)
  private def byteOf(offset: UInt) = offset(wordShift - 1 downto 0)
  val isFirst, inside = Reg(Bool())
  /** The word that is looked at; those of a block come in turn. */
  val beat = Flow(UInt(log2Up(p.wordsPerBlock) bits))
  val starts = isFirst && beat.payload === beatOf(first)
  val ends = isLast && beat.payload === beatOf(last)
  val within = inside || starts
  val mask = B((0 until p.wordBytes).map(i => within && !(starts && byteOf(first) > i) && !(ends && byteOf(last) < i)))
  val full = !(isFirst && first =/= 0) && !(isLast && !last.andR)
  when(beat.valid) {
    inside := within && !ends
    when(beat.payload.andR) { isFirst := False }
  }
  def begin(): Unit = {
    isFirst := True
    inside := False
  }
}
