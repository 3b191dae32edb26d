package heapwire.cereal.serialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Copies both packed sections from the work area to behind the values, one after the other. Throughput: one word per
  * cycle; latency: that of the memory. `enable` (level) starts the copy and is held until `done`; `starts` and
  * `lengths` (multiples of 16 bytes; the first length may be 0) must be stable meanwhile. `error`: the bus denied a
  * read.
  */
case class SectionCopy(m: MemoryParameter) extends Component {
  private val lanes = Window.lanes(m)
  private val wordShift = log2Up(m.wordBytes)
  val io = new Bundle {
    val enable = in(Bool())
    val starts, lengths = in Vec (UInt(32 bits), 2)
    val span = master(Stream(Span(m)))
    val word = slave(Stream(PathSpanWord(m)))
    val values = master(Stream(SlotWord(lanes)))
    val done, error = out(Bool())
  }
  /** Number of sections requested, and number of sections that have arrived. */
  val asked, come = RegInit(U(0, 2 bits))
  private val second = asked.lsb
  val empty = io.lengths(asked.resize(1)) === 0
  io.span.valid := io.enable && !asked.msb && !empty
  io.span.word := io.starts(asked.resize(1)) >> wordShift
  io.span.count := (io.lengths(asked.resize(1)) >> wordShift).resized
  when(io.enable && !asked.msb && (empty || io.span.ready)) { asked := asked + 1 }
  when(io.enable && !come.msb && (io.lengths(come.resize(1)) === 0 || io.word.fire && io.word.last)) {
    come := come + 1
  }
  io.values.arbitrationFrom(io.word)
  io.values.mask.setAll()
  io.values.data := io.word.data.subdivideIn(32 bits)
  io.error := io.word.valid && io.word.error
  io.done := come.msb
}
