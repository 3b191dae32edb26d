package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** Passes references on one by one, in the order of slots. Throughput: one per cycle. Latency: 1 cycle. */
case class ReferenceQueue(lanes: Int) extends Component {
  val io = new Bundle {
    val input = slave(Stream(SlotWord(lanes)))
    val output = master(Stream(UInt(32 bits)))
  }
  val fifo = StreamFifo(SlotWord(lanes), 4, latency = 1)
  fifo.io.push << io.input
  /** The slots of the first word that have been passed on. */
  val gone = Reg(Bits(lanes bits)) init 0
  val word = fifo.io.pop
  val left = word.mask & ~gone
  val next = OHMasking.firstV2(left)
  val last = (left & ~next) === 0
  io.output.valid := word.valid
  io.output.payload := MuxOH.or(next, word.data.map(_.asUInt), bypassIfSingle = true)
  word.ready := io.output.ready && last
  when(io.output.fire) { gone := last ? B(0, lanes bits) | (gone | next) }
}
