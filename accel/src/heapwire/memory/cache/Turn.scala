package heapwire.memory.cache

import spinal.core._
import spinal.lib._

/** A round-robin arbiter: the search starts behind the port that was granted last. A port that was granted keeps its
  * turn until its `last` beat is taken. It has no adder, unlike SpinalHDL's arbiter, and no payload: the user knows
  * which parts of the payload are constant.
  */
class Turn(asked: Bits) extends Area {
  private val ports = widthOf(asked)
  val newest = RegInit(B(BigInt(1) << ports - 1, ports bits))
  val locked = RegInit(False)
  /** Returns whether a port between `from` and `to` asks. */
  private def before(from: Int, to: Int) = (1 until ports).map(k => (from + k) % ports).takeWhile(_ != to).map(asked(_)).foldLeft(False)(_ || _)
  private val next = B(for (to <- 0 until ports) yield asked(to) && (0 until ports).map(from => newest(from) && !before(from, to)).orR)
  val granted = locked ? newest | next
  val valid = locked ? (asked & newest).orR | asked.orR
  /** Reports whether the granted beat is taken, and whether it ends its request. */
  def go(taken: Bool, last: Bool): Unit = when(valid) {
    newest := granted
    locked := !(taken && last)
  }
}
