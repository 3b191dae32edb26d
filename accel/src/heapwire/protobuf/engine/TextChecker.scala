package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** The properties of a byte of text for the check of UTF-8 (RFC 3629). All fields are low if there is no byte. */
case class TextByte() extends Bundle {
  /** It continues a character; it begins a character of at least two bytes, of at least three, of four. */
  val continues, opens2, opens3, opens4 = Bool()
  /** UTF-8 has no such byte. */
  val never = Bool()
  /** Bit 5; the OR of bits 5 and 4. */
  val upper, middle = Bool()
  /** `upper`, or `middle`, of the next byte must equal `limit`: this excludes overlong forms, surrogates, and code
    * points above U+10FFFF.
    */
  val limitsUpper, limitsMiddle, limit = Bool()
}

object TextByte {
  def apply(byte: Bits): TextByte = {
    val facts = TextByte()
    val isE = byte(7 downto 4) === 0xe
    val isF = byte(7 downto 4) === 0xf
    facts.continues := byte(7 downto 6) === B"10"
    facts.opens2 := byte(7 downto 6).andR
    facts.opens3 := byte(7 downto 5).andR
    facts.opens4 := isF
    facts.never := byte(7 downto 4) === 0xc && byte(3 downto 1) === 0 || isF && byte(3 downto 0).asUInt > 4
    facts.upper := byte(5)
    facts.middle := byte(5) || byte(4)
    facts.limitsUpper := isE && (byte(3 downto 0) === 0 || byte(3 downto 0) === 0xd)
    facts.limitsMiddle := isF && (byte(3 downto 0) === 0 || byte(3 downto 0) === 4)
    facts.limit := !byte(0) && !byte(2)
    facts
  }

  /** Returns whether a byte cannot follow those before it; `before(0)` is the nearest one. A truncated character is
    * detected at the byte behind it.
    */
  def wrong(byte: TextByte, before: Seq[TextByte]): Bool = {
    byte.continues =/= expects(before) || byte.never || passesLimit(byte, before(0))
  }

  /** Returns whether the bytes before require the next byte to continue a character. */
  def expects(before: Seq[TextByte]): Bool = before(0).opens2 || before(1).opens3 || before(2).opens4

  /** Returns whether a byte violates the limit that the byte before it sets. */
  def passesLimit(byte: TextByte, before: TextByte): Bool =
    before.limitsUpper && byte.upper =/= before.limit || before.limitsMiddle && byte.middle =/= before.limit
}

/** Checks whether texts are UTF-8. A text comes in chunks of `bytes` (8 or 4), one per cycle, or of 1, 2 or 4 bytes.
  * The chunk with `last` ends the text and may have any number of bytes. `error` is a pulse, two cycles after a chunk
  * that is invalid or that ends within a character. After an error, further pulses for the same text are undefined.
  *
  * Bytes are registered as their properties, so a byte and the three before it are judged by 14 bits instead of 32.
  */
case class TextChecker(bytes: Int = 8) extends Component {
  val io = new Bundle {
    val chunk = slave(Flow(CopiedBytes(bytes)))
    /** Drops the current text. */
    val clear = in Bool ()
    val error = out Bool ()
  }
  val valid = RegNext(io.chunk.valid && !io.clear) init False
  val last = RegNext(io.chunk.last)
  val count = RegNext(io.chunk.count)
  val there = Vec((0 until bytes).map(i => io.chunk.count > i))
  private val isThere = RegNext(there)
  val facts = Vec((0 until bytes).map { i =>
    val facts = Reg(TextByte())
    facts := TextByte(io.chunk.data(8 * i, 8 bits))
    when(!there(i)) { facts.assignFromBits(B(0, widthOf(facts) bits)) }
    facts
  })

  /** The last three bytes of the chunk before, the latest first; none at the start of a text. */
  val before = Vec.fill(3)(Reg(TextByte()) init TextByte().getZero)
  private def none: TextByte = TextByte().getZero
  private def byte(i: Int): TextByte = if (i < 0) before(-1 - i) else if (i < bytes) facts(i) else none
  private val judged = (0 to bytes).map { i =>
    val counts = if (i == 0) True else if (i == bytes) last else last || isThere(i)
    TextByte.wrong(byte(i), (1 to 3).map(distance => byte(i - distance))) && counts
  }
  private def behind(count: Int) = Vec((0 until 3).map(i => byte(count - 1 - i)))
  private val behindAll = {
    val fewer = for (log2 <- 0 until log2Up(bytes)) yield (1 << log2) -> behind(1 << log2)
    count.mux(fewer :+ (default -> behind(bytes)): _*)
  }
  when(valid) { before := behindAll }
  when(valid && last || io.clear) { before.foreach(_ := none) }
  io.error := RegNext(valid && !io.clear && judged.orR) init False
}
