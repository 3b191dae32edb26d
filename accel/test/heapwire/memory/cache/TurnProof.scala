package heapwire.memory.cache

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.formal._

// Proof harnesses are outside of the suite, whose `assert` is ScalaTest's.

class TurnBench(ports: Int, shared: Boolean) extends Component {
  val io = new Bundle {
    val asked = in Bits (ports bits)
    val taken, last = in Bool ()
    val granted = out Bits (ports bits)
    val valid = out Bool ()
  }
  val turn = new Turn(io.asked, shared)
  turn.go(io.taken, io.last)
  io.granted := turn.granted
  io.valid := turn.valid
}

/** The rules for ports that keep asking until they are taken: one port at a time is granted and keeps the grant until
  * its last beat is taken, and no port waits for more than one request of each other port.
  */
class TurnRules(ports: Int, shared: Boolean) extends Component {
  val dut = FormalDut(new TurnBench(ports, shared))
  anyseq(dut.io.asked)
  anyseq(dut.io.taken)
  anyseq(dut.io.last)
  assumeInitial(ClockDomain.current.isResetActive)
  private val (asked, granted) = (dut.io.asked, dut.io.granted)
  private val over = dut.io.valid && dut.io.taken && dut.io.last
  private val running = !ClockDomain.current.isResetActive
  private val since = pastValid() && !past(ClockDomain.current.isResetActive) && running
  // An offer that was not taken is still there, like a stream's payload.
  when(since && past(dut.io.valid && !dut.io.taken)) { assume((past(granted) & ~asked) === 0) }

  /** Between the first and the last beat of a request. */
  val within = RegInit(False)
  when(dut.io.valid && dut.io.taken) { within := !dut.io.last }
  /** The number of other ports' requests that ended while a port waited. */
  val passed = Vec.fill(ports)(Reg(UInt(3 bits)) init 0)
  when(running) {
    when(dut.io.valid) { assert((granted & asked) =/= 0 && (granted.asUInt & (granted.asUInt - 1)) === 0) }
    when(asked =/= 0 && !within) { assert(dut.io.valid) }
  }
  when(since && past(dut.io.valid && !over)) { assert(granted === past(granted)) }
  for (port <- 0 until ports) {
    when(!asked(port) || dut.io.valid && granted(port)) { passed(port) := 0 } elsewhen (over) {
      passed(port) := passed(port) + 1
    }
    when(running) { assert(passed(port) < ports) }
  }
}

class TurnProof extends AnyFunSuite {
  for ((ports, shared) <- Seq(2 -> false, 4 -> false, 4 -> true, 5 -> true))
    test(s"proof: each of $ports ports has its turn, and keeps it to the last beat${if (shared) ", with a common search"
      else ""}") {
      FormalConfig.withSymbiYosys.withEngies(Seq(SmtBmc(solver = SmtBmcSolver.Z3))).withBMC(10).doVerify(
        new TurnRules(ports, shared))
    }
}
