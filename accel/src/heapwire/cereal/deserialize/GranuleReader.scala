package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Cuts the words of a range, which begins at a word, into granules of 8 bytes, at most one per cycle. Latency: 0
  * cycles; with a port of 4 bytes, 1. `sink` (level): input is dropped. While `run` is low nothing is taken, and what
  * was taken is dropped.
  */
case class GranuleReader(p: MemoryParameter) extends Component {
  private val bits = 64
  val io = new Bundle {
    val run, sink = in(Bool())
    val word = slave(Stream(RangeWord(p)))
    val granule = master(Stream(Bits(bits bits)))
  }
  val second = RegInit(False)
  if (p.dataWidth > bits) {
    require(p.dataWidth == 2 * bits)
    io.granule.valid := io.word.valid && io.run && !io.sink
    io.granule.payload := second ? io.word.data(bits, bits bits) | io.word.data(0, bits bits)
    // Ready while no word is here: a reader without prefetch requests a block when this is high.
    io.word.ready := io.run && (io.granule.ready && second || !io.word.valid || io.sink)
    when(io.granule.fire) { second := !second }
  } else if (p.dataWidth == bits) {
    io.granule.valid := io.word.valid && io.run && !io.sink
    io.granule.payload := io.word.data
    io.word.ready := io.run && (io.granule.ready || !io.word.valid || io.sink)
  } else {
    require(2 * p.dataWidth == bits)
    val low = RegNextWhen(io.word.data, io.word.fire && !second)
    io.granule.valid := io.word.valid && second && io.run && !io.sink
    io.granule.payload := io.word.data ## low
    io.word.ready := io.run && (!second || io.granule.ready || !io.word.valid || io.sink)
    when(io.word.fire) { second := !second }
  }
  when(!io.run || io.sink) { second := False }
}
