package heapwire.memory.dram

import heapwire.memory.{LiteDramParameter, MemoryParameter, ShortQueue}
import spinal.core._
import spinal.lib._

/** The path to LiteDRAM: `stripes` ports per direction, so that opening the next row overlaps with the data of the
  * current one. Commands go out in batches of one direction, because LiteDRAM loses cycles whenever a bank or the bus
  * changes direction.
  *
  *  - `fetch`: reads. Their words come on `words`, in the order of the reads. A fetch may come only while `roomy`, or
  *    as one of [[DramRoad.Margin]] after it fell.
  *  - `decide`: a block of that stripe will be written. Its words follow on `word`; blocks come in the order of the
  *    decisions.
  */
case class DramRoad(p: MemoryParameter, dram: LiteDramParameter) extends Component {
  val io = new Bundle {
    val fetch = slave(Flow(Fetch(p, dram)))
    val words = master(Stream(FetchedWord(p)))
    val decide = slave(Flow(UInt(dram.stripeWidth bits)))
    val sequences = out(Vec(Sequence(dram), dram.stripes))
    val word = slave(Flow(StoredWord(p, dram)))
    /** From [[DramReader]]. */
    val roomy, pressed = out(Bool())
    val reads = Vec.fill(dram.stripes)(master(dram.readPort(p)))
    val writes = Vec.fill(dram.stripes)(master(dram.writePort(p)))
  }
  private def stripe(block: UInt) = dram.stripe(block, p)

  val readers = List.fill(dram.stripes)(DramReader(p, dram))
  val writers = List.fill(dram.stripes)(DramWriter(p, dram))
  for (i <- 0 until dram.stripes) {
    io.reads(i) <> readers(i).io.port
    io.writes(i) <> writers(i).io.port
    io.sequences(i) := writers(i).io.sequence
    writers(i).io.decide := io.decide.valid && io.decide.payload === i
    writers(i).io.word.valid := io.word.valid && stripe(io.word.block) === i
    writers(i).io.word.payload := io.word.payload
    readers(i).io.writes := writers(i).io.sequence
    readers(i).io.fetch.valid := io.fetch.valid && stripe(io.fetch.block) === i
    readers(i).io.fetch.payload := io.fetch.payload
  }

  /** The stripe of the next words, whether they are for a fill, and their number minus one. */
  case class Order() extends Bundle {
    val stripe = UInt(dram.stripeWidth bits)
    val fill = Bool()
    val beats = UInt(log2Up(p.wordsPerBlock) bits)
  }
  private val depth = DramRoad.Depth * dram.stripes
  val order = ShortQueue(Order(), depth)
  order.io.push.valid := io.fetch.valid
  order.io.push.stripe := stripe(io.fetch.block)
  order.io.push.fill := io.fetch.fill
  order.io.push.beats := io.fetch.last - io.fetch.first
  io.roomy := readers.map(_.io.roomy).andR && (RegNext(order.io.count <= depth - DramRoad.Margin) init False)
  io.pressed := readers.map(_.io.pressed).orR || (RegNext(order.io.count > DramRoad.pressed(depth)) init False)

  val output = new Area {
    val beat = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
    val next = order.io.pop.m2sPipe()
    io.words.valid := next.valid && dram.ofStripe(readers.map(_.io.data.valid), next.stripe)
    io.words.data := dram.ofStripe(readers.map(_.io.data.payload), next.stripe)
    io.words.fill := next.fill
    io.words.last := beat === next.beats
    for ((reader, i) <- readers.zipWithIndex) reader.io.data.ready := io.words.fire && next.stripe === i
    next.ready := io.words.fire && io.words.last
    when(io.words.fire) { beat := io.words.last ? U(0) | (beat + 1) }
  }

  /** Decides which direction may send commands. */
  val phase = new Area {
    val writing = RegInit(False)
    val readPending = readers.map(_.io.pending).orR
    val writePending = writers.map(_.io.pending).orR
    val hazard = readers.map(_.io.hazard).orR
    val pressing = RegNext(writers.map(_.io.sequence.pending >= dram.pendingBlocks / 2).orR) init False
    val batch = Reg(UInt(log2Up(dram.batchBlocks + 1) bits)) init 0
    val idle = Reg(UInt(3 bits)) init 0
    val moved = readers.map(_.io.moved).orR || writers.map(_.io.moved).orR
    val over = batch === dram.batchBlocks
    when(moved && !over) { batch := batch + 1 }

    // Reading stops when the batch is used up and writes press, when a read waits for a write, or when there has been
    // nothing to read for a while.
    idle := readPending ? U(0) | (idle + (idle =/= idle.maxValue).asUInt)
    when(!writing) {
      when(writePending && (hazard || pressing && (over || !readPending) || idle === idle.maxValue)) {
        writing := True
        batch := 0
      }
    } otherwise {
      when(!writePending || (over && readPending && !hazard)) {
        writing := False
        batch := 0
        idle := 0
      }
    }
    readers.foreach(_.io.enable := !writing)
    writers.foreach(_.io.enable := writing)
  }
}

object DramRoad {
  /** The most reads per stripe whose words are not all taken yet. */
  val Depth = 16
  /** The look-up's queues report room only while they have room for this many items: a request that was let in counts
    * only after the look-up (two cycles), the queue's count and the flag derived from it (one cycle each), and one item
    * is to spare.
    */
  val Margin = 5
  /** Returns the fill level above which a queue of that depth reserves the rest of its room for the core's requests. */
  def pressed(depth: Int): Int = depth - 2 * Margin
}
