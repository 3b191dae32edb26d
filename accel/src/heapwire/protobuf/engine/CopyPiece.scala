package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Pieces of 1, 2, 4 or, where they are `wide`, 8 bytes, each at a multiple of its size in a granule of 8; `low` is where a piece begins there. */
private object CopyPiece {
  /** Of the largest piece that may begin at a lane. */
  def size(low: UInt, wide: Bool): UInt = {
    val size = UInt(4 bits)
    val eight = wide && low === 0
    size := (eight ## (low(1 downto 0) === 0 && !eight) ## (low(1 downto 0) === 2) ## low(0)).asUInt
    size
  }

  /** It ends at the granule's end. */
  def closes(low: UInt, wide: Bool): Bool = wide && low === 0 || low === 4 || low === 6 || low === 7

  /** A piece on all lanes of its size, as many as `bytes` has; zero where `blank`, which it is in all lanes above one where it is. */
  def lanes(bytes: Bits, size: UInt, blank: Bits): Bits = {
    val in = bytes.subdivideIn(8 bits)
    val halves = in.indices.map(i => if (i < 4) in(i) else size(3) ? in(i) | in(i - 4))
    val pairs = in.indices.map(i => if ((i & 2) == 0) halves(i) else (size(3) || size(2)) ? halves(i) | halves(i - 2))
    val single = in.indices.map(i => if ((i & 1) == 0) pairs(i) else size(0) ? pairs(i - 1) | pairs(i))
    Cat(single.zipWithIndex.map { case (lane, i) => lane.andMask(!blank(i)) })
  }
}
