package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Keeps the core's data cache coherent with the units' writes.
  *
  * Between the units and the shared cache: when a unit's Put has been
  * acknowledged, the block it wrote is invalidated in the core's data cache, and
  * only then is the acknowledgement passed on. So a unit that completes after its
  * last acknowledgement leaves nothing stale behind.
  *
  *  - `invalidate`: the block's address; many may be under way.
  *  - `invalidated`: one event a block, in the order of `invalidate`.
  *  - `reservationBreak`: blocks that a unit writes, for the core's LR reservation.
  *
  * With `enabled = false` acknowledgements pass at once: for tests that must fail.
  */
case class SnoopFilter(node: NodeParameters, p: MemoryParameter, pendingMax: Int = 16, enabled: Boolean = true) extends Component {
  val io = new Bundle {
    val up = slave(Bus(node))
    val down = master(Bus(node))
    val invalidate = master(Stream(UInt(p.addressWidth bits)))
    val invalidated = slave(Stream(NoData()))
    val reservationBreak = master(Flow(UInt(p.addressWidth bits)))
  }
  private val bus = io.up.p

  io.down.a << io.up.a
  val isPut = !Opcode.A.isGet(io.up.a.opcode)

  /** The block each source writes. */
  val blocks = BlockRam(Mem(UInt(p.addressWidth - log2Up(p.blockBytes) bits), 1 << bus.sourceWidth))
  blocks.write(io.up.a.source, io.up.a.address >> log2Up(p.blockBytes), io.up.a.fire && isPut && io.up.a.isFirst())

  if (!enabled) {
    io.up.d << io.down.d
    io.invalidate.valid := False
    io.invalidate.payload := 0
    io.invalidated.ready := True
    io.reservationBreak.valid := False
    io.reservationBreak.payload := 0
  } else {
    val demux = StreamDemux(io.down.d, (io.down.d.opcode === Opcode.D.ACCESS_ACK).asUInt, 2)
    val data = demux(0)
    // Read the block's address, then send the invalidation and queue the acknowledgement.
    val read = blocks.streamReadSync(demux(1).map(_.source), demux(1).payload)
    val address = (read.value << log2Up(p.blockBytes)).resize(p.addressWidth)
    val ack = read.map(_.linked)
    val (toInvalidate, toPending) = StreamFork2(ack)
    io.invalidate << toInvalidate.translateWith(address).pipelined(m2s = true, s2m = true)

    io.reservationBreak.valid := RegNext(ack.fire) init False
    io.reservationBreak.payload := RegNext(address)

    val pending = toPending.queue(pendingMax)
    val released = pending.continueWhen(io.invalidated.valid)
    io.invalidated.ready := released.fire
    StreamArbiterFactory().lowerFirst.lambdaLock[ChannelD](_.isLast()).on(List(released.s2mPipe(), data)) >> io.up.d
  }
}
