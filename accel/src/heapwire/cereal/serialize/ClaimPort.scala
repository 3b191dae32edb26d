package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** How far a unit's reads of headers have come: how many it has asked for, and how many of them have been judged. Both
  * wrap.
  */
case class ReadProgress() extends Bundle {
  val issued, resolved = UInt(ReadProgress.Width bits)
}

object ReadProgress {
  /** A stamp is compared while the reads are at most a table of claims behind it or ahead of it. */
  val Width = 8
}

/** How a unit claims an object atomically among the units that serialize at the same time.
  *
  * A unit's claim is in its [[ClaimTable]] until no unit can meet the object without seeing the claim in memory; so an
  * object is free if it is read as free and no other table holds it, provided that units ask one at a time. No word is
  * read again, and none is locked.
  *
  *  - `request`, `address` (from the unit): it wants the object. It must not wait for anything but `grant`, in the
  *    cycle of which it takes the object unless there is a `conflict`. Both may be withdrawn.
  *  - `look`, `held`: an address that another unit asks for, and whether this one's table holds it; combinational.
  *  - `settled` (from the unit): the address of an owner word whose write memory has acknowledged. `forget` tells the
  *    other units of it, a cycle later: what they have of its block is old, and what they read from then on is not.
  *  - `progress` (from the unit), `others`: of its own reads, and of those of the other units. The latter are a cycle
  *    old.
  *
  * @param units how many units claim
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

/** Lets units claim one at a time, each in turn: a claim a cycle, together. Latency: none. Claims that are acknowledged
  * are told of likewise, one a cycle.
  *
  * Atomic among the units alone: while any of them runs, software claims nothing.
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
  val asking = turns(Cat(io.ports.map(_.request)))
  val address = MuxOH.or(asking.chosen, io.ports.map(_.address), bypassIfSingle = true)
  val telling = turns(Cat(io.ports.map(_.settled.valid)))
  val progress = io.ports.map(port => RegNext(port.progress))
  val told = RegNext(MuxOH.or(telling.chosen, io.ports.map(_.settled.payload), bypassIfSingle = true))

  for ((port, i) <- io.ports.zipWithIndex) {
    def others[T](of: scala.collection.Seq[T]) = of.zipWithIndex.filter(_._2 != i).map(_._1)
    val rest = others(io.ports)
    port.grant := asking.chosen(i)
    port.look := address
    port.conflict := rest.map(_.held).orR
    port.settled.ready := telling.chosen(i)
    port.forget.valid := RegNext(rest.map(_.settled.fire).orR) init False
    port.forget.payload := told
    for ((to, from) <- port.others.zip(others(progress))) to := from
  }
}
