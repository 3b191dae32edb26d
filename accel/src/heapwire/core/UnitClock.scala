package heapwire.core

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The clock of a unit: the cluster's, in phase with it, and free to stop while
  * the unit sleeps.
  *
  * A cluster has one clock input a unit and one output that says whether that
  * unit wants it (`unit_clk`, `unit_awake`). A board ties the inputs to `clk`, or
  * gates them; the simulator leaves out the edges of sleeping units, which are
  * most of the units most of the time.
  *
  * A unit is awake in reset, while it has or is offered a command or an instruction, a register
  * write, an outcome or a beat on one of its buses, and for [[Linger]] cycles
  * after. Only then may its registers change.
  */
object UnitClock {
  val Linger = 15

  def domain(clock: Bool): ClockDomain = {
    val cluster = ClockDomain.current
    val domain = ClockDomain(clock, cluster.readResetWire, config = cluster.config)
    domain.setSynchronousWith(cluster)
  }

  /** May the edge at the end of this cycle matter to the unit? Combinational. */
  def awake(socket: UnitSocket): Bool = {
    val port = socket.port
    awake(port.command.valid || port.registers.valid || port.completion.valid || port.activity.busy, socket.buses)
  }
  def awake(socket: FieldSocket): Bool = {
    val port = socket.port
    awake(port.request.valid || port.registers.valid || port.response.valid || port.activity.busy, socket.buses)
  }

  private def awake(port: Bool, buses: Seq[(NodeParameters, Bus)]): Bool = {
    val stirring = port || buses.map { case (_, bus) => bus.a.valid || bus.d.valid }.orR
    val linger = Reg(UInt(log2Up(Linger + 1) bits)) init Linger
    when(stirring) { linger := Linger } elsewhen (linger =/= 0) { linger := linger - 1 }
    stirring || linger =/= 0 || ClockDomain.current.isResetActive
  }
}
