package heapwire.core

import heapwire.crossing.HalfRate
import heapwire.memory.FieldPort
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The clock of a unit: the cluster's clock or half of it, in phase with it. It may stop while the unit sleeps.
  *
  * A cluster has one clock input per unit (`unit_clk`) and one output that says whether that unit needs its clock
  * (`unit_awake`). A board ties the inputs to `clk`, or to a clock of half its rate (`ClusterConfig.unitClockDivider`),
  * or gates them. The simulator skips the clock edges of sleeping units, which is most of the units most of the time.
  *
  * A unit is awake in reset, while it has or is offered a command or an instruction, a register write, a completion or
  * a beat on one of its buses, and for some of its cycles afterwards ([[Linger]]; an engine has a longer time). Its
  * registers may change only while it is awake.
  */
object UnitClock {
  val Linger = 15

  def domain(clock: Bool): ClockDomain = {
    val cluster = ClockDomain.current
    val domain = ClockDomain(clock, cluster.readResetWire, config = cluster.config)
    domain.setSynchronousWith(cluster)
  }

  /** Returns a unit as the cluster sees it, whose clock is divided by `divider`, and whether the clock edge at the end
    * of this cycle may matter to the unit (combinational).
    */
  def unit(clock: Bool, divider: Int)(make: => UnitSocket): (UnitSocket, Bool) = if (divider == 1) {
    val socket = domain(clock) on make
    (socket, awake(stirs(socket), socket.linger))
  } else {
    val half = new HalfRate(clock)
    val socket = half.phase.domain on make
    require(socket.claim.isEmpty, "claims do not cross to another clock")
    half.setName(s"${socket.kind.name}_crossing")
    val outer = socket.copy(port = half.port(socket.port), fields = socket.fields.map(half.fields),
      buses = socket.buses.map { case (node, bus) => node -> half.bus(node, bus) })
    (outer, awake(stirs(socket) || half.pending, divider * socket.linger))
  }

  private def stirs(socket: UnitSocket): Bool = {
    val port = socket.port
    stirs(port.command.valid || port.registers.valid || port.completion.valid || port.activity.busy ||
        socket.fields.map(stirs).orR, socket.buses)
  }
  private def stirs(port: FieldPort): Bool = port.request.valid || port.registers.valid || port.response.valid ||
    port.activity.busy
  private def stirs(port: Bool, buses: Seq[(NodeParameters, Bus)]): Bool =
    port || buses.map { case (_, bus) => bus.a.valid || bus.d.valid }.orR

  private def awake(stirring: Bool, cycles: Int): Bool = {
    val linger = Reg(UInt(log2Up(cycles + 1) bits)) init cycles
    when(stirring) { linger := cycles } elsewhen (linger =/= 0) { linger := linger - 1 }
    stirring || linger =/= 0 || ClockDomain.current.isResetActive
  }
}
