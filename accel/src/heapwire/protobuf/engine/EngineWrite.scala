package heapwire.protobuf.engine

import spinal.core._

/** Bytes of one aligned granule of 8 that are to be written. */
case class EngineWrite() extends Bundle {
  /** The low 3 bits are ignored. */
  val address = UInt(32 bits)
  val data = Bits(64 bits)
  /** Bit i: byte i of the granule is written. */
  val mask = Bits(8 bits)
  /** Who makes it has looked where it goes: it may lie outside of the arenas. */
  val trusted = Bool()
}
