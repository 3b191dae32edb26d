package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A memory word of a block that is written whole, or with holes. */
case class BlockBeat(p: MemoryParameter) extends Bundle {
  /** The block: the same for all of its words. */
  val block = UInt(p.addressWidth - log2Up(p.blockBytes) bits)
  val data = Bits(p.dataWidth bits)
  val mask = Bits(p.wordBytes bits)
  /** No word of the block has a hole; the same for all of them. */
  val full = Bool()
}

/** Writes blocks from a source that has them whole: all words of one from the lowest on, then those of the next. As
  * nothing gathers here, the source keeps the bus while it hesitates within a block.
  *
  * Up to `slots` blocks are in flight; no two of them may be the same one. `written` fires with each acknowledgement,
  * `denied` with it if the bus refused. `idle`: nothing has begun that is not acknowledged. Latency 1 cycle, a word a
  * cycle.
  */
case class BlockWriter(p: MemoryParameter, slots: Int = 16) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")
  val node: NodeParameters = p.master("block_writer", slots, put = true)
  val io = new Bundle {
    val beat = slave(Stream(BlockBeat(p)))
    val written, denied, idle = out Bool()
    /** All slots are in use. */
    val waiting = out Bool()
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
  a.pipelined(m2s = true, s2m = true) >> io.bus.a

  io.bus.d.ready := True
  when(io.bus.d.valid) { busy(io.bus.d.source) := False }
  io.written := io.bus.d.valid
  io.denied := io.bus.d.valid && io.bus.d.denied
  io.idle := !busy.orR && first
  io.waiting := busy.andR
}
