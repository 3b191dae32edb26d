package heapwire.cereal.serialize

import heapwire.cereal.ConstantComparison
import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Objects that are numbered and not yet written, first in first out: this makes the stream's breadth-first order. The
  * first objects are on the chip with what has been read of them, so that a list costs one latency of memory per node;
  * the rest of them is requested when they enter. Of later objects only the address is kept, in a [[SpillQueue]]. They
  * are visited again when there is room in front.
  *
  * Throughput: one object per cycle. Latency: 1 cycle. Without `pipelined`, every object goes to the spill queue, and
  * is visited again once the object before it has been written.
  */
case class PendingQueue(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val input = slave(Stream(PendingObject()))
    /** The input object has been here before. */
    val again = in(Bool())
    val output = master(Stream(PendingObject()))
    /** The words that the object's window lacks, in the order of objects. */
    val span = master(Stream(Span(m)))
    val visit = master(Stream(UInt(32 bits)))
    val spill = master(Stream(Bits(32 bits)))
    val spilled = slave(Stream(Bits(32 bits)))
    /** The spill queue is empty. */
    val spillEmpty = in(Bool())
    /** There is more than one object: some wait on the chip or in the work area, or are being visited again. */
    val crowded = out(Bool())
    /** Nothing else is under way; without `pipelined`, it is the next object's turn. */
    val quiet = in(Bool())
  }
  val front = StreamFifo(PendingObject(), p.objectsAhead, latency = 1)
  val spans = StreamFifo(Span(m), p.objectsAhead, latency = 1)
  private val shift = PathWord.shift(m)
  private val lanes = Window.lanes(m)

  /** Number of objects that are being visited again and have not returned. */
  val returning = Reg(UInt(log2Up(p.objectsAhead + 1) bits)) init 0
  val room = (front.io.occupancy +^ returning) < p.objectsAhead
  val straight = io.again || (if (p.pipelined) io.spillEmpty && returning === 0 && room else False)

  private val item = io.input.payload
  val rest = new Area {
    val brought = if (Window.canBeShort(m)) item.short ? U(Window.ShortSlots, 4 bits) | U(Window.Slots, 4 bits)
    else U(Window.Slots, 4 bits)
    private val slots = ConstantComparison(item.slots, 4)
    private val short = if (Window.canBeShort(m)) item.short else False
    val wanted = short ? (slots > Window.ShortSlots) | (slots > Window.Slots)
    // An object with a short window starts in the middle of a word, so the rest begins at a word's border.
    val first = (item.address >> 2) + brought
    spans.io.push.valid := io.input.fire && straight && wanted
    spans.io.push.word := (first >> (shift - 2)) @@ U(0, log2Up(PathWord.beats(m)) bits)
    spans.io.push.count :=
      (((item.slots - (brought - (lanes - 1))) >> log2Up(lanes)) << log2Up(PathWord.beats(m))).resized
  }
  front.io.push.valid := io.input.valid && straight && spans.io.push.ready
  front.io.push.payload := item
  io.spill.valid := io.input.valid && !straight
  io.spill.payload := item.address.asBits
  io.input.ready := straight ? (front.io.push.ready && spans.io.push.ready) | io.spill.ready
  io.output << front.io.pop
  io.span << spans.io.pop

  io.crowded := front.io.occupancy > 1 || !io.spillEmpty || returning =/= 0
  val turn = if (p.pipelined) room else io.quiet && returning === 0
  io.visit << io.spilled.haltWhen(!turn).map(_.asUInt)
  returning := returning + io.visit.fire.asUInt - (io.input.fire && io.again).asUInt
}
