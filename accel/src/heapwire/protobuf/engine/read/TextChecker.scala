package heapwire.protobuf.engine.read

import heapwire.protobuf.engine.logic.TextByte
import spinal.core._
import spinal.lib._

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
