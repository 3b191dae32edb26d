package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Tells whether texts are UTF-8 ([[Utf8Rule]]).
  *
  * A text comes in chunks of `size` bytes, one a cycle; `last` ends it and may have
  * fewer. `error` is a pulse, two cycles after the chunk that is wrong (or that ends
  * within a character); of a text that had one, further pulses mean nothing.
  */
case class Utf8Validator(size: Int = 16) extends Component {
  val io = new Bundle {
    val chunk = slave(Flow(ByteChunk(size)))
    /** Forgets the text under way. */
    val clear = in Bool()
    val error = out Bool()
  }
  val chunk = RegNext(io.chunk)
  chunk.valid.init(False)
  when(io.clear) { chunk.valid := False }

  /** The last bytes of the chunk before, the latest one first; zeros at a text's start. */
  val before = Vec.fill(3)(Reg(Bits(8 bits)) init 0)
  private val bytes = (0 until size).map(i => chunk.data(8 * i, 8 bits).andMask(chunk.count > i)) :+ B(0, 8 bits)
  private def byte(i: Int) = if (i < 0) before(-1 - i) else bytes(i)
  private val judged = (0 to size).map { i =>
    Utf8Rule.wrong(bytes(i), (1 to 3).map(distance => byte(i - distance)))
  }
  /** The bytes that come before those of the next chunk, if this one has so many. */
  private def behind(count: Int) = Vec((0 until 3).map(i => byte(count - 1 - i)))
  when(chunk.valid) { for (i <- 0 until 3) before(i) := behind(size)(i).andMask(!chunk.last) }
  when(io.clear) { before.foreach(_ := 0) }

  val error = RegNext(chunk.valid && !io.clear && (judged.take(size).orR || chunk.last && judged.last)) init False
  io.error := error
}
