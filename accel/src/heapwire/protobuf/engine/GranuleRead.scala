package heapwire.protobuf.engine

import spinal.core._

/** Which granule, 16 aligned bytes, of a table or of an object is to be read. */
case class GranuleRead() extends Bundle {
  /** The low 4 bits are ignored. */
  val address = UInt(32 bits)
  /** Of what: this chooses the bounds, and what the cache forgets of it. */
  val isObject = Bool()
}
