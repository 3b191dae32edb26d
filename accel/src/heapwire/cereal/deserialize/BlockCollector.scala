package heapwire.cereal.deserialize

import spinal.core._
import spinal.lib._

/** Collects slots into blocks of the image, 16 slots at their places in memory. A block is emitted in the cycle that
  * fills it; the last block is padded with zeros. `first` is the slot where the image begins in its block; it is
  * sampled while `run` is low.
  *
  * Latency: 1 cycle behind the slots that fill the block. Throughput: up to 13 slots per cycle. `done` (level): the
  * last block has been taken.
  */
case class BlockCollector() extends Component {
  val io = new Bundle {
    val run = in(Bool())
    val first = in UInt (4 bits)
    val slots = slave(Stream(Expansion()))
    val block = master(Stream(BlockLayout()))
    val done = out(Bool())
  }
  private val size = Width.BlockSlots
  val slots = io.slots.m2sPipe(flush = !io.run)
  val held = Reg(Bits(2 * (size - 1) bits))
  val filled = Reg(UInt(4 bits))
  val rest = RegInit(False) // of the last block, which is incomplete
  val done = RegInit(False)

  private val most = size - 1 + Expansion.Most
  val all = held.resize(2 * most) | (slots.codes.asBits.resize(2 * most) |<< (filled << 1).resize(5))
  val sum = filled +^ slots.count
  val fills = sum >= size

  val block = Stream(BlockLayout())
  block.valid := rest || slots.valid && fills
  block.codes.assignFromBits(rest ? held.resize(2 * size) | all(2 * size - 1 downto 0))
  slots.ready := !rest && (!fills || block.ready)
  when(slots.fire) {
    filled := sum.resized
    held := fills ? (all >> 2 * size).resize(2 * (size - 1)) | all(2 * (size - 1) - 1 downto 0)
    when(slots.last) {
      rest := sum.resize(4) =/= 0
      done := sum.resize(4) === 0
    }
  }
  when(rest && block.fire) {
    rest := False
    done := True
  }
  when(!io.run) {
    filled := io.first
    held := 0
    rest := False
    done := False
  }
  io.block << block
  io.done := done
}
