package heapwire.protobuf.engine.read

import spinal.core._

/** Bytes from `address` up to but not including `end`, which is greater. No alignment is required. */
case class StreamRange() extends Bundle {
  val address, end = UInt(32 bits)
}

/** An aligned word of 8 bytes. `error`: the bus denied its block. */
case class StreamWord() extends Bundle {
  val data = Bits(64 bits)
  val error = Bool()
}
