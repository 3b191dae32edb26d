package heapwire.protobuf.serialize

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Asks for the words of each operation's bytes, the last word first, ahead of
  * those who need them. One word a cycle, strings behind each other without a gap.
  */
case class PayloadReader(p: SerializerParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val input = slave(Stream(Op()))
    val output = master(Stream(Op()))
    val request = master(Stream(CachedRead(m)))
    val kill = in Bool()
  }
  val busy = RegInit(False)
  val streaming = Reg(Bool())
  /** The word to be asked for next, and the first one. */
  private val shift = PathWord.shift(m)
  val word, first = Reg(UInt(32 - shift bits))

  io.request.valid := busy
  io.request.address := word @@ U(0, shift bits)
  io.request.streaming := streaming
  val over = !busy || io.request.ready && word === first
  io.output << io.input.haltWhen(!over)
  when(io.request.fire) {
    word := word - 1
    when(word === first) { busy := False }
  }
  when(io.output.fire) {
    busy := io.input.isPayload
    val end = io.input.low + io.input.bytes - 1
    word := end >> shift
    first := io.input.low >> shift
    streaming := io.input.bytes >= p.streamingBytes
  }
  when(io.kill) { busy := False }
}
