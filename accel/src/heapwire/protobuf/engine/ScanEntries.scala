package heapwire.protobuf.engine

import spinal.core._

/** The ordered entries of the open message: the next one is asked for while the field at hand is put, and again as long
  * as it is not taken, as the cache answers 2 cycles later, and keeps nothing.
  */
class ScanEntries(scanner: Scanner) extends Area {
  import scanner._
  import scanner.State._
  val at, next, end = Reg(UInt(28 bits))
  val following = next + 1
  /** What was asked for in the cycle before, and in the one before that, is the next entry. */
  val sent = RegInit(B(0, 2 bits))
  /** It was asked for, and rests when it is here. */
  val rests = Reg(Bool())
  /** There is none, there is none behind it: known a cycle late, but when one comes. */
  private val isOver = Reg(Bool())
  private val isLast = RegNext(Same(following, end))
  isOver := io.load ? isLast | Same(next, end)
  val over = isOver && !rests
  /** Of what `putsKey` puts. */
  private val puts = io.item.ready && !(state === Length && walking.text.holds)
  private val takes = state === Fetch || putsKey && !called
  io.load := takes && (state === Fetch || puts) && sent(1) && io.hit
  private val wanted = state === Fetch || state === Decide || (state === Key || state === Length) && !called || state === Slot && (io.nearly || io.hereIfHit) ||
    state === Element && walking.text.ends && !called && !io.ahead && (io.nearly || io.hereIfHit)
  private val goesOn = (wanted && !over || port.scans && !isOver) && (!sent(0) || state === Element)
  io.turn := sent(1) && takes || goesOn
  // Of one that rests it is not known yet whether it is the last one.
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
  /** The one at hand came when a key was put, and its slot was asked for then. */
  val early = RegNext(io.load && putsKey) init False
  /** The next one is here, with the offset of its slot, if it is a hit. */
  val comes = putsKey && !called && sent(1)
  val arrives = comes && io.hit
}
