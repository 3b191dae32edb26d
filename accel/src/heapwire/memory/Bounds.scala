package heapwire.memory

import spinal.core._

/** Addresses from `base` up to, not including, `limit`. */
case class Bounds(p: MemoryParameter) extends Bundle {
  val base, limit = UInt(p.addressWidth bits)
}
