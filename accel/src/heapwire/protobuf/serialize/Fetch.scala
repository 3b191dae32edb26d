package heapwire.protobuf.serialize

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** An operation with eight bytes of an object that it asked for. */
case class FetchedOp() extends Bundle {
  val op = Op()
  val data = Bits(64 bits)
  val error = Bool()
}

/** Gets every operation that is `fetched` the second 8 bytes of the object that the
  * low half of its value refers to. Up to `depth` operations are under
  * way, 2 cycles at least; their order is kept. The references must have been checked.
  */
case class Fetch(m: MemoryParameter, depth: Int) extends Component {
  val io = new Bundle {
    val input = slave(Stream(Op()))
    val output = master(Stream(FetchedOp()))
    val request = master(Stream(CachedRead(m)))
    val word = slave(Stream(CachedWord(m)))
    val kill = in Bool()
  }
  val queue = OpQueue(depth)
  queue.io.flush := io.kill
  val want = io.input.fetched
  val address = io.input.low + 8
  io.request.valid := io.input.valid && want && queue.io.push.ready
  io.request.address := address
  io.request.streaming := False
  queue.io.push.valid := io.input.valid && (!want || io.request.ready)
  queue.io.push.payload := io.input.payload
  io.input.ready := queue.io.push.ready && (!want || io.request.ready)

  val op = queue.io.pop.payload
  io.output.valid := queue.io.pop.valid && (!op.fetched || io.word.valid)
  io.output.op := op
  io.output.data := io.word.eight(op.low + 8)
  io.output.error := op.fetched && io.word.error
  queue.io.pop.ready := io.output.fire
  io.word.ready := io.output.fire && op.fetched
}
