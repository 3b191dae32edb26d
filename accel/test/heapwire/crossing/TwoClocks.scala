package heapwire.crossing

import spinal.core._
import spinal.core.sim._

/** The clocks of a design with a cluster's part (its own clock domain) and a unit's part, in phase except for `skew`.
  */
object TwoClocks {
  val Period = 100L
  private val config = SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))

  def compile[T <: Component](name: String)(make: => T): SimCompiled[T] =
    SimConfig.withConfig(config).fewOptimisation.workspaceName(name).compile(make)

  /** Starts the clocks, with the cluster in reset for `start` cycles.
    *
    * @param skew how late the unit's edges are, in hundredths of the cluster's period
    * @param odd  the unit's edges fall on the cluster's other edges
    */
  def start(domain: ClockDomain, unit: Bool, skew: Int = 0, odd: Boolean = false, start: Int = 2): Unit = {
    domain.clockSim #= false
    unit #= false
    domain.resetSim #= true
    fork {
      sleep(2 * Period)
      while (true) {
        // Without skew, both clocks change at the same time.
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
