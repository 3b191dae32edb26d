package heapwire.protobuf

import heapwire.memory.{MemoryParameter, RangeWord}
import spinal.core._
import spinal.lib._

/** The next 48 bytes of input at most. Takes memory words in, lets its user
  * take up to 16 bytes a cycle off the front. A word is taken while at least one
  * fits behind what is there, so 16 bytes can flow through each cycle at any offset.
  *
  * The first word may start with bytes that do not belong to the input and the
  * last one may end with such bytes: they are not removed here.
  */
case class Window(p: MemoryParameter) extends Component {
  private val capacity = 48
  val io = new Bundle {
    val word = slave(Stream(RangeWord(p)))
    val clear = in Bool()
    val consume = in UInt(5 bits)
    val bytes = out Bits(8 * capacity bits)
    val count = out UInt(6 bits)
    /** The last word is in the window, or was. */
    val complete = out Bool()
  }
  /** Bytes from `count` on are zero. */
  val bytes = Reg(Bits(8 * capacity bits)) init 0
  val count = Reg(UInt(6 bits)) init 0
  val complete = RegInit(False)

  val room = count <= capacity - p.wordBytes
  io.word.ready := room && !complete
  val filled = bytes | (io.word.data.resize(8 * capacity) |<< (count << 3)).andMask(io.word.fire)
  bytes := filled |>> (io.consume << 3)
  count := count + (io.word.fire ? U(p.wordBytes, 6 bits) | U(0, 6 bits)) - io.consume
  when(io.word.fire && io.word.last) { complete := True }
  when(io.clear) {
    bytes := 0
    count := 0
    complete := False
  }
  io.bytes := bytes
  io.count := count
  io.complete := complete
}
