package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.formal._
import spinal.lib._

// Proof harnesses are outside of the suite, whose `assert` is ScalaTest's.

/** The rules of a queue, for any sequence of offers and takes: what comes out is what went in, in order, completely and
  * only once; an offered item does not change until it is taken; at most `places` items are inside; and no item waits
  * forever.
  *
  * The proof follows one arbitrary item: the solver chooses which one, and its content.
  */
abstract class QueueRules(places: Int) extends Component {
  def push: Stream[Bits]
  def pop: Stream[Bits]
  /** The number of cycles after which an item inside is offered. */
  def delay: Int

  def rules(): Unit = {
    assumeInitial(ClockDomain.current.isResetActive)
    val inside, taken = Reg(UInt(4 bits)) init 0
    when(push.fire) { inside := inside + 1 }
    when(pop.fire) { taken := taken + 1 }
    val which = anyconst(UInt(4 bits))
    val content = Reg(Bits(2 bits)) init 0
    when(push.fire && inside === which) { content := push.payload }
    val held = inside - taken
    val waits = Reg(UInt(3 bits)) init 0
    waits := (held =/= 0 && !pop.valid) ? (waits + 1) | U(0)
    when(!ClockDomain.current.isResetActive) {
      assert(held <= places)
      assert(!pop.valid || held =/= 0)
      assert(waits <= delay)
      when(pop.valid && taken === which) { assert(pop.payload === content) }
      when(pastValid() && !past(ClockDomain.current.isResetActive) && past(pop.isStall)) {
        assert(pop.valid && pop.payload === past(pop.payload))
      }
    }
  }
}

class ShortQueueRules extends QueueRules(places = 4) {
  val dut = FormalDut(ShortQueue(Bits(2 bits), 4))
  def push = dut.io.push
  def pop = dut.io.pop
  def delay = 0
  anyseq(push.valid)
  anyseq(push.payload)
  anyseq(pop.ready)
  rules()
  when(!ClockDomain.current.isResetActive) { assert(dut.io.count <= 4) }
}

class BlockQueueRules extends QueueRules(places = 5) {
  val dut = FormalDut(BlockQueue(Bits(2 bits), 4))
  def push = dut.io.push
  def pop = dut.io.pop
  def delay = 1
  anyseq(push.valid)
  anyseq(push.payload)
  anyseq(pop.ready)
  rules()
}

class QueueProof extends AnyFunSuite {
  private def proof = FormalConfig.withSymbiYosys.withEngies(Seq(SmtBmc(solver = SmtBmcSolver.Z3))).withBMC(11)
  test("proof: a short queue keeps order, loses and doubles nothing") { proof.doVerify(new ShortQueueRules) }
  test("proof: a queue in block RAM keeps order, loses and doubles nothing") { proof.doVerify(new BlockQueueRules) }
}
