package heapwire.cereal.road

import spinal.core._
import spinal.lib._

/** Predicts the blocks that will be wanted next: after three consecutive blocks, upwards or downwards, the blocks that
  * follow.
  *
  * `seen`: blocks that are wanted, in order. `next`: the block to fetch, at most `ahead` blocks beyond the last one
  * wanted; it reacts to `seen` after 2 cycles. It never leaves the range from `first` to `last`. `clear` (level): the
  * history is dropped.
  */
case class SequentialPrefetcher(width: Int, ahead: Int) extends Component {
  require(ahead >= 1, s"a prefetcher looks at least one block ahead, not $ahead")
  val io = new Bundle {
    val seen = slave(Flow(UInt(width bits)))
    val first, last = in UInt (width bits)
    val next = master(Stream(UInt(width bits)))
    val clear = in(Bool())
  }
  val last = Reg(UInt(width bits))
  val known, stepped, certain, downwards = RegInit(False)
  /** Distance from the last block wanted to the last block fetched. */
  val lead = Reg(UInt(log2Up(ahead + 1) bits)) init 0
  val next = Reg(UInt(width bits))
  private def beyond(block: UInt, down: Bool) = down ? (block - 1) | (block + 1)

  val moves = io.seen.valid && known && io.seen.payload =/= last
  val steps = moves && (io.seen.payload === last + 1 || io.seen.payload === last - 1)
  val down = io.seen.payload === last - 1
  val along = steps && stepped && down === downwards
  when(io.seen.valid) {
    last := io.seen.payload
    known := True
  }
  when(moves) {
    stepped := steps
    downwards := down
    certain := along
  }
  val inside = RegNext(next >= io.first && next <= io.last) init False
  /** `inside` does not refer to `next` yet. */
  val fresh = RegInit(False)
  fresh := False
  io.next.valid := certain && !fresh && inside && lead =/= ahead
  io.next.payload := next
  when(io.next.fire) {
    next := next + (downwards ? U(next.bitsRange -> true) | U(1))
    lead := lead + 1
    fresh := True
  }
  when(moves) {
    fresh := True
    when(along && certain && lead =/= 0) {
      lead := lead - 1
    } otherwise {
      next := beyond(io.seen.payload, down)
      lead := 0
    }
  }
  when(io.clear) {
    known := False
    stepped := False
    certain := False
  }
}
