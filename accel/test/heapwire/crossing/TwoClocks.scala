package heapwire.crossing

import spinal.core._
import spinal.core.sim._

/** The clocks of a design with a cluster's half (its own domain) and a unit's, in phase but for `skew`. */
object TwoClocks {
  val Period = 100L
  private val config = SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))

  def compile[T <: Component](name: String)(make: => T): SimCompiled[T] =
    SimConfig.withConfig(config).fewOptimisation.workspaceName(name).compile(make)

  /** Starts them, with the cluster in reset for `start` cycles.
    *
    * @param skew by how much the unit's edges are late, in hundredths of the cluster's period
    * @param odd  the unit's edges fall on the other ones of the cluster's
    */
  def start(domain: ClockDomain, unit: Bool, skew: Int = 0, odd: Boolean = false, start: Int = 2): Unit = {
    domain.clockSim #= false
    unit #= false
    domain.resetSim #= true
    fork {
      sleep(2 * Period)
      while (true) {
        // Both clocks of one edge change at once, if there is no skew.
        for (edge <- 0 to 1) {
          if ((edge == 1) == odd) change(skew)(unit #= true) else change(skew)(unit #= false)
          domain.clockSim #= true
          sleep(Period / 2)
          domain.clockSim #= false
          sleep(Period / 2)
        }
      }
    }
    fork {
      domain.waitRisingEdge(start)
      domain.resetSim #= false
    }
  }

  private def change(skew: Int)(what: => scala.Unit): scala.Unit =
    if (skew == 0) what else fork { sleep(Period + skew); what }
}
