package heapwire.memory

import spinal.core._

/** The address range from `base` up to but not including `limit`; or, if `inclusive`, up to and including `last`, so
  * that it may end with the address space. Both are multiples of `alignment` bytes, and are given as such.
  */
case class Bounds(p: MemoryParameter, inclusive: Boolean = false, alignment: Int = 1) extends Bundle {
  private val width = p.addressWidth - log2Up(alignment)
  val base = UInt(width bits)
  val limit = !inclusive generate UInt(width bits)
  val last = inclusive generate UInt(width bits)
}
