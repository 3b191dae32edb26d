package heapwire.memory.cache

import heapwire.memory.ShortQueue
import heapwire.memory.dram.DramRoad
import spinal.core._
import spinal.lib._

/** Keeps the core's data cache coherent with the units' writes: sends an invalidation for each write, and answers the
  * write only when the invalidation has been acknowledged. So a unit that completes after its last answer leaves no
  * stale data behind.
  *
  *  - `snooped`: writes in the order of the look-up. From there on no read of the core returns the block's old content;
  *    the data cache drops a refill that is under way when the invalidation comes.
  *  - `invalidate`, `invalidated`: blocks to invalidate, and one acknowledgement for each, in order. They never wait
  *    for a read.
  *  - `token`: a swap may be carried out; the swap then answers itself.
  *
  * If `c.snoop` is false, writes are answered at once. This is for tests that must fail.
  */
case class Snoop(c: CacheParameter) extends Component {
  val io = new Bundle {
    val snooped = slave(Flow(Snooped(c)))
    /** `roomy`: there is room for the requests under way. `calm`: the queue is at most half full. */
    val roomy, calm = out(Bool())
    val invalidate = master(Stream(UInt(32 bits)))
    val invalidated = slave(Stream(NoData()))
    val answer = master(Stream(Answer(c)))
    val token = master(Stream(NoData()))
  }
  case class Waiting() extends Bundle {
    val origin = Origin(c)
    val size = UInt(3 bits)
    val swap = Bool()
  }
  val waiting = ShortQueue(Waiting(), Snoop.Depth)
  waiting.io.push.valid := io.snooped.valid
  waiting.io.push.payload.assignSomeByName(io.snooped.payload)
  io.roomy := RegNext(waiting.io.count <= Snoop.Depth - DramRoad.Margin) init False
  io.calm := RegNext(waiting.io.count <= Snoop.Depth / 2) init False

  val released = if (c.snoop) {
    val blocks = ShortQueue(UInt(c.dram.blockWidth(c.memory) bits), Snoop.Depth)
    blocks.io.push.valid := io.snooped.valid
    blocks.io.push.payload := io.snooped.block
    io.invalidate <<
      blocks.io.pop.map(block => U(c.dram.memoryBase, 32 bits) | (block << log2Up(c.memory.blockBytes)).resized)
    val released = waiting.io.pop.continueWhen(io.invalidated.valid)
    io.invalidated.ready := released.fire
    released
  } else {
    io.invalidate.setIdle()
    io.invalidated.ready := True
    waiting.io.pop
  }
  val demux = StreamDemux(released, released.swap.asUInt, 2)
  io.answer << demux(0).map { write =>
    val answer = Answer(c)
    answer.origin := write.origin
    answer.size := write.size
    answer.isData := False
    answer.denied := False
    answer.last := True
    answer.data := 0
    answer
  }
  // A swap's token waits apart from the answers of later writes. The counter cannot overflow: the data lane's queue
  // holds fewer swaps than it can count.
  val tokens = Reg(UInt(log2Up(SharedCache.Lane) + 1 bits)) init 0
  tokens := tokens + demux(1).valid.asUInt - io.token.fire.asUInt
  demux(1).ready := True
  io.token.valid := tokens =/= 0
}

object Snoop {
  val Depth = 16
}
