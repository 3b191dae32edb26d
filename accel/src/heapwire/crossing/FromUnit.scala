package heapwire.crossing

import spinal.core._
import spinal.lib._

/** A stream from a unit of half the cluster's clock's rate to the cluster: see [[Phase]].
  *
  * The cluster looks at the unit's register at the middle edge, takes the item if it has room, and says so
  * (`taken`) until the next middle edge; the unit's side drops it at the slow edge between.
  * Both streams keep their contract, and `ready` of the unit comes of a register. One item a
  * unit's cycle, every second one if not `pipelined`, which spares a register as wide as the payload; the cluster sees it
  * a cycle after the unit's edge at which it was taken.
  *
  * @param unit the unit's domain
  */
case class FromUnit[T <: Data](payload: HardType[T], unit: ClockDomain, pipelined: Boolean = true) extends Component {
  val io = new Bundle {
    val move = in Bool ()
    /** In the unit's domain. */
    val input = slave(Stream(payload))
    val output = master(Stream(payload))
    /** The unit's side is about to be told: its clock must run. */
    val pending = out Bool ()
  }
  val taken = RegInit(False)
  val there = unit on new Area {
    val leaving = if (pipelined) io.input.s2mPipe().m2sPipe() else io.input.halfPipe()
    leaving.ready := taken
  }
  val arriving = Stream(payload)
  arriving.valid := there.leaving.valid && io.move
  arriving.payload := there.leaving.payload
  when(io.move) { taken := arriving.ready }
  io.output << arriving.m2sPipe()
  io.pending := there.leaving.valid
}
