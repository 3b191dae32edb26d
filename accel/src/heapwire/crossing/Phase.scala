package heapwire.crossing

import spinal.core._
import spinal.lib._

/** When data may pass between a clock and one of half its rate whose edges fall on every
  * second edge of it, and the domain of that clock.
  *
  * {{{
  *  cluster  _/-\_/-\_/-\_/-\_/-\_     move: the cycle that ends with a middle edge
  *  unit     _/---\___/---\___/---     the unit's edges are the slow ones
  *             ^   ^ slow
  *               ^   ^ middle
  * }}}
  *
  * What comes from the unit's registers is taken at the middle edge, and what goes to them changes at
  * the middle edge alone: a whole period of the faster clock before and after, so that the
  * skew of the two clocks does not matter, and no tool has to know how they are related.
  * Nothing but registers is on either side.
  *
  * Which edge is the middle one is learned from a toggle in the unit's domain, looked at with
  * the falling edge, half a period away from where it changes. In between the phase counts by itself: the
  * unit's clock may stop, if it goes on at a slow edge.
  *
  * Reset: the unit's begins and ends at the unit's edges, is at least 7 of them long, and ends
  * after that of the cluster; nothing moves before.
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
  /** High in the second half of a unit's cycle, if its clock runs. */
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
  /** The unit is in reset, or will be, or was a moment ago. */
  val starting = !open || cluster.isResetActive
  /** The unit's clock and reset. */
  val domain: ClockDomain = {
    val domain = ClockDomain(clock, reset, config = cluster.config)
    domain.setSynchronousWith(cluster)
  }

  /** A level of the unit as the cluster sees it, 0 after reset: 3 to 4 cycles late. */
  def fromUnit(level: Bits): Bits = RegNextWhen(domain(RegNext(level) init 0), move) init 0
  def fromUnit(level: Bool): Bool = fromUnit(level.asBits).asBool

  /** A level of the cluster as the unit sees it, low after reset: at least a cycle late, and up to 3 until the unit's edge. */
  def toUnit(level: Bool): Bool = {
    val sent = RegNextWhen(level, move) init False
    domain(RegNext(sent) init False)
  }
}
