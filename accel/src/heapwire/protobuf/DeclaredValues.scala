package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** A number of a field that is a closed enum. */
case class EnumValue() extends Bundle {
  /** The table's address, without its low 4 bits. */
  val table = UInt(28 bits)
  val field = UInt(29 bits)
  val value = Bits(32 bits)
}

/** Remembers numbers that were found to be declared, so that each is looked for
  * once as a rule: direct-mapped, 16 of them. `known` is combinational.
  */
case class DeclaredValues() extends Component {
  private val lines = 16
  val io = new Bundle {
    val query = in(EnumValue())
    val known = out Bool()
    val add = slave(Flow(EnumValue()))
    val invalidate = in Bool()
  }
  private def lineOf(v: EnumValue) = v.value(3 downto 0).asUInt ^ v.field(3 downto 0)
  val values = Mem(EnumValue(), lines)
  val valid = RegInit(B(0, lines bits))
  io.known := valid(lineOf(io.query)) && values.readAsync(lineOf(io.query), writeFirst) === io.query
  values.write(lineOf(io.add.payload), io.add.payload, io.add.valid)
  when(io.add.valid) { valid(lineOf(io.add.payload)) := True }
  when(io.invalidate) { valid := 0 }
}
