package heapwire.protobuf.serialize

import spinal.core._
import spinal.lib._

/** Bytes of a text in a word of `size` bytes; those that are not of the text are zero. */
case class TextWord(size: Int) extends Bundle {
  val bytes = Bits(8 * size bits)
  /** The word with the text's first byte. */
  val last = Bool()
}

/** Tells whether texts are UTF-8 (RFC 3629) that come word by word from their end to
  * their start, all words but the last one filled from their first byte on. A word a cycle.
  *
  * `wrong` is combinational: some byte of this word, or of the start of the one
  * before, is wrong.
  */
case class TextChecker(size: Int) extends Component {
  val io = new Bundle {
    val word = slave(Flow(TextWord(size)))
    val wrong = out Bool()
    /** Forgets the text under way. */
    val clear = in Bool()
  }

  /** What is said of a byte by itself, as the rules ([[heapwire.protobuf.Utf8Rule]]) need it. */
  case class Facts() extends Bundle {
    val continues, never = Bool()
    /** At least 0xc0, 0xe0, 0xf0. */
    val two, three, four = Bool()
    /** Demands that bit 5, or one of bits 5 and 4, of the byte behind is set, or is clear. */
    val set5, clear5, set54, clear54 = Bool()
    val bit5, bit4 = Bool()
  }
  private def factsOf(byte: Bits): Facts = {
    val facts = Facts()
    val low = byte(3 downto 0)
    facts.continues := byte(7 downto 6) === 2
    facts.two := byte(7 downto 6) === 3
    facts.three := facts.two && byte(5)
    facts.four := facts.three && byte(4)
    // 0xc0, 0xc1, and 0xf5 or more.
    facts.never := facts.two && byte(5 downto 1) === 0 || facts.four && (low(3) || low(2) && low(1 downto 0) =/= 0)
    val nibble = facts.three && !byte(4)
    facts.set5 := nibble && low === 0
    facts.clear5 := nibble && low === 0xd
    facts.set54 := facts.four && low === 0
    facts.clear54 := facts.four && low === 4
    facts.bit5 := byte(5)
    facts.bit4 := byte(4)
    facts
  }
  /** The first three bytes of the word behind: what they are is judged by bytes of this one. */
  val behind = Reg(Bits(24 bits)) init 0
  private val facts = (behind ## io.word.bytes).subdivideIn(8 bits).map(factsOf)
  private val none = factsOf(B(0, 8 bits))
  private def before(i: Int, distance: Int): Facts = if (i >= distance) facts(i - distance) else none
  private def judge(i: Int): Bool = {
    val byte = facts(i)
    val first = before(i, 1)
    val expected = first.two || before(i, 2).three || before(i, 3).four
    val some = byte.bit5 || byte.bit4
    byte.continues =/= expected || byte.never || first.set5 && !byte.bit5 || first.clear5 && byte.bit5 ||
      first.set54 && !some || first.clear54 && some
  }
  io.wrong := io.word.valid && ((3 until facts.size).map(judge).orR || io.word.last && (0 until 3).map(judge).orR)
  when(io.word.valid) { behind := io.word.bytes(23 downto 0).andMask(!io.word.last) }
  when(io.clear) { behind := 0 }
}
