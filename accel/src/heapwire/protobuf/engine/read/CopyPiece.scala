package heapwire.protobuf.engine.read

import spinal.core._
import spinal.lib._

/** Pieces of 1, 2, 4 or, if `wide`, 8 bytes, each aligned to its size in a granule of 8. `low` is the lane where a
  * piece begins.
  */
private object CopyPiece {
  /** Returns the size of the largest piece that may begin at lane `low`. */
  def size(low: UInt, wide: Bool): UInt = {
    val size = UInt(4 bits)
    val eight = wide && low === 0
    size := (eight ## (low(1 downto 0) === 0 && !eight) ## (low(1 downto 0) === 2) ## low(0)).asUInt
    size
  }

  /** Returns whether that piece ends at the granule's end. */
  def closes(low: UInt, wide: Bool): Bool = wide && low === 0 || low === 4 || low === 6 || low === 7

  /** Returns a piece repeated on all lanes of its size, with as many lanes as `bytes` has. Lanes in `blank` are zero; a
    * blank lane has only blank lanes above it.
    */
  def lanes(bytes: Bits, size: UInt, blank: Bits): Bits = {
    val in = bytes.subdivideIn(8 bits)
    val halves = in.indices.map(i => if (i < 4) in(i) else size(3) ? in(i) | in(i - 4))
    val pairs = in.indices.map(i => if ((i & 2) == 0) halves(i) else (size(3) || size(2)) ? halves(i) | halves(i - 2))
    val single = in.indices.map(i => if ((i & 1) == 0) pairs(i) else size(0) ? pairs(i - 1) | pairs(i))
    Cat(single.zipWithIndex.map { case (lane, i) => lane.andMask(!blank(i)) })
  }
}
