package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Tells whether texts are UTF-8 as RFC 3629 has it: nothing overlong, no
  * surrogates, nothing above U+10FFFF, nothing cut short.
  *
  * A text comes in chunks of up to 16 bytes, one a cycle; `last` ends it. `error`
  * is a pulse, two cycles after the chunk that is wrong (or that ends within a
  * character); of a text that had one, further pulses mean nothing.
  *
  * Every byte is judged by the three before it, all bytes of a chunk at once.
  */
case class Utf8Validator() extends Component {
  val io = new Bundle {
    val chunk = slave(Flow(ByteChunk()))
    /** Forgets the text under way. */
    val clear = in Bool()
    val error = out Bool()
  }
  private val size = 16
  val chunk = RegNext(io.chunk)
  chunk.valid.init(False)
  when(io.clear) { chunk.valid := False }

  /** The last three bytes of the chunks before, the latest one on top; zeros at a text's start. */
  val carry = Reg(Bits(24 bits)) init 0
  val present = Vec((0 until size).map(i => chunk.count > i))
  val bytes = chunk.data ## carry
  private def byte(i: Int): Bits = bytes(8 * (i + 3), 8 bits)

  private def isContinuation(b: Bits) = b(7 downto 6) === B"10"
  private def opens(b: Bits, atLeast: Int) = b.asUInt >= atLeast
  private def judge(i: Int): Bool = {
    val b = byte(i)
    val before = byte(i - 1)
    val expected = opens(before, 0xc0) || opens(byte(i - 2), 0xe0) || opens(byte(i - 3), 0xf0)
    val never = b === 0xc0 || b === 0xc1 || b.asUInt >= 0xf5
    val overlong = before === 0xe0 && !b(5) || before === 0xf0 && b(5 downto 4) === 0
    val surrogate = before === 0xed && b(5)
    val beyond = before === 0xf4 && b(5 downto 4) =/= 0
    isContinuation(b) =/= expected || never || overlong || surrogate || beyond
  }
  val wrong = (0 until size).map(i => present(i) && judge(i)).orR

  /** The last three bytes with this chunk. */
  val ending = (bytes |>> (chunk.count << 3))(23 downto 0)
  val unended = opens(ending(23 downto 16), 0xc0) || opens(ending(15 downto 8), 0xe0) || opens(ending(7 downto 0), 0xf0)
  when(chunk.valid) { carry := ending.andMask(!chunk.last) }
  when(io.clear) { carry := 0 }

  val error = RegNext(chunk.valid && !io.clear && (wrong || chunk.last && unended)) init False
  io.error := error
}
