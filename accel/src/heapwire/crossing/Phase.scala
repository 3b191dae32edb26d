package heapwire.crossing

import spinal.core._
import spinal.lib._

/** Tells when data may cross between the cluster's clock and a clock of half its rate, whose edges fall on every second
  * edge of the cluster's; also makes the clock domain of that slow clock.
  *
  * {{{
  *  cluster  _/-\_/-\_/-\_/-\_/-\_     move: the cycle that ends with a middle edge
  *  unit     _/---\___/---\___/---     the unit's edges are the slow ones
  *             ^   ^ slow
  *               ^   ^ middle
  * }}}
  *
  * Data from the unit's registers are sampled at the middle edge, and data to them change at the middle edge only. This
  * leaves a whole period of the faster clock before and after, so that the skew of the two clocks does not matter, and
  * no tool needs to know how they are related. Only registers are on either side.
  *
  * The phase is learned from a toggle in the unit's domain, sampled with the falling edge, half a period away from
  * where the toggle changes. Between toggles the phase counts by itself: the unit's clock may stop, if it restarts at a
  * slow edge.
  *
  * The unit's reset begins and ends at the unit's edges, lasts at least 7 of them, and ends after the cluster's reset.
  * Nothing crosses before that.
  */
class Phase(clock: Bool) extends Area {
  private val cluster = ClockDomain.current
  private def withoutReset(clock: Bool, edge: EdgeKind): ClockDomain = {
    val domain = ClockDomain(clock, config = cluster.config.copy(clockEdge = edge, resetKind = BOOT))
    domain.setSynchronousWith(cluster)
  }
  private val slow = withoutReset(clock, RISING)
  private val falling = withoutReset(cluster.readClockWire, FALLING)
  private val rising = withoutReset(cluster.readClockWire, RISING)

  private val toggle = slow(RegInit(False))
  toggle := !toggle
  private val seen = falling(RegNext(toggle) init False)
  private val before = rising(RegNext(seen) init False)
  /** High in the second half of a unit's cycle, if the unit's clock runs. */
  private val second = rising(RegNext(seen ^ before) init False)
  private val first = rising(RegInit(False))
  first := second || !first

  private val left = Reg(UInt(3 bits)) init 7
  private val open = RegInit(False)
  private val held = RegInit(True)
  when(first) {
    when(left =/= 0) { left := left - 1 } otherwise { held := False }
    when(!held) { open := True }
  }
  private val reset = slow(RegNext(held) init True)

  /** The edge at the end of this cycle is a middle one, and both sides are out of reset. */
  val move = first && open
  /** The unit is in reset, will be, or was a moment ago. */
  val starting = !open || cluster.isResetActive
  /** The unit's clock and reset. */
  val domain: ClockDomain = {
    val domain = ClockDomain(clock, reset, config = cluster.config)
    domain.setSynchronousWith(cluster)
  }

  /** Returns a level signal of the unit as the cluster sees it: 3 to 4 cycles late, 0 after reset. */
  def fromUnit(level: Bits): Bits = RegNextWhen(domain(RegNext(level) init 0), move) init 0
  def fromUnit(level: Bool): Bool = fromUnit(level.asBits).asBool

  /** Returns a level signal of the cluster as the unit sees it: at least a cycle late and up to 3 cycles until the
    * unit's edge; low after reset.
    */
  def toUnit(level: Bool): Bool = {
    val sent = RegNextWhen(level, move) init False
    domain(RegNext(sent) init False)
  }
}
