package heapwire.memory

import spinal.core._

/** The address range from `base` up to but not including `limit`; or, if `inclusive`, up to and including `last`, so
  * that it may end with the address space.
  */
case class Bounds(p: MemoryParameter, inclusive: Boolean = false) extends Bundle {
  val base = UInt(p.addressWidth bits)
  val limit = !inclusive generate UInt(p.addressWidth bits)
  val last = inclusive generate UInt(p.addressWidth bits)
}
