package heapwire.protobuf.serialize

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Collects the hints of several givers: blocks that will be needed. Those outside the
  * bounds are dropped. One of each giver waits, so that it is done with it at once;
  * one in two cycles at most. Latency 2 cycles.
  */
case class Hints(m: MemoryParameter, givers: Int) extends Component {
  val io = new Bundle {
    val inputs = Vec(slave(Stream(UInt(32 bits))), givers)
    val output = master(Stream(UInt(32 bits)))
    val bounds = in(HeapBounds())
    val clear = in Bool()
  }
  private val blockShift = log2Up(m.blockBytes)
  private val blockWidth = 32 - blockShift
  private val first = RegNext(io.bounds.bound >> blockShift)
  /** Behind the last block. */
  private val end = RegNext((io.bounds.limit +^ (m.blockBytes - 1)) >> blockShift)

  val waits = Reg(Bits(givers bits)) init 0
  val blocks = Vec.fill(givers)(Reg(UInt(blockWidth bits)))
  for ((input, i) <- io.inputs.zipWithIndex) {
    input.ready := !waits(i)
    when(!waits(i)) { blocks(i) := input.payload >> blockShift }
  }
  val chosen = OHMasking.firstV2(waits)
  val block = MuxOH(chosen, blocks)
  val inside = !(block < first) && block.resize(blockWidth + 1) < end
  private val picked = Stream(UInt(blockWidth bits))
  picked.valid := waits.orR && inside
  picked.payload := block
  io.output << picked.m2sPipe(flush = io.clear).map(_ @@ U(0, blockShift bits))
  waits := (waits & ~chosen.andMask(picked.ready || !inside)) | (io.inputs.map(_.valid).asBits() & ~waits)
  when(io.clear) { waits := 0 }
}
