package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Looks up bits of the map of starts that are in the work area. A request reads one memory word, or none if the
  * request before it was for the same word; many reads are in flight. Nobody waits for an answer: a bit that is 0
  * raises `missing`, with the `offset` that came with the request.
  *
  * `idle` (level): every request is answered. While `run` is low, answers are dropped. Latency: that of memory;
  * throughput: one request per cycle.
  */
case class FarStarts(p: MemoryParameter, slots: Int) extends Component {
  val queue = ReadQueue(p, slots, allocate = true)
  val io = new Bundle {
    val run = in(Bool())
    val work = in UInt (p.addressWidth bits)
    val granule = slave(Stream(UInt(Width.Granules bits)))
    val granuleOffset = in UInt (Width.Offset bits)
    val missing, error, idle = out(Bool())
    val offset = out UInt (Width.Offset bits)
    val bus = master(Bus(queue.node))
  }
  io.bus << queue.io.bus
  private val wordShift = log2Up(p.dataWidth)

  case class Asked() extends Bundle {
    val bit = UInt(wordShift bits)
    val fresh = Bool()
    val offset = UInt(Width.Offset bits)
  }
  val asked = StreamFifo(Asked(), 2 * slots, latency = 1)
  val word = io.granule.payload >> wordShift
  val lastWord = RegNextWhen(word, io.granule.fire)
  val known = RegInit(False)
  val fresh = !known || lastWord =/= word
  io.granule.ready := asked.io.push.ready && (!fresh || queue.io.request.ready)
  queue.io.request.valid := io.granule.valid && asked.io.push.ready && fresh
  queue.io.request.address := io.work + (word << log2Up(p.wordBytes)).resized
  queue.io.request.block := False
  queue.io.request.mark := False
  asked.io.push.valid := io.granule.fire
  asked.io.push.bit := io.granule.payload.resized
  asked.io.push.fresh := fresh
  asked.io.push.offset := io.granuleOffset
  known setWhen io.granule.fire

  val held = RegNextWhen(queue.io.word.word.data, queue.io.word.fire)
  val due = asked.io.pop
  val answered = due.valid && (!due.fresh || queue.io.word.valid)
  due.ready := !due.fresh || queue.io.word.valid
  queue.io.word.ready := due.valid && due.fresh || !io.run
  val data = due.fresh ? queue.io.word.word.data | held
  io.missing := RegNext(answered && io.run && !data(due.bit)) init False
  io.error := queue.io.word.fire && queue.io.word.word.error
  io.offset := RegNext(due.offset)
  asked.io.flush := !io.run
  when(!io.run) { known := False }
  io.idle := !asked.io.pop.valid && asked.io.occupancy === 0 && queue.io.idle && !io.missing
}
