package heapwire.protobuf.engine

import spinal.core._

/** Bytes of one aligned granule of `bytes` (8, or 4 on their way to a port of 32 bits) that are to be written. */
case class EngineWrite(bytes: Int = 8) extends Bundle {
  /** The low bits, within a granule, are ignored. */
  val address = UInt(32 bits)
  val data = Bits(8 * bytes bits)
  /** Bit i: byte i of the granule is written. */
  val mask = Bits(bytes bits)
  /** Who makes it has looked where it goes: it may lie outside of the arenas. */
  val trusted = Bool()
}
