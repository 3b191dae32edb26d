package heapwire.crossing

import spinal.core._
import spinal.lib._

/** A stream from the cluster to a unit at half the cluster's clock rate: see [[Phase]].
  *
  * A register on the cluster's side holds the item. `offer` tells the unit's side, from one middle edge to the next, to
  * take it; it is raised only when the unit's side has room. Both streams keep the stream contract (valid does not wait
  * for ready, the payload is stable), and both `ready` signals come from registers. Throughput is one item per unit
  * cycle, or one every second unit cycle if not `pipelined`, which saves a register as wide as the payload. The unit
  * sees an item 1 to 3 cycles after the edge at which it was taken.
  *
  * @param unit the unit's clock domain
  */
case class ToUnit[T <: Data](payload: HardType[T], unit: ClockDomain, pipelined: Boolean = true) extends Component {
  val io = new Bundle {
    val move = in Bool ()
    val input = slave(Stream(payload))
    /** In the unit's clock domain. */
    val output = master(Stream(payload))
    /** An item is waiting to be offered. */
    val waiting = out Bool ()
    /** The unit's side has to take an item, so its clock must run. */
    val pending = out Bool ()
  }
  val full, offer = RegInit(False)
  val item = RegNextWhen(io.input.payload, io.input.ready)
  val room = Bool()
  // The unit takes an offered item at the slow edge, so there is room for the next one at the middle edge behind that.
  io.input.ready := !full || offer && io.move
  when(io.input.ready) { full := io.input.valid }
  when(io.move) { offer := (io.input.ready ? io.input.valid | full) && room }
  io.waiting := full && !offer
  io.pending := full

  val there = unit on new Area {
    val arriving = Stream(payload)
    arriving.valid := offer
    arriving.payload := item
    io.output << (if (pipelined) arriving.s2mPipe().m2sPipe() else arriving.halfPipe())
  }
  room := there.arriving.ready
}
