package heapwire.protobuf

import heapwire.memory.{MemoryParameter, PathWord, PathWrite}
import spinal.core._
import spinal.lib._

/** Up to `bytes` bytes, 16 or 8, from an 8-byte aligned address on. */
case class ObjectWrite(bytes: Int = 16) extends Bundle {
  require(bytes == 8 || bytes == 16, s"bytes must be 8 or 16, not $bytes")
  /** The low 3 bits are ignored. */
  val address = UInt(32 bits)
  val data = Bits(8 * bytes bits)
  val mask = Bits(bytes bits)
}

object ObjectWrite {
  /** As wide as the road to memory. */
  def apply(m: MemoryParameter): ObjectWrite = ObjectWrite(PathWord.bytes(m))

  /** A value of 1, 2, 4 or 8 naturally aligned bytes. */
  def value(address: UInt, value: Bits, log2Size: UInt, bytes: Int = 16): ObjectWrite = {
    val write = ObjectWrite(bytes)
    val mask = log2Size.mux(0 -> B(0x01, 8 bits), 1 -> B(0x03, 8 bits), 3 -> B(0xff, 8 bits), default -> B(0x0f, 8 bits))
    write.address := address
    // In every lane of its size: the mask tells which.
    val lanes = Vec(Seq(8, 16, 32, 64).map { bits => Cat(Seq.fill(64 / bits)(value.resize(64)(0, bits bits))) })
    write.data := lanes(log2Size).resize(8 * bytes)
    write.mask := (mask |<< address(2 downto 0)).resize(bytes)
    write
  }

  /** Words, the first at `address`: as many as a write has room for. */
  def words(address: UInt, words: Bits*): ObjectWrite = {
    val write = ObjectWrite(4 * words.size)
    write.address := address
    write.data := Cat(words)
    write.mask.setAll()
    write
  }
}

/** Puts writes on the road to memory, in order, each byte in its [[PathWord]].
  *
  *  - Writes of 16 bytes that may lie across two words: the halves of a run are joined. One a cycle along a
  *    run; a write whose upper half has to go out on its own costs a cycle more.
  *  - Writes of 8 bytes fit a road of 8: one a cycle, combinational.
  *  - Writes of 16 bytes to a road of 8 go in halves: a cycle for each that has anything.
  */
case class WritePacker(p: MemoryParameter, bytes: Int = 16) extends Component {
  require(bytes >= PathWord.bytes(p), "a write is no narrower than the road")
  val io = new Bundle {
    val input = slave(Stream(ObjectWrite(bytes)))
    val output = master(Stream(PathWrite(p)))
    val busy = out Bool()
  }
  private val input = io.input
  if (PathWord.bytes(p) == 16) pack() else if (bytes == 16) split() else pass()

  private def pass(): Unit = {
    io.output.arbitrationFrom(input)
    io.output.payload.assignSomeByName(input.payload)
    io.busy := False
  }

  private def split(): Unit = new Area {
    val halves = input.mask.subdivideIn(8 bits)
    val second = RegInit(False)
    val upper = second || !halves(0).orR
    val last = upper || !halves(1).orR
    io.output.valid := input.valid && input.mask.orR
    io.output.address := ((input.address >> 3) + upper.asUInt) << 3
    io.output.data := upper ? input.data(127 downto 64) | input.data(63 downto 0)
    io.output.mask := upper ? halves(1) | halves(0)
    input.ready := last && (io.output.ready || !input.mask.orR)
    when(io.output.fire) { second := !last }
    io.busy := input.valid
  }.setName("split")

  private def pack(): Unit = new Area {
    /** The lower half of a word, waiting for more of it. */
    val pending = new Area {
      val valid = RegInit(False)
      val word = Reg(UInt(28 bits))
      val data = Reg(Bits(64 bits))
      val mask = Reg(Bits(8 bits))
    }
    val across = input.address(3)
    val word = input.address >> 4
    val joins = pending.word === word
    val packed = Stream(PathWrite(p))
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
  }.setName("pack")
}
