package heapwire.protobuf.engine.read

import heapwire.protobuf.Varint
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.formal._

// Proof harnesses are outside of the suite, whose `assert` is ScalaTest's.

/** Compares the value and the length of a varint, as the window computes them, with the definition, byte by byte. */
class VarintDefinition extends Component {
  val data = Bits(8 * Varint.MaxBytes bits)
  anyseq(data)
  val item = WindowItem()
  item.assignDontCare()
  item.bytes := data
  item.wireType := 0
  item.varint := Varint.length(Varint.continuations(data))
  val raw = RawValue(item)
  val bytes = data.subdivideIn(8 bits)
  var open = True
  var length = U(0, 4 bits)
  var value = B(0, 70 bits)
  for ((byte, i) <- bytes.zipWithIndex) {
    val before = CombInit(open)
    value = value | (byte(6 downto 0).resize(70) |<< (7 * i)).andMask(before)
    length = length + before.asUInt
    open = before && byte.msb
  }
  assert(item.varint === length)
  assert(raw.bits === value(63 downto 0))
  // A varint that does not end is an error in any case.
  assert(open || raw.beyond === value(69 downto 64).orR)
}

class VarintProof extends AnyFunSuite {
  test("proof: the engine computes what the definition of a varint says") {
    FormalConfig.withSymbiYosys.withEngies(Seq(SmtBmc(solver = SmtBmcSolver.Z3))).withBMC(2).doVerify(
      new VarintDefinition)
  }
}
