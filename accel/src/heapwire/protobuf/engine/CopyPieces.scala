package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Pieces of 1, 2, 4 or 8 bytes, each at a multiple of its size, of `bytes` (4 or 8) at most. They go upwards through granules of 8.
  * `low` is the place of a piece in its granule.
  */
private case class CopyPieces(bytes: Int) {
  /** Of the largest piece that may begin at a lane. */
  def size(low: UInt): UInt = {
    val size = UInt(4 bits)
    val word = low(1 downto 0) === 0
    val whole = Bool(bytes == 8) && low === 0
    size := (whole ## (word && !whole) ## (low(1 downto 0) === 2) ## low(0)).asUInt
    size
  }

  /** It ends at the granule's end. */
  def closes(low: UInt): Bool = low === 4 || low === 6 || low === 7 || Bool(bytes == 8) && low === 0

  /** The byte of the granule at each of the lanes that are written with a piece. */
  def lane(low: UInt, i: Int): UInt = if (bytes == 8) U(i, 3 bits) else low(2 downto 2) @@ U(i, 2 bits)

  /** A piece on all lanes of its size; zero where `blank`, which it is in all lanes above one where it is. */
  def lanes(source: Bits, size: UInt, blank: Bits): Bits = {
    val in = source.subdivideIn(8 bits)
    val halves = (0 until bytes).map(i => if (i < 4) in(i) else size(3) ? in(i) | in(i - 4))
    val pairs = (0 until bytes).map(i => if ((i & 2) == 0) halves(i) else (size(3) || size(2)) ? halves(i) | halves(i - 2))
    val single = (0 until bytes).map(i => if ((i & 1) == 0) pairs(i) else size(0) ? pairs(i - 1) | pairs(i))
    Cat(single.zipWithIndex.map { case (lane, i) => lane.andMask(!blank(i)) })
  }
}
