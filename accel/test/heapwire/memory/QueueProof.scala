package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.formal._
import spinal.lib._

// Proof harnesses stand outside the suite, whose `assert` is ScalaTest's.

/** A queue, whatever is offered and taken: what comes out is what went in, in its order, all of it and once; what is
  * offered stays as it is until it is taken; never more is inside than `places`, and no word waits for ever.
  *
  * One word, any, is followed: the solver says which one of those that go in, and what is in it.
  */
abstract class QueueRules(places: Int) extends Component {
  def push: Stream[Bits]
  def pop: Stream[Bits]
  /** Cycles after which a word that is inside is offered. */
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
      when(pastValid() && !past(ClockDomain.current.isResetActive) && past(pop.isStall)) { assert(pop.valid && pop.payload === past(pop.payload)) }
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
