package heapwire.memory

import spinal.core._

/** The address range from `base` up to but not including `limit`. */
case class Bounds(p: MemoryParameter) extends Bundle {
  val base, limit = UInt(p.addressWidth bits)
}
