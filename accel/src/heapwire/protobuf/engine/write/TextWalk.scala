package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.logic.TextByte
import spinal.core._
import spinal.lib._

/** Checks whether a text that is walked downwards is UTF-8: 8 bytes at a time, from the text's end to its beginning.
  *
  * A byte that begins a character is judged together with the bytes above it, which came earlier. The three lowest
  * bytes of a word are judged together with the word below, which comes later. So of a judged word, only the properties
  * of its three lowest bytes are kept.
  */
case class TextWalk() extends Component {
  val io = new Bundle {
    /** 8 bytes; the first byte of the text is in the lowest lane. */
    val word = slave(Flow(Bits(64 bits)))
    /** The bytes of the word that belong to the text: all, or the low ones in the word in which the text ends. */
    val there = in Bits (8 bits)
    /** A walk begins; fires before its first word. */
    val walkBegins = in Bool ()
    /** High in the cycle behind a walk's last word. */
    val walkEnds = in Bool ()
    /** Valid from the cycle behind `walkEnds` until the next walk begins. */
    val wrong = out Bool ()
  }
  private val valid = RegNext(io.word.valid) init False
  private val facts = Vec((0 until 8).map { i =>
    val facts = Reg(TextByte())
    facts := TextByte(io.word.payload(8 * i, 8 bits))
    // Synthesis makes this a reset of the registers.
    when(!io.there(i)) { facts.assignFromBits(B(0, widthOf(facts) bits)) }
    facts
  })
  private def none: TextByte = TextByte().getZero
  /** The properties of the three lowest bytes of the word above, for the check with the current word. */
  private val above = new Area {
    val continues = Reg(Bits(3 bits))
    /** A byte of the same word requires this byte to continue a character; the lowest byte has none before it there. */
    val expected = Reg(Bits(3 bits))
    val lowest = Reg(TextByte())
  }
  private def byte(i: Int): TextByte = if (i < 0) none else facts(i)
  private def expects(i: Int): Bool = TextByte.expects((1 to 3).map(distance => byte(i - distance)))
  private val continues = Cat((0 until 3).map(facts(_).continues))
  private val expected = Cat((0 until 3).map(expects))
  private val within = (3 until 8).map(i => facts(i).continues =/= expects(i)) ++ facts.map(_.never) ++ (1 until 8).map(
    i => TextByte.passesLimit(facts(i), facts(i - 1)))
  /** What the current word requires of those three bytes. */
  private val fromBelow = Cat((0 until 3).map(i =>
      TextByte.expects((1 to 3).map(distance => if (i - distance < 0) facts(8 + i - distance) else none))))
  private val across = (above.continues ^ (above.expected | fromBelow)).orR ||
    TextByte.passesLimit(above.lowest, facts(7))
  /** The text's first three bytes are wrong, if the current word holds them. */
  private val lowest = (continues ^ expected).orR
  val wrong = RegInit(False)
  when(valid) {
    above.continues := continues
    above.expected := expected
    above.lowest := facts(0)
    wrong := wrong || within.orR || across || io.walkEnds && lowest
  }
  when(io.walkBegins) {
    above.continues := 0
    above.expected := 0
    above.lowest := none
    wrong := False
  }
  io.wrong := wrong
}
