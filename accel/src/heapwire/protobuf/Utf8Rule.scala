package heapwire.protobuf

import spinal.core._

/** What makes bytes UTF-8 (RFC 3629: nothing overlong, no surrogates, nothing
  * above U+10FFFF, nothing cut short), as a rule about each byte and the three
  * before it. Combinational, so that any number of bytes can be judged at once,
  * in either direction.
  */
object Utf8Rule {
  private def opens(byte: Bits, from: Int): Bool = byte.asUInt >= from

  /** A byte that cannot follow those before it: `before(0)` is the one just
    * before, `before(2)` the third. What lies before the start of a text, or
    * behind its end, counts as 0: a character that is cut short shows at the
    * first byte behind it.
    */
  def wrong(byte: Bits, before: Seq[Bits]): Bool = {
    val continues = byte(7 downto 6) === B"10"
    val expected = opens(before(0), 0xc0) || opens(before(1), 0xe0) || opens(before(2), 0xf0)
    val never = byte === 0xc0 || byte === 0xc1 || opens(byte, 0xf5)
    val overlong = before(0) === 0xe0 && !byte(5) || before(0) === 0xf0 && byte(5 downto 4) === 0
    val surrogate = before(0) === 0xed && byte(5)
    val beyond = before(0) === 0xf4 && byte(5 downto 4) =/= 0
    continues =/= expected || never || overlong || surrogate || beyond
  }
}
