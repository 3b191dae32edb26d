package heapwire.crossing

import spinal.core._
import spinal.lib._

/** A stream from the cluster to a unit of half its clock's rate: see [[Phase]].
  *
  * A register of the cluster's holds the item; `offer` tells the unit's side, from one middle
  * edge to the next, to take it, and is raised only when it has room. Both streams keep their contract
  * (valid does not wait for ready, the payload stands still), and both `ready` come of registers.
  * One item a unit's cycle, every second one if not `pipelined`, which spares a register as wide as the payload;
  * the unit sees it 1 to 3 cycles after the edge at which it was taken.
  *
  * @param unit the unit's domain
  */
case class ToUnit[T <: Data](payload: HardType[T], unit: ClockDomain, pipelined: Boolean = true) extends Component {
  val io = new Bundle {
    val move = in Bool ()
    val input = slave(Stream(payload))
    /** In the unit's domain. */
    val output = master(Stream(payload))
    /** An item is not offered yet. */
    val waiting = out Bool ()
    /** The unit's side is to take an item: its clock must run. */
    val pending = out Bool ()
  }
  val full, offer = RegInit(False)
  val item = RegNextWhen(io.input.payload, io.input.ready)
  val room = Bool()
  // What is offered is taken at the slow edge, so there is room for the next one at the middle edge after it.
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
