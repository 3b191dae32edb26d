package heapwire.protobuf.engine.memory

import spinal.core._

/** A request for a granule of 16 aligned bytes of a table or of an object. */
case class GranuleRead() extends Bundle {
  /** The low 4 bits are ignored. */
  val address = UInt(32 bits)
  /** Whether it is of an object. This selects the bounds, and `forget` applies to objects only. */
  val isObject = Bool()
}
