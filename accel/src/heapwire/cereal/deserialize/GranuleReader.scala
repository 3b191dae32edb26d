package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Cuts a range's words, which begins with a word, into granules of 8 bytes, one a cycle at most. Latency: none, but
  * over a port of 4 bytes, where it is a cycle. `sink` (level): what comes is dropped. While `run` is low nothing is
  * taken, and what was is forgotten.
  */
case class GranuleReader(p: MemoryParameter) extends Component {
  private val bits = 64
  val io = new Bundle {
    val run, sink = in Bool()
    val word = slave(Stream(RangeWord(p)))
    val granule = master(Stream(Bits(bits bits)))
  }
  val second = RegInit(False)
  if (p.dataWidth > bits) {
    require(p.dataWidth == 2 * bits)
    io.granule.valid := io.word.valid && io.run && !io.sink
    io.granule.payload := second ? io.word.data(bits, bits bits) | io.word.data(0, bits bits)
    // Ready as long as nothing is here: a reader without prefetch goes by that.
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
