package heapwire.cereal.deserialize

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** A block's demand for values, or for references: for which reconstructor, and how many (1 to 16). */
case class BlockShare(reconstructors: Int) extends Bundle {
  val to = UInt(log2Up(reconstructors) max 1 bits)
  /** Which of the reconstructor's two buffers. */
  val buffer = UInt(1 bits)
  val count = UInt(5 bits)
}

/** A block for a reconstructor. */
case class BlockJob(p: MemoryParameter) extends Bundle {
  val codes = Vec.fill(Width.BlockSlots)(SlotCode())
  /** The lane in which the block's first value comes. */
  val lane = UInt(log2Up(p.dataWidth / 32) max 1 bits)
}

/** Hands blocks to the reconstructors in turn, and tells [[ValueLoader]] and [[ReferenceLoader]] how many values and
  * references each block gets. This is the block manager of Cereal (ISCA 2020, section V). Throughput: one block per
  * cycle. It waits for a free buffer in the next reconstructor, so the loaders never have to wait for a buffer.
  *
  * Without `pipelined`, a block is started only when the block before it is in memory (`written`). `idle` (level): no
  * block is here.
  */
case class BlockManager(p: MemoryParameter, reconstructors: Int, pipelined: Boolean) extends Component {
  private val Share = HardType(BlockShare(reconstructors))
  val io = new Bundle {
    val run = in(Bool())
    val block = slave(Stream(BlockLayout()))
    val jobs = Vec.fill(reconstructors)(master(Stream(BlockJob(p))))
    val values, references = master(Stream(Share()))
    val written = in(Bool())
    val idle = out(Bool())
  }

  case class Counted() extends Bundle {
    val layout = BlockLayout()
    val values, references = UInt(5 bits)
  }
  val busy = if (pipelined) False else RegInit(False)
  private def count(layout: BlockLayout, code: Int) = CountOne(layout.codes.map(_ === code))
  val counted = io.block.haltWhen(busy || !io.run).map { layout =>
    val c = Counted()
    c.layout := layout
    c.values := count(layout, SlotCode.Value)
    c.references := count(layout, SlotCode.Reference)
    c
  }.m2sPipe(flush = !io.run)
  if (!pipelined) {
    busy setWhen io.block.fire
    busy clearWhen (io.written || !io.run)
  }

  val turn = Reg(UInt(log2Up(reconstructors) max 1 bits))
  val buffer = Reg(UInt(1 bits))
  val lane = Reg(UInt(log2Up(p.dataWidth / 32) max 1 bits))
  val job = BlockJob(p)
  job.codes := counted.layout.codes
  job.lane := lane

  val free = if (reconstructors == 1) io.jobs(0).ready else io.jobs.map(_.ready).read(turn)
  val ready = free && io.values.ready && io.references.ready
  counted.ready := ready
  for ((to, i) <- io.jobs.zipWithIndex) {
    to.valid := counted.valid && ready && turn === i
    to.payload := job
  }
  for ((share, count) <- Seq(io.values -> counted.values, io.references -> counted.references)) {
    share.valid := counted.valid && ready && count =/= 0
    share.to := turn
    share.buffer := buffer
    share.count := count
  }
  when(counted.fire) {
    if (p.dataWidth > 32) { lane := lane + counted.values.resized }
    turn := turn + 1
    when(turn === reconstructors - 1) {
      turn := 0
      buffer := buffer + 1
    }
  }
  when(!io.run) {
    turn := 0
    buffer := 0
    lane := 0
  }
  io.idle := !counted.valid && !io.block.valid
}
