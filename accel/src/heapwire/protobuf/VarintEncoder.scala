package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** A run of up to `bytes` bytes, the first in the low byte; what lies behind `count` is zero. */
case class ByteRun(bytes: Int) extends Bundle {
  val data = Bits(8 * bytes bits)
  val count = UInt(log2Up(bytes + 1) bits)
}

/** Base-128 varints from values. */
object VarintEncoder {
  /** The shortest varint of a value of at most 64 bits; combinational. */
  def apply(value: Bits): ByteRun = {
    val groups = (widthOf(value) + 6) / 7
    val padded = value.resize(7 * groups)
    val group = (0 until groups).map(i => padded(7 * i, 7 bits))
    /** Some group from this one on is not zero; the first one always counts. */
    val used = (0 until groups).map(i => if (i == 0) True else padded(7 * groups - 1 downto 7 * i).orR)
    val run = ByteRun(groups)
    run.data := Cat((0 until groups).map { i =>
      val more = if (i == groups - 1) False else used(i + 1)
      more ## group(i)
    })
    // They are used up to one.
    val last = (0 until groups).map(i => if (i == groups - 1) used(i) else used(i) && !used(i + 1))
    run.count := Cat((0 until widthOf(run.count)).map(bit => (0 until groups).filter(i => ((i + 1) >> bit & 1) == 1).map(last(_)).orR)).asUInt
    run
  }
}
