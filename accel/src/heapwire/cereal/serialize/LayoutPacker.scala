package heapwire.cereal.serialize

import heapwire.cereal.ConstantComparison
import spinal.core._
import spinal.lib._

/** Encodes an object's layout into buckets: a bit that says whether it is an array, one bit per slot, an end bit.
  * Throughput: 16 bits per cycle. Latency: 2 cycles.
  */
case class LayoutPacker() extends Component {
  private val chunkShift = 4
  private val chunk = 1 << chunkShift
  val io = new Bundle {
    val item = slave(Stream(LayoutItem()))
    val buckets = master(Stream(Buckets()))
    val empty = out(Bool())
  }
  val fifo = StreamFifo(LayoutItem(), 4, latency = 1)
  fifo.io.push << io.item
  private val item = fifo.io.pop.payload
  private val width = Image.SlotWidth + 1
  val begun = RegInit(False)
  /** Counted from the start of the chunk: the position of the end bit, and how many bits in front may be set. */
  val endAt, onesTo = Reg(UInt(width bits))
  /** The bits of an instance, the first one highest. */
  val string = Reg(Bits(33 bits))
  val end = begun ? endAt | (item.slots.resize(width) + 1)
  val ones = begun ? onesTo | (item.isArray ? item.ones | item.slots).resize(width) + 1
  val bits = begun ? string | (B"0" ## item.references.reversed)
  private val within = ConstantComparison(end, chunkShift)
  private val set = ConstantComparison(ones, chunkShift)
  val data = Bits(chunk bits)
  for (k <- 0 until chunk)
    data(chunk - 1 - k) := set > k && (item.isArray || bits(32 - k)) || within === k
  val last = !within.large
  val output = Stream(Buckets())
  output.valid := fifo.io.pop.valid
  output.data := data
  output.two := within > 7
  output.ends := last
  fifo.io.pop.ready := output.ready && last
  when(output.fire) {
    begun := !last
    endAt := end - chunk
    onesTo := set.large ? (ones - chunk) | U(0)
    string := bits |<< chunk
  }
  io.buckets << output.m2sPipe()
  io.empty := fifo.io.occupancy === 0 && !io.item.valid && !io.buckets.valid
}
