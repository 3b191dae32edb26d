package heapwire.protobuf.engine.memory

import spinal.core._

/** Bytes to be written, in one aligned granule of 8. */
case class GranuleWrite() extends Bundle {
  /** The low 3 bits are ignored. */
  val address = UInt(32 bits)
  val data = Bits(64 bits)
  /** Bit i: byte i of the granule is written. */
  val mask = Bits(8 bits)
}
