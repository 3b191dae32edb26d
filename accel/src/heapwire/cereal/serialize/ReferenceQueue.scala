package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** Hands references on one by one, in the order of slots. One a cycle; latency 1 cycle. */
case class ReferenceQueue(lanes: Int) extends Component {
  val io = new Bundle {
    val input = slave(Stream(SlotWord(lanes)))
    val output = master(Stream(UInt(32 bits)))
  }
  val fifo = StreamFifo(SlotWord(lanes), 4, latency = 1)
  fifo.io.push << io.input
  /** Of the word in front: what has gone. */
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
