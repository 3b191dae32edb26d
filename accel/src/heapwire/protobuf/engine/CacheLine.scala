package heapwire.protobuf.engine

import heapwire.memory.{Bounds, MemoryParameter}
import spinal.core._

/** A block of memory, as a cache of `lines` lines for each kind sees it, and of what kind it is. */
case class CacheBlock(p: MemoryParameter, lines: Int) extends Bundle {
  private val shift = log2Up(p.blockBytes)
  val index = UInt(log2Up(lines) bits)
  val tag = UInt(p.addressWidth - shift - log2Up(lines) bits)
  val isObject = Bool()

  /** The one that may hold it. The high half of the address has a say, backwards: what lies near the beginnings of two arenas does not
    * meet in one line, and neither does what lies in a row.
    */
  def line: UInt = {
    val pieces = (tag >> (16 - shift - widthOf(index))).asBits.subdivideIn(widthOf(index) bits, strict = false).map(_.resize(widthOf(index) bits).reversed)
    (isObject ## pieces.fold(index.asBits)(_ ^ _)).asUInt
  }
  def number: UInt = tag @@ index
  def address: UInt = number @@ U(0, shift bits)
  def of(read: GranuleRead): this.type = {
    assignFromBits(read.isObject ## (read.address >> shift))
    this
  }
  /** It overlaps the bounds of its kind, if these are not empty. */
  def isInside(tables: Bounds, objects: Bounds): Bool = {
    def bound(of: Bounds => UInt) = isObject ? of(objects) | of(tables)
    val within = isObject ? objects.limit.resize(shift).orR | tables.limit.resize(shift).orR
    // Each compare as a subtraction from the block, which so need not be inverted.
    !(number < bound(_.base >> shift)) && number @@ U(0, 1 bit) < bound(_.limit >> shift) @@ within
  }
}

/** What a line of the cache holds, or is about to hold: written when its block is asked for. No era's `all` is zero: with that it holds nothing. */
case class CacheLine(p: MemoryParameter, lines: Int) extends Bundle {
  val era = Era()
  val tag = UInt(p.addressWidth - log2Up(p.blockBytes) - log2Up(lines) bits)

  /** It holds the block, and that is still good at the time `now`. */
  def holds(block: CacheBlock, now: Era): Bool = {
    // LUTs in a tree, pairs of bits and then four of these: memories answer late, and synthesis takes them for early.
    def same(a: Bits, b: Bits): Seq[Bool] = for (low <- 0 until widthOf(a) by 2; high = (low + 1) min (widthOf(a) - 1)) yield kept(a(high downto low) === b(high downto low))
    def all(of: Seq[Bool]): Bool = Vec(of).asBits.andR
    val current = kept(all(same(era.objects, now.objects)) || !block.isObject)
    all(same(tag.asBits ## era.all, block.tag.asBits ## now.all).grouped(4).map(four => kept(all(four))).toSeq :+ current)
  }
  private def kept(value: Bool): Bool = {
    val kept = Bool().addAttribute("keep")
    kept := value
    kept
  }
}
