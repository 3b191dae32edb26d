package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** The progress of a unit's reads of headers: how many it has requested, and how many of them have been judged. Both
  * counts wrap.
  */
case class ReadProgress() extends Bundle {
  val issued, resolved = UInt(ReadProgress.Width bits)
}

object ReadProgress {
  /** Wide enough to compare a stamp while the reads are at most a table of claims ahead of it or behind it. */
  val Width = 8
}

/** How a unit claims an object atomically among the units that serialize at the same time.
  *
  * A unit's claim stays in its [[ClaimTable]] until no unit can meet the object without seeing the claim in memory. So
  * an object is free if it is read as free and no other unit's table holds it, provided that units claim one at a time.
  * No word is read again, and none is locked.
  *
  *  - `request`, `address` (from the unit): the unit wants the object. It must wait only for `grant`: in the cycle of
  *    `grant` it takes the object, unless there is a `conflict`. The request may be withdrawn, but not replaced by one
  *    for another object before `grant`.
  *  - `look`, `held`: the address that the unit with the turn requested, and whether this unit's table holds it;
  *    combinational.
  *  - `settled` (from the unit): the address of an owner word whose write memory has acknowledged. `forget` reports it
  *    to the other units one cycle later: what they have of that block is stale, and what they read from then on is
  *    not.
  *  - `progress` (from the unit) and `others`: the progress of its own reads, and of the other units' reads. The latter
  *    are one cycle old.
  *
  * @param units number of units that claim
  */
case class ClaimPort(units: Int) extends Bundle with IMasterSlave {
  val request, grant, conflict = Bool()
  val address, look = UInt(32 bits)
  val held = Bool()
  val settled = Stream(UInt(32 bits))
  val forget = Flow(UInt(32 bits))
  val progress = ReadProgress()
  val others = Vec.fill(units - 1)(ReadProgress())

  override def asMaster(): Unit = {
    out(request, address, held, progress)
    in(grant, conflict, look, others)
    master(settled)
    slave(forget)
  }
}

/** Lets units claim one at a time, in turn: one claim per cycle for all units together, one every second cycle for each.
  * A unit gets its turn in the cycle after its request at the earliest. So the path of a request ends at a register
  * here, and what the units' tables hold is looked up in the next cycle. Acknowledged claims are reported one per cycle,
  * without latency. Claims are atomic among the units only: software must not claim while a unit runs.
  */
case class ClaimArbiter(units: Int) extends Component {
  require(units >= 2, s"an arbiter of claims serves two units at least, not $units")
  val io = new Bundle {
    val ports = Vec.fill(units)(slave(ClaimPort(units)))
  }
  private def turns(requests: Bits) = new Area {
    val last = Reg(Bits(units bits)) init 1
    val chosen = OHMasking.roundRobin(requests, last)
    when(requests.orR) { last := chosen.rotateLeft(1) }
  }
  val granted = Reg(Bits(units bits)) init 0
  // What the unit with the turn requests after this object is not known before the next cycle.
  val asking = turns(Cat(io.ports.map(_.request)) & ~granted)
  granted := asking.chosen
  val address = RegNext(MuxOH.or(asking.chosen, io.ports.map(_.address), bypassIfSingle = true))
  val telling = turns(Cat(io.ports.map(_.settled.valid)))
  val progress = io.ports.map(port => RegNext(port.progress))
  val told = RegNext(MuxOH.or(telling.chosen, io.ports.map(_.settled.payload), bypassIfSingle = true))

  for ((port, i) <- io.ports.zipWithIndex) {
    def others[T](of: scala.collection.Seq[T]) = of.zipWithIndex.filter(_._2 != i).map(_._1)
    val rest = others(io.ports)
    port.grant := granted(i)
    port.look := address
    port.conflict := rest.map(_.held).orR
    port.settled.ready := telling.chosen(i)
    port.forget.valid := RegNext(rest.map(_.settled.fire).orR) init False
    port.forget.payload := told
    for ((to, from) <- port.others.zip(others(progress))) to := from
  }
}
