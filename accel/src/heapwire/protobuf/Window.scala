package heapwire.protobuf

import heapwire.memory.{MemoryParameter, RangeWord}
import spinal.core._
import spinal.lib._

/** The next 16 bytes of input at any offset. Takes memory words in, lets its user
  * take up to 16 bytes a cycle off the front. One word a cycle comes and goes: with a
  * port of 16 bytes as many flow through each cycle at any offset; with a narrower
  * one a token that spans several words is followed by cycles without (`count` is 0).
  *
  * The first word may start with bytes that do not belong to the input and the
  * last one may end with such bytes: they are not removed here.
  */
case class Window(p: MemoryParameter) extends Component {
  private val wordBytes = p.wordBytes
  private val offsetWidth = log2Up(wordBytes)
  private val visible = (16 + wordBytes - 1 + wordBytes - 1) / wordBytes
  /** One more than are looked at, so that words flow. */
  private val depth = visible + 1
  val io = new Bundle {
    val word = slave(Stream(RangeWord(p)))
    val clear = in Bool()
    val consume = in UInt(5 bits)
    /** The first 16 bytes; those from `count` on mean nothing. */
    val bytes = out Bits(128 bits)
    val count = out UInt(6 bits)
    /** The last word is in the window, or was. */
    val complete = out Bool()
  }
  val words = Vec.fill(depth)(Reg(Bits(p.dataWidth bits)))
  val used = RegInit(U(0, log2Up(depth + 1) bits))
  /** Where the front lies: in the first word if `settled`. */
  val offset = RegInit(U(0, 5 bits))
  val complete = RegInit(False)
  val settled = (offset >> offsetWidth) === 0

  val next = offset + io.consume
  val pop = (next >> offsetWidth) =/= 0
  offset := pop ? (next - wordBytes) | next
  io.word.ready := used =/= depth && !complete
  val last = used - pop.asUInt
  for (i <- 0 until depth) {
    val mine = io.word.fire && last === i
    when(mine || pop) { words(i) := mine ? io.word.data | (if (i + 1 < depth) words(i + 1) else io.word.data) }
  }
  used := last + io.word.fire.asUInt
  when(io.word.fire && io.word.last) { complete := True }
  when(io.clear) {
    used := 0
    offset := 0
    complete := False
  }

  // Halves of the offset from the largest down, each stage no wider than what is still needed.
  io.bytes := (offsetWidth - 1 to 0 by -1).foldLeft(words.take(visible).asBits()) { (bytes, i) =>
    val needed = 8 * (16 + (1 << i) - 1)
    offset(i) ? bytes(8 << i, needed bits) | bytes(0, needed bits)
  }
  io.count := settled ? ((used << offsetWidth) - offset.resize(offsetWidth)).resize(6) | U(0, 6 bits)
  io.complete := complete && settled
}
