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

  /** The low 64 bits of the varint at the start of ten bytes; bits beyond 64 are dropped. */
  def value(bytes: Bits): Bits = {
    require(widthOf(bytes) == 8 * MaxBytes)
    val stop = end(continuations(bytes))
    // Group i counts unless the varint ended before it.
    val groups = for (i <- 0 until MaxBytes) yield {
      val ended = if (i == 0) False else stop(i - 1 downto 0).orR
      bytes(8 * i, 7 bits).andMask(!ended)
    }
    Cat(groups).resize(64)
  }
}

/** A varint decoder on its own: what [[Varint]] computes, as a component to be proved. */
case class VarintDecoder() extends Component {
  val io = new Bundle {
    val bytes = in Bits(8 * Varint.MaxBytes bits)
    /** Bytes used, 0 if none of the ten ends the varint. */
    val length = out UInt(4 bits)
    val value = out Bits(64 bits)
  }
  val stop = Varint.end(Varint.continuations(io.bytes))
  io.length := stop.orR ? (OHToUInt(stop) +^ 1).resize(4) | U(0, 4 bits)
  io.value := Varint.value(io.bytes)
}
