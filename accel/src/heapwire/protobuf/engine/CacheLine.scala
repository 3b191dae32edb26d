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

/** What a line of the cache holds, or is about to hold: written when its block is asked for. */
case class CacheLine(p: MemoryParameter, lines: Int) extends Bundle {
  val valid = Bool()
  val era = Era()
  val tag = UInt(p.addressWidth - log2Up(p.blockBytes) - log2Up(lines) bits)

  /** It holds the block, and that is still good at the time `now`. */
  def holds(block: CacheBlock, now: Era): Bool = {
    val current = era.objects === now.objects || !block.isObject
    valid ## tag ## era.all === True ## block.tag ## now.all && current
  }
}
