package heapwire.protobuf.serialize

import heapwire.protobuf.Utf8Rule
import spinal.core._
import spinal.lib._

/** Up to 16 bytes of a text in a 16-byte word; bytes that are not of the text are zero. */
case class TextWord() extends Bundle {
  val bytes = Bits(128 bits)
  /** The word with the text's first byte. */
  val last = Bool()
}

/** Tells whether texts are UTF-8 that come word by word from their end to their
  * start, all words but the last one filled from their first byte on. A word a cycle.
  *
  * `wrong` is combinational: some byte of this word, or of the start of the one
  * before, is wrong.
  */
case class TextChecker() extends Component {
  val io = new Bundle {
    val word = slave(Flow(TextWord()))
    val wrong = out Bool()
    /** Forgets the text under way. */
    val clear = in Bool()
  }
  /** The first three bytes of the word behind: what they are is judged by bytes of this one. */
  val behind = Reg(Bits(24 bits)) init 0
  val window = (behind ## io.word.bytes).subdivideIn(8 bits)
  val zero = B(0, 8 bits)
  private def judge(i: Int) = Utf8Rule.wrong(window(i), (1 to 3).map(d => if (i >= d) window(i - d) else zero))
  io.wrong := io.word.valid && ((3 until window.size).map(judge).orR || io.word.last && (0 until 3).map(judge).orR)
  when(io.word.valid) { behind := io.word.bytes(23 downto 0).andMask(!io.word.last) }
  when(io.clear) { behind := 0 }
}
