package heapwire.protobuf.engine.memory

import heapwire.memory.MemoryParameter
import spinal.core._

/** A block of memory and its kind (table or object), for a cache with `lines` lines per kind. */
case class CacheBlock(p: MemoryParameter, lines: Int) extends Bundle {
  private val shift = log2Up(p.blockBytes)
  val index = UInt(log2Up(lines) bits)
  val tag = UInt(p.addressWidth - shift - log2Up(lines) bits)
  val isObject = Bool()

  /** Returns the line that may hold this block. The high half of the address is XORed in with its bits reversed: blocks
    * near the beginnings of two arenas do not share a line, and neither do consecutive blocks.
    */
  def line: UInt = {
    val pieces = (tag >> (16 - shift - widthOf(index))).asBits.subdivideIn(widthOf(index) bits, strict = false).map(
      _.resize(widthOf(index) bits).reversed)
    (isObject ## pieces.fold(index.asBits)(_ ^ _)).asUInt
  }
  def number: UInt = tag @@ index
  def address: UInt = number @@ U(0, shift bits)
  def of(read: GranuleRead): this.type = {
    assignFromBits(read.isObject ## (read.address >> shift))
    this
  }
}

/** The tag entry of a line; it is written when its block is requested. No era has `all` = 0, so an entry with 0 there
  * is invalid.
  */
case class CacheLine(p: MemoryParameter, lines: Int) extends Bundle {
  val era = Era()
  val tag = UInt(p.addressWidth - log2Up(p.blockBytes) - log2Up(lines) bits)

  /** Returns whether the line holds the block, and is still valid at the time `now`. */
  def holds(block: CacheBlock, now: Era): Bool = {
    // An explicit tree of LUTs: pairs of bits, then groups of four. The memories' outputs come late in the cycle, but
    // synthesis takes them for early.
    def same(a: Bits, b: Bits): Seq[Bool] = for (low <- 0 until widthOf(a) by 2; high = (low + 1) min (widthOf(a) - 1))
      yield kept(a(high downto low) === b(high downto low))
    def all(of: Seq[Bool]): Bool = Vec(of).asBits.andR
    val current = kept(all(same(era.objects, now.objects)) || !block.isObject)
    all(same(tag.asBits ## era.all, block.tag.asBits ## now.all).grouped(4).map(four => kept(all(four))).toSeq :+
      current)
  }
  private def kept(value: Bool): Bool = {
    val kept = Bool().addAttribute("keep")
    kept := value
    kept
  }
}
