package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** Encodes a number as an item of one to four buckets: its bits without leading zeros, and an end bit. Throughput: one
  * item per cycle; a long item takes two. Latency: 2 cycles.
  */
case class ReferencePacker() extends Component {
  private val width = Image.AddressWidth - 3
  val io = new Bundle {
    val number = slave(Stream(UInt(width bits)))
    val buckets = master(Stream(Buckets()))
    val empty = out(Bool())
  }
  /** The item's bits, from bit 31 downwards, and its number of buckets minus one. */
  case class Item() extends Bundle {
    val bits = Bits(32 bits)
    val count = UInt(2 bits)
  }
  val item = io.number.map { number =>
    val item = Item()
    val ended = number.asBits ## True
    // Binary search for the highest bit that is set, shifting left where it is not in the upper half.
    var bits = ended ## B(0, 32 - widthOf(ended) bits)
    var zeros = U(0, 5 bits)
    for (k <- 4 to 0 by -1) {
      val none = bits(31 downto 32 - (1 << k)) === 0
      bits = none ? (bits |<< (1 << k)) | bits
      zeros = zeros | (none.asUInt << k).resize(5)
    }
    item.bits := bits
    // 27 - zeros bits are valid.
    item.count := ((U(widthOf(ended) - 1, 5 bits) - zeros) >> 3).resized
    item
  }.m2sPipe()
  val second = RegInit(False)
  val long = item.count >= 2
  io.buckets.valid := item.valid
  io.buckets.data := second ? item.bits(15 downto 0) | item.bits(31 downto 16)
  io.buckets.two := item.count(0) || long && !second
  io.buckets.ends := !long || second
  item.ready := io.buckets.ready && (!long || second)
  when(io.buckets.fire) { second := long && !second }
  io.empty := !io.number.valid && !item.valid
}
