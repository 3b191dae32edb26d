package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** What a unit needs for an atomic operation: nobody else's turn on memory. */
case class LockPort() extends Bundle with IMasterSlave {
  /** Held by the unit from its wish until its last acknowledgement. */
  val request = Bool()
  /** The core's data side is quiet and stays so. */
  val granted = Bool()

  override def asMaster(): Unit = {
    out(request)
    in(granted)
  }
}

/** A gate on the core's data bus. While locked, no request of the core passes and
  * none is in flight, so that a unit's read-modify-write is atomic to the core.
  *
  * The core's store-conditional must not have been promised success before the
  * lock: it fails while `blockExclusive`, and the lock waits for one that is under
  * way (`exclusivePending`).
  */
case class CoreLock(node: NodeParameters) extends Component {
  val io = new Bundle {
    val up = slave(Bus(node))
    val down = master(Bus(node))
    val lock = slave(LockPort())
    val blockExclusive = out Bool()
    val exclusivePending = in Bool()
  }
  val requested = RegNext(io.lock.request) init False
  io.blockExclusive := requested

  val first = RegNextWhen(io.up.a.isLast(), io.up.a.fire) init True
  val settled = RegNext(requested && !io.exclusivePending) init False
  val closed = RegInit(False)
  closed setWhen (requested && settled && !io.exclusivePending &&
    (io.up.a.valid ? (io.up.a.ready && io.up.a.isLast()) | first))
  closed clearWhen !requested

  io.down.a << io.up.a.haltWhen(closed)
  io.up.d << io.down.d

  val started = io.up.a.fire && io.up.a.isFirst()
  val ended = io.up.d.fire && io.up.d.isLast()
  val inFlight = Reg(UInt(node.m.sourceWidth + 1 bits)) init 0
  inFlight := inFlight + started.asUInt - ended.asUInt
  io.lock.granted := RegNext(closed && requested && inFlight === 0 && !started && io.lock.request) init False
}
