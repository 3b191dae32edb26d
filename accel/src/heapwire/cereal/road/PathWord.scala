package heapwire.cereal.road

import heapwire.memory._
import spinal.core._

/** The word size in which objects and output travel through a unit, aligned in memory: 16 bytes, or 8 if the memory
  * port has no more than 8, because a wider path could be neither filled nor emptied.
  */
object PathWord {
  def bytes(p: MemoryParameter): Int = p.wordBytes max 8
  def bits(p: MemoryParameter): Int = 8 * bytes(p)
  /** Returns log2 of its bytes. */
  def shift(p: MemoryParameter): Int = log2Up(bytes(p))
  /** Returns the number of memory words in it. */
  def beats(p: MemoryParameter): Int = bytes(p) / p.wordBytes
}

/** Bytes for an aligned [[PathWord]] of memory. */
case class PathWrite(p: MemoryParameter) extends Bundle with GatheredWord {
  val address = UInt(p.addressWidth bits)
  val data = Bits(PathWord.bits(p) bits)
  val mask = Bits(PathWord.bytes(p) bits)
}
