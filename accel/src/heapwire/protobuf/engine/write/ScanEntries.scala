package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.logic.Same
import spinal.core._

/** The ordered entries of the open message. The next entry is requested while the current field is put. The request is
  * repeated until the entry is taken, because the cache answers 2 cycles later and does not hold its answer.
  */
class ScanEntries(scanner: Scanner) extends Area {
  import scanner._
  import scanner.State._
  val at, next, end = Reg(UInt(28 bits))
  val following = next + 1
  /** The request of one cycle ago, and of two cycles ago, was for the next entry. */
  val sent = RegInit(B(0, 2 bits))
  /** `fetch` requested the entry; the scanner rests when the entry is here. */
  val rests = Reg(Bool())
  /** `isOver`: no entry is left. `isLast`: the next entry is the last one. Known a cycle late, except when an entry
    * comes.
    */
  private val isOver = Reg(Bool())
  private val isLast = RegNext(Same(following, end))
  isOver := io.load ? isLast | Same(next, end)
  val over = isOver && !rests
  /** The packer takes what `putsKey` puts. */
  private val puts = io.item.ready && !(state === Length && walking.text.holds)
  private val takes = state === Fetch || putsKey && !called
  io.load := takes && (state === Fetch || puts) && sent(1) && io.hit
  private val wanted = state === Fetch || state === Decide ||
    (state === Key || state === Length) && !called ||
    state === Slot &&
    (io.nearly || io.hereIfHit) ||
    state === Element && walking.text.ends && !called && !io.ahead &&
    (io.nearly || io.hereIfHit)
  private val goesOn = (wanted && !over || port.scans && !isOver) && (!sent(0) || state === Element)
  io.turn := sent(1) && takes || goesOn
  // For an entry after which the scanner rests, it is not yet known whether it is the last one.
  io.request.valid := io.load ? !(isLast || rests) | goesOn
  io.request.payload := (io.load ? following | next) @@ U(0, 4 bits)
  sent := sent(0) ## (io.request.valid && !io.blocked)
  when(io.load) {
    at := next
    next := following
    sent(1) := False
  }
  when(port.setFrom || port.kill) { sent := 0 }
  when(port.setFrom) { next := port.address >> 4 }
  when(port.setEnd) { end := port.address >> 4 }
  port.at := at @@ U(0, 4 bits)
  /** The current entry came when a key was put, and its slot was requested in that cycle. */
  val early = RegNext(io.load && putsKey) init False
  /** The next entry is here, with the offset of its slot, if the cache hits. */
  val comes = putsKey && !called && sent(1)
  val arrives = comes && io.hit
}
