package heapwire.protobuf

import heapwire.memory.{MaskedWrite, MemoryParameter}
import spinal.core._
import spinal.lib._

/** Up to 16 bytes from an 8-byte aligned address on. */
case class ObjectWrite() extends Bundle {
  /** The low 3 bits are ignored. */
  val address = UInt(32 bits)
  val data = Bits(128 bits)
  val mask = Bits(16 bits)
}

object ObjectWrite {
  /** A value of 1, 2, 4 or 8 naturally aligned bytes. */
  def value(address: UInt, value: Bits, log2Size: UInt): ObjectWrite = {
    val write = ObjectWrite()
    val bytes = log2Size.mux(0 -> B(0x01, 8 bits), 1 -> B(0x03, 8 bits), 3 -> B(0xff, 8 bits), default -> B(0x0f, 8 bits))
    write.address := address
    // In every lane of its size: the mask tells which.
    val lanes = Vec(Seq(8, 16, 32, 64).map { bits => Cat(Seq.fill(64 / bits)(value.resize(64)(0, bits bits))) })
    write.data := lanes(log2Size).resize(128)
    write.mask := (bytes |<< address(2 downto 0)).resize(16)
    write
  }

  /** Four words, the first at `address`. */
  def words(address: UInt, words: Bits*): ObjectWrite = {
    val write = ObjectWrite()
    write.address := address
    write.data := Cat(words)
    write.mask.setAll()
    write
  }
}

/** Turns writes that may lie across two 16-byte words into writes of one word
  * each, joining the halves of a run. One a cycle along a run; a write whose
  * upper half has to go out on its own costs a cycle more. Order is kept.
  */
case class WritePacker(p: MemoryParameter) extends Component {
  val io = new Bundle {
    val input = slave(Stream(ObjectWrite()))
    val output = master(Stream(MaskedWrite(p)))
    val busy = out Bool()
  }
  /** The lower half of a word, waiting for more of it. */
  val pending = new Area {
    val valid = RegInit(False)
    val word = Reg(UInt(28 bits))
    val data = Reg(Bits(64 bits))
    val mask = Reg(Bits(8 bits))
  }
  val input = io.input
  val across = input.address(3)
  val word = input.address >> 4
  val joins = pending.word === word
  val packed = Stream(MaskedWrite(p))
  val pendingOnly = pending.valid && !(input.valid && joins)

  packed.valid := pending.valid || input.valid && input.mask.orR
  packed.address := (pendingOnly ? pending.word | word) @@ U(0, 4 bits)
  val data = across ? (input.data(63 downto 0) ## B(0, 64 bits)) | input.data
  val mask = across ? (input.mask(7 downto 0) ## B(0, 8 bits)) | input.mask
  packed.data := data
  packed.mask := mask.andMask(!pendingOnly)
  when(pending.valid && (joins || pendingOnly)) {
    for (i <- 0 until 8) when(pending.mask(i) && (pendingOnly || !mask(i))) {
      packed.data(8 * i, 8 bits) := pending.data(8 * i, 8 bits)
      packed.mask(i) := True
    }
  }
  input.ready := !pendingOnly && (packed.ready || !packed.valid)
  when(packed.fire) { pending.valid := False }
  when(input.fire) {
    pending.valid := across && input.mask(15 downto 8).orR
    pending.word := word + 1
    pending.data := input.data(127 downto 64)
    pending.mask := input.mask(15 downto 8)
  }
  val staged = packed.throwWhen(packed.mask === 0).m2sPipe()
  io.output << staged
  io.busy := pending.valid || staged.valid
}
