package heapwire.memory.cache

import spinal.core._
import spinal.lib._

/** A round-robin arbiter: the search starts behind the port that was granted last. A port that was granted keeps its
  * turn until its `last` beat is taken. It has no adder, unlike SpinalHDL's arbiter, and no payload: the user knows
  * which parts of the payload are constant.
  *
  * @param shared the ports share the steps of the search, so that its size grows with ports times log2 of ports.
  *               Otherwise each port has a search of its own, which is shorter for few ports, but grows with the cube
  *               of their number: that of 59 ports made up five sixths of the Verilog of eight units
  */
class Turn(asked: Bits, shared: Boolean) extends Area {
  def this(asked: Bits) = this(asked, shared = widthOf(asked) > Turn.Alone)
  private val ports = widthOf(asked)
  val newest = RegInit(B(BigInt(1) << ports - 1, ports bits))
  val locked = RegInit(False)
  /** Returns whether a port between `from` and `to` asks. */
  private def before(from: Int, to: Int) = (1 until ports).map(k => (from + k) % ports).takeWhile(_ != to).map(
    asked(_)).foldLeft(False)(_ || _)
  private def alone =
    B(for (to <- 0 until ports) yield asked(to) && (0 until ports).map(from => newest(from) && !before(from, to)).orR)
  /** Whether the search reaches each port: it starts behind the newest port, and ends at a port that asks. `starts` and
    * `passes` are about the ports in front of a port, twice as many in each step.
    */
  private def prefix = {
    def behind(of: Seq[Bool], distance: Int) = (0 until ports).map(to => of(Math.floorMod(to - distance, ports)))
    var starts: Seq[Bool] = behind(newest.asBools.toList, 1)
    var passes: Seq[Bool] = behind(asked.asBools.toList.map(!_), 1)
    for (step <- 0 until log2Up(ports)) {
      starts =
        (starts, passes, behind(starts, 1 << step)).zipped.map((near, through, far) => near || through && far).toSeq
      passes = passes.zip(behind(passes, 1 << step)).map { case (near, far) => near && far }
    }
    B(starts) & asked
  }
  private val next = if (shared) prefix else alone
  val granted = locked ? newest | next
  val valid = locked ? (asked & newest).orR | asked.orR
  /** Reports whether the granted beat is taken, and whether it ends its request. */
  def go(taken: Bool, last: Bool): Unit = when(valid) {
    newest := granted
    locked := !(taken && last)
  }
}

object Turn {
  /** The most ports of which each has a search of its own. */
  val Alone = 20
}
