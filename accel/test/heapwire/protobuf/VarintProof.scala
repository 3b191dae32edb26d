package heapwire.protobuf

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.formal._

// Proof harnesses stand outside the suite, whose `assert` is ScalaTest's.

/** The decoder against the definition, a byte at a time. */
class VarintDefinition extends Component {
  val dut = FormalDut(VarintDecoder())
  anyseq(dut.io.bytes)
  val bytes = dut.io.bytes.subdivideIn(8 bits)
  var open = True
  var length = U(0, 4 bits)
  var value = B(0, 70 bits)
  for ((byte, i) <- bytes.zipWithIndex) {
    val before = CombInit(open)
    value = value | (byte(6 downto 0).resize(70) |<< (7 * i)).andMask(before)
    length = (before && !byte.msb) ? U(i + 1, 4 bits) | length
    open = before && byte.msb
  }
  assert(dut.io.length === length)
  assert(dut.io.value === value(63 downto 0))
}

class VarintProof extends AnyFunSuite {
  test("proof: the varint decoder computes the definition") {
    FormalConfig.withSymbiYosys.withEngies(Seq(SmtBmc(solver = SmtBmcSolver.Z3))).withBMC(2).doVerify(new VarintDefinition)
  }
}
