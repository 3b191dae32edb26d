package heapwire.memory.cache

import spinal.core._
import spinal.lib._

/** Which of several ports goes next: in turn, from the one behind the newest on. One that was offered stays until its `last` beat is taken.
  *
  * No adder, unlike SpinalHDL's arbiter, and no payload: whoever asks knows which parts of it are constant.
  */
class Turn(asked: Bits) extends Area {
  private val ports = widthOf(asked)
  val newest = RegInit(B(BigInt(1) << ports - 1, ports bits))
  val locked = RegInit(False)
  /** Somebody asks who stands between these two. */
  private def before(from: Int, to: Int) = (1 until ports).map(k => (from + k) % ports).takeWhile(_ != to).map(asked(_)).foldLeft(False)(_ || _)
  private val next = B(for (to <- 0 until ports) yield asked(to) && (0 until ports).map(from => newest(from) && !before(from, to)).orR)
  val granted = locked ? newest | next
  val valid = locked ? (asked & newest).orR | asked.orR
  /** The beat that is granted is taken or not, and ends its request or not. */
  def go(taken: Bool, last: Bool): Unit = when(valid) {
    newest := granted
    locked := !(taken && last)
  }
}
