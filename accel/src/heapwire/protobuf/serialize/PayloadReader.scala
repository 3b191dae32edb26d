package heapwire.protobuf.serialize

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Asks for the words of each operation's bytes, the last word first, ahead of
  * those who need them; a payload's count becomes its bytes. One word a cycle, and two cycles before the first one.
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
  private val shift = PathWord.shift(m)
  /** The word to be asked for, or where the bytes end, and the first one; the bytes end within `word`. */
  val word, first = Reg(UInt(32 - shift bits))
  val within = Reg(Bool())
  /** `word` is where the bytes end; it is the first one. */
  val fresh, last = RegInit(False)

  val next = word - (!(fresh && within)).asUInt
  io.request.valid := busy && !fresh
  io.request.address := word @@ U(0, shift bits)
  io.request.streaming := streaming
  // That the last word is being asked for would be known too late within the cycle.
  io.output << io.input.haltWhen(busy)
  val bytes = io.input.bytes
  io.output.value(63 downto 32).allowOverride() := (io.input.isPayload ? bytes | io.input.high).asBits
  when(io.request.fire || fresh) {
    word := next
    last := next === first
    fresh := False
  }
  when(io.request.fire && last) { busy := False }
  when(io.output.fire) {
    busy := io.input.isPayload
    fresh := True
    val end = io.input.low + bytes
    word := end >> shift
    within := end(shift - 1 downto 0) =/= 0
    first := io.input.low >> shift
    streaming := bytes >> log2Up(p.streamingBytes) =/= 0
  }
  when(io.kill) {
    busy := False
    fresh := False
  }
}
