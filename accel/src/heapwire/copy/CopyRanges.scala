package heapwire.copy

import heapwire.memory.{Bounds, MemoryParameter}
import spinal.core._
import spinal.lib._

/** The start and end addresses of a command's ranges. One adder computes the ends one after the other, and then steps
  * from block to block. `owned` is what the command may write, and empty while none has computed it.
  */
class CopyRanges(p: MemoryParameter, entry: UInt) extends Area {
  private val blockShift = log2Up(p.blockBytes)
  def block(address: UInt): UInt = address(31 downto blockShift)
  def offset(address: UInt): UInt = address(blockShift - 1 downto 0)

  /** Arguments of the command. The start addresses are updated in place and become the addresses of the ranges' next
    * blocks.
    */
  val origin, destination, count = Reg(UInt(32 bits))
  /** First a length minus one, later the size of a block. */
  val length = Reg(UInt(32 bits))
  /** Addresses of the ranges' last bytes. */
  val originEnd, destinationEnd = Reg(UInt(32 bits))

  val base = CopyRanges.Base()
  /** Adds `count` instead of `length`. */
  val addCount = Bool()
  val start = base.mux(CopyRanges.Base.Origin -> origin, CopyRanges.Base.Destination -> destination,
    CopyRanges.Base.Entry -> entry, CopyRanges.Base.MinusOne -> U(32 bits, default -> True))
  val added = addCount ? count | length
  val sum = start +^ added
  def next: UInt = sum(31 downto 0)
  def carry: Bool = sum.msb

  val lastOrigin = block(origin) === block(originEnd)
  val lastDestination = block(destination) === block(destinationEnd)

  private[copy] val ownedBase = Reg(UInt(32 bits))
  val owned = Bounds(p, inclusive = true)
  owned.base := ownedBase
  owned.last := destinationEnd
  /** The range from `start` to `next` is what the command may write. */
  def own(): Unit = {
    ownedBase := start
    destinationEnd := next
  }
  def disown(): Unit = {
    ownedBase.setAll()
    destinationEnd := 0
  }

  def stepOrigin(): Unit = block(origin) := block(next)
  def stepDestination(): Unit = block(destination) := block(next)
}

object CopyRanges {
  /** The first operand of the adder. */
  object Base extends SpinalEnum(binarySequential) {
    val Origin, Destination, Entry, MinusOne = newElement()
  }
}

/** A mask of the bytes of a block that belong to a range: from `first` on in the range's first block, up to `last` in
  * its last block. `first` and `last` are offsets in a block.
  */
class RangeMask(p: MemoryParameter, first: UInt, last: UInt, isLast: Bool) extends Area {
  private val wordShift = log2Up(p.wordBytes)
  private def beatOf(offset: UInt) = offset(offset.getWidth - 1 downto wordShift)
  private def byteOf(offset: UInt) = offset(wordShift - 1 downto 0)
  val isFirst, inside = Reg(Bool())
  /** The memory word of the block that `mask` is for. The words of a block come in order. */
  val beat = Flow(UInt(log2Up(p.wordsPerBlock) bits))
  val starts = isFirst && beat.payload === beatOf(first)
  val ends = isLast && beat.payload === beatOf(last)
  val within = inside || starts
  val mask = B((0 until p.wordBytes).map(i => within && !(starts && byteOf(first) > i) && !(ends && byteOf(last) < i)))
  when(beat.valid) {
    inside := within && !ends
    when(beat.payload.andR) { isFirst := False }
  }
  def begin(): Unit = {
    isFirst := True
    inside := False
  }
}
