package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A memory word of a block, with byte masks. */
case class BlockBeat(p: MemoryParameter) extends Bundle {
  /** Number of the block; the same for all of its words. */
  val block = UInt(p.addressWidth - log2Up(p.blockBytes) bits)
  val data = Bits(p.dataWidth bits)
  val mask = Bits(p.wordBytes bits)
  /** All bytes of the block are written; the same for all of its words. */
  val full = Bool()
}

/** Writes complete blocks: all words of one block from the lowest on, then those of the next. Nothing is gathered here,
  * so the source occupies the bus if it pauses within a block.
  *
  * Up to `slots` blocks are in flight; they must all be different. `written` fires with each acknowledgement, `denied`
  * with it if the bus refused the block. `idle`: every block that has begun is acknowledged. No latency, since
  * a guard with a register follows; throughput: one word per cycle.
  */
case class BlockWriter(p: MemoryParameter, slots: Int = 16) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")
  val node: NodeParameters = p.master("block_writer", slots, put = true)
  val io = new Bundle {
    val beat = slave(Stream(BlockBeat(p)))
    val written, denied, idle = out(Bool())
    /** All slots are in use. */
    val waiting = out(Bool())
    val bus = master(Bus(node))
  }
  val busy = RegInit(B(0, slots bits))
  val count = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
  val first = count === 0
  val free = OHToUInt(OHMasking.firstV2(~busy))
  val source = Reg(UInt(log2Up(slots) bits))
  val allowed = !first || !busy.andR

  val a = io.beat.continueWhen(allowed).map { beat =>
    val a = ChannelA(io.bus.p)
    a.opcode := beat.full.mux(Opcode.A.PUT_FULL_DATA(), Opcode.A.PUT_PARTIAL_DATA())
    a.param := Param.Hint.NO_ALLOCATE_ON_MISS
    a.source := first ? free | source
    a.address := beat.block @@ U(0, log2Up(p.blockBytes) bits)
    a.size := log2Up(p.blockBytes)
    a.data := beat.data
    a.mask := beat.mask
    a.corrupt := False
    a.debugId := 0
    a
  }
  when(a.fire) {
    count := count + 1
    when(first) {
      source := free
      busy(free) := True
    }
  }
  a.s2mPipe() >> io.bus.a

  io.bus.d.ready := True
  when(io.bus.d.valid) { busy(io.bus.d.source) := False }
  io.written := io.bus.d.valid
  io.denied := io.bus.d.valid && io.bus.d.denied
  io.idle := !busy.orR && first
  io.waiting := busy.andR
}
