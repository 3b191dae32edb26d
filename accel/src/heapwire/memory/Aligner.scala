package heapwire.memory

import spinal.core._
import spinal.lib._

/** Moves a range's bytes to another offset within memory words: words at the
  * source's alignment go in, words at the destination's come out, one a cycle.
  * Bytes outside the destination range are undefined.
  *
  * `from`, `to` (byte offsets of the range's first byte) and `length` hold from
  * before the first word until after the last. Latency: 1 cycle.
  */
case class Aligner(p: MemoryParameter) extends Component {
  private val offsetWidth = log2Up(p.wordBytes)
  val io = new Bundle {
    val from, to = in UInt (offsetWidth bits)
    val length = in UInt (p.addressWidth bits)
    val input = slave(Stream(RangeWord(p)))
    val output = master(Stream(ReadWord(p)))
    /** Forget a range that was cut short. */
    val clear = in Bool() default False
  }
  private val rotation = io.to - io.from
  /** The first word carries bytes for the next one only. */
  private val prime = io.from > io.to
  /** After the last input word its carry makes one more output word. */
  private val endIn = (io.from +^ io.length).resize(p.addressWidth + 1) - 1
  private val endOut = (io.to +^ io.length).resize(p.addressWidth + 1) - 1
  private val wordsIn = (endIn >> offsetWidth) + 1
  private val wordsOut = (endOut >> offsetWidth) + 1
  private val flushes = wordsOut > wordsIn - prime.asUInt

  val rotated = io.input.data.rotateLeft((rotation << 3).resize(offsetWidth + 3))
  val carry = Reg(ReadWord(p))
  val first = RegInit(True)
  val flushing = RegInit(False)

  val output = Stream(ReadWord(p))
  val swallow = first && prime && !flushing
  output.valid := flushing || io.input.valid && !swallow
  io.input.ready := !flushing && (swallow || output.ready)
  for (byte <- 0 until p.wordBytes) {
    val fromCarry = byte < rotation
    output.data(byte * 8, 8 bits) := (flushing || fromCarry) ? carry.data(byte * 8, 8 bits) | rotated(byte * 8, 8 bits)
  }
  output.error := flushing ? carry.error | (io.input.error || carry.error && !first)

  when(io.input.fire) {
    carry.data := rotated
    carry.error := io.input.error
    first := io.input.last
    flushing := io.input.last && flushes
  }
  when(flushing && output.ready) {
    flushing := False
    carry.error := False
  }
  when(io.clear) {
    first := True
    flushing := False
  }
  output.m2sPipe(flush = io.clear) >> io.output
}
