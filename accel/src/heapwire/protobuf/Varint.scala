package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Combinational pieces that understand base-128 varints. */
object Varint {
  val MaxBytes = 10

  /** The continuation bits of a run of bytes. */
  def continuations(bytes: Bits): Bits = Cat(bytes.subdivideIn(8 bits).map(_.msb))

  /** One-hot: the byte that ends a varint, given the continuation bits from its
    * first byte on; all zero if none of them ends it.
    */
  def end(continuations: Bits): Bits = OHMasking.firstV2(~continuations)
}
