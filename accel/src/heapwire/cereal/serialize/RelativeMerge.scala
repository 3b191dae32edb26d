package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** Slots of a clone: those in `holes`, of `mask`, hold references that their numbers replace. */
case class CloneWord(lanes: Int) extends Bundle {
  val data = Vec.fill(lanes)(Bits(32 bits))
  val mask, holes = Bits(lanes bits)
}

/** Puts the numbers of references into the slots of clones that they come from: a number is there long after its word,
  * whose header had to be read first, so words wait, `depth` of them. Numbers come in the order of the words' holes,
  * one for each; 0 is null, others are relative addresses in units of 8 bytes.
  *
  * Neither side can keep the other: a word's references have left when it comes, or leave with it, and their headers
  * wait for nothing but numbers before them; so the word in front always gets its numbers, whatever waits behind it,
  * and an array may be of any length.
  *
  * A word without holes leaves in a cycle, another in as many as it has holes. Latency 2 cycles, a number's is 2.
  * `empty`: no word is in here.
  */
case class RelativeMerge(lanes: Int, depth: Int) extends Component {
  private val width = Image.AddressWidth - 3
  val io = new Bundle {
    val input = slave(Stream(CloneWord(lanes)))
    val number = slave(Stream(UInt(width bits)))
    val output = master(Stream(SlotWord(lanes)))
    val empty = out Bool()
  }
  val fifo = StreamFifo(CloneWord(lanes), depth, latency = 1)
  fifo.io.push << io.input
  private val word = fifo.io.pop
  val number = io.number.m2sPipe()
  private val relative = (number.payload @@ U(0, 3 bits)).resize(32).asBits

  /** Of the word in front: which holes are filled, and with what. */
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
