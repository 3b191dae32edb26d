package heapwire.protobuf.engine.logic

import spinal.core._

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
