package heapwire.cereal.road

import heapwire.memory._
import spinal.core._

/** The word by which objects and output travel through a unit, aligned in memory:
  * 16 bytes, or 8 where the memory port has no more than 8, as a wider road could
  * be neither filled nor emptied.
  */
object PathWord {
  def bytes(p: MemoryParameter): Int = p.wordBytes max 8
  def bits(p: MemoryParameter): Int = 8 * bytes(p)
  /** log2 of its bytes. */
  def shift(p: MemoryParameter): Int = log2Up(bytes(p))
  /** Port words in one. */
  def beats(p: MemoryParameter): Int = bytes(p) / p.wordBytes
}

/** Bytes for an aligned [[PathWord]] of memory. */
case class PathWrite(p: MemoryParameter) extends Bundle with GatheredWord {
  val address = UInt(p.addressWidth bits)
  val data = Bits(PathWord.bits(p) bits)
  val mask = Bits(PathWord.bytes(p) bits)
}
