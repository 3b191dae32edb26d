package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** Slots of a clone, with `mask` for the valid ones. Slots in `holes` are references, which are replaced by their
  * numbers.
  */
case class CloneWord(lanes: Int) extends Bundle {
  val data = Vec.fill(lanes)(Bits(32 bits))
  val mask, holes = Bits(lanes bits)
}

/** Puts the numbers of references into the slots of the clones that they come from. A number comes long after its word,
  * because the object's header has to be read first; so up to `depth` words wait here. Numbers come in the order of the
  * words' holes, one for each hole; 0 is null, others are relative addresses in units of 8 bytes.
  *
  * Deadlock is impossible: a word's references have left the object handler before the word comes, or leave with it,
  * and their headers wait only for earlier numbers. So the first word always gets its numbers, whatever waits behind
  * it, and an array may have any length.
  *
  * A word without holes takes one cycle, others as many as they have holes. Latency: 2 cycles for words and for
  * numbers. `empty`: no word is inside.
  */
case class RelativeMerge(lanes: Int, depth: Int) extends Component {
  private val width = Image.AddressWidth - 3
  val io = new Bundle {
    val input = slave(Stream(CloneWord(lanes)))
    val number = slave(Stream(UInt(width bits)))
    val output = master(Stream(SlotWord(lanes)))
    val empty = out(Bool())
  }
  val fifo = StreamFifo(CloneWord(lanes), depth, latency = 1)
  fifo.io.push << io.input
  private val word = fifo.io.pop
  val number = io.number.m2sPipe()
  private val relative = (number.payload @@ U(0, 3 bits)).resize(32).asBits

  /** For the first word: the holes that are filled, and their values. */
  val filled = Reg(Bits(lanes bits)) init 0
  val parts = Vec.fill(lanes)(Reg(Bits(32 bits)))
  val left = word.holes & ~filled
  val next = OHMasking.firstV2(left)
  val last = (left & ~next) === 0
  val merged = Stream(SlotWord(lanes))
  merged.valid := word.valid && last && (left === 0 || number.valid)
  merged.mask := word.mask
  for (i <- 0 until lanes) merged.data(i) := word.holes(i) ? (filled(i) ? parts(i) | relative) | word.data(i)
  word.ready := merged.fire
  number.ready := word.valid && left =/= 0 && (!last || merged.ready)
  when(number.fire) {
    for (i <- 0 until lanes) when(next(i)) { parts(i) := relative }
    filled := filled | next
  }
  when(merged.fire) { filled := 0 }
  io.output << merged.m2sPipe()
  io.empty := fifo.io.occupancy === 0 && !io.input.valid && !io.output.valid
}
