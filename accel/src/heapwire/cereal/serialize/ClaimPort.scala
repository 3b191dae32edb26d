package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** How a unit claims an object atomically among the units that serialize at the same time.
  *
  * A unit's claim is in its [[ClaimTable]] until no unit can meet the object without seeing it in memory; so an object is free if it is read as free and no
  * other table holds it, provided that units ask one at a time. No word is read again, and none is locked.
  *
  *  - `request`, `address` (from the unit): it wants the object. It must not wait for anything but `grant`, in the cycle of which it takes the object
  *    unless there is a `conflict`. Both may be withdrawn.
  *  - `look`, `held`: an address that another unit asks for, and whether this one's table holds it; combinational.
  *  - `drained` (from the unit): reads that were under way when `phase` last changed have been judged. `phase` changes when
  *    all have said so; it counts, and starts anew.
  */
case class ClaimPort() extends Bundle with IMasterSlave {
  val request, grant, conflict = Bool()
  val address, look = UInt(32 bits)
  val held, drained = Bool()
  val phase = UInt(ClaimPort.PhaseWidth bits)

  override def asMaster(): Unit = {
    out(request, address, held, drained)
    in(grant, conflict, look, phase)
  }
}

object ClaimPort {
  val PhaseWidth = 3
}

/** Lets units claim one at a time, each in turn: a claim a cycle, together. Latency: none.
  *
  * Atomic among the units alone: while any of them runs, software claims nothing.
  */
case class ClaimArbiter(units: Int) extends Component {
  require(units >= 1, s"an arbiter of claims serves one unit at least, not $units")
  val io = new Bundle {
    val ports = Vec.fill(units)(slave(ClaimPort()))
  }
  val requests = Cat(io.ports.map(_.request))
  val last = Reg(Bits(units bits)) init 1
  val chosen = OHMasking.roundRobin(requests, last)
  when(requests.orR) { last := chosen.rotateLeft(1) }
  val address = MuxOH.or(chosen, io.ports.map(_.address), bypassIfSingle = true)

  val phase = Reg(UInt(ClaimPort.PhaseWidth bits)) init 0
  // What a unit says is of the phase before in the cycle after a change.
  val fresh = RegInit(False)
  val turns = !fresh && io.ports.map(_.drained).andR
  fresh := turns
  when(turns) { phase := phase + 1 }

  for ((port, i) <- io.ports.zipWithIndex) {
    port.grant := chosen(i)
    port.look := address
    port.conflict := io.ports.zipWithIndex.filter(_._2 != i).map(_._1.held).orR
    port.phase := phase
  }
}
