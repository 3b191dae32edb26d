package heapwire.crossing

import spinal.core._
import spinal.lib._

/** A stream from a unit at half the cluster's clock rate to the cluster: see [[Phase]].
  *
  * The cluster samples the unit's register at the middle edge. If it has room it takes the item, and asserts `taken`
  * until the next middle edge; the unit's side drops the item at the slow edge in between. Both streams keep the stream
  * contract, and the unit's `ready` comes from a register. Throughput is one item per unit cycle, or one every second
  * unit cycle if not `pipelined`, which saves a register as wide as the payload. The cluster sees an item one cycle
  * after the unit's edge at which it was taken.
  *
  * @param unit the unit's clock domain
  */
case class FromUnit[T <: Data](payload: HardType[T], unit: ClockDomain, pipelined: Boolean = true) extends Component {
  val io = new Bundle {
    val move = in Bool ()
    /** In the unit's clock domain. */
    val input = slave(Stream(payload))
    val output = master(Stream(payload))
    /** The unit's side still has to be told that its item was taken, so its clock must run. */
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
