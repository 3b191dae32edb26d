package heapwire.memory

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.formal._
import spinal.lib._

// Proof harnesses stand outside the suite, whose `assert` is ScalaTest's.

/** The aligner keeps the stream contract and hands out as many words as the range needs. */
class AlignerContract extends Component {
  private val p = MemoryParameter(dataWidth = 32, blockBytes = 32)
  val dut = FormalDut(Aligner(p))
  assumeInitial(ClockDomain.current.isResetActive)

  anyconst(dut.io.from)
  anyconst(dut.io.to)
  anyconst(dut.io.length)
  assume(dut.io.length =/= 0 && dut.io.length < 24)
  assume(!dut.io.clear)
  anyseq(dut.io.output.ready)
  anyseq(dut.io.input.valid)
  anyseq(dut.io.input.payload)
  dut.io.input.formalAssumesSlave()
  dut.io.output.formalAssertsMaster()

  // The reader's side of the border: `last` marks the word that holds the range's last byte.
  val wordsIn = (dut.io.from +^ dut.io.length + 3) >> 2
  val wordsOut = (dut.io.to +^ dut.io.length + 3) >> 2
  val taken, given = Reg(UInt(8 bits)) init 0
  taken := taken + dut.io.input.fire.asUInt
  given := given + dut.io.output.fire.asUInt
  assume(!dut.io.input.valid || taken < wordsIn)
  assume(dut.io.input.last === (taken === wordsIn - 1))
  assert(given <= wordsOut)

  // A word that entered with all the range behind it is not kept for ever.
  val settled = taken === wordsIn && !dut.io.output.valid && !dut.flushing
  when(!ClockDomain.current.isResetActive && settled) { assert(given === wordsOut) }
}

class StreamProofs extends AnyFunSuite {
  private val proof = FormalConfig.withSymbiYosys.withEngies(Seq(SmtBmc(solver = SmtBmcSolver.Z3))).withBMC(12)

  test("proof: the aligner keeps the stream contract and counts its words") { proof.doVerify(new AlignerContract) }
}
