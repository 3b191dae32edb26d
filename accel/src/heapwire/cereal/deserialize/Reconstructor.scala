package heapwire.cereal.deserialize

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Builds blocks of the image, one slot per cycle: the block reconstructor of Cereal (ISCA 2020, section V).
  *
  * Two blocks have input buffers, so that one is loaded while the other is built. Two have output buffers, so that one
  * is written out at the same time. Incoming data are for a block whose `job` has been taken, in order, and are never
  * refused. A slot waits until its value or reference has arrived. `block`: a block is ready; `beat` selects the word
  * on `data` in the same cycle, and `taken` says that the block is written. While `run` is low, all state is cleared.
  */
case class Reconstructor(p: MemoryParameter, reconstructors: Int) extends Component {
  private val lanes = p.dataWidth / 32
  private val laneWidth = log2Up(lanes)
  private val size = Width.BlockSlots
  /** Rows of a buffer of values. The values of a block may begin in any lane. */
  private val rows = if (lanes > 2) 8 else 16
  val io = new Bundle {
    val run = in(Bool())
    val mark = in Bits (32 bits)
    val job = slave(Stream(BlockJob(p)))
    val values = slave(Flow(ValueWords(p, reconstructors)))
    val references = slave(Flow(ReferenceWords(p, reconstructors)))
    val block = out(Bool())
    val beat = in UInt (log2Up(p.wordsPerBlock) bits)
    val data = out Bits (p.dataWidth bits)
    val taken = in(Bool())
    val idle = out(Bool())
  }

  /** The input buffers: `input` gets the next block, `work` is the one that is being built. */
  val input, work = Reg(UInt(1 bits)) init 0
  val full = RegInit(B(0, 2 bits))
  val jobs = Vec.fill(2)(Reg(BlockJob(p)))
  val valuesHere, referencesHere = Vec.fill(2)(Reg(UInt(5 bits)))
  io.job.ready := !full(input)
  when(io.job.fire) {
    full(input) := True
    jobs(input) := io.job.payload
    valuesHere(input) := U(0, 5 bits)
    referencesHere(input) := U(0, 5 bits)
    input := input + 1
  }

  val values = Seq.fill(lanes)(Mem(Bits(32 bits), 2 * rows))
  for ((memory, i) <- values.zipWithIndex) {
    val row = io.values.row + io.values.nextRow(i).asUInt
    memory.write(io.values.buffer @@ row.resize(log2Up(rows)), io.values.data(i),
      io.values.valid && io.values.lanesUsed(i))
  }
  val references = Seq.fill(2)(Mem(UInt(p.addressWidth - 3 bits), size))
  for ((memory, i) <- references.zipWithIndex)
    memory.write(io.references.buffer @@ io.references.row, io.references.granules(i),
      io.references.valid && (if (i == 0) True else io.references.two))
  when(io.values.valid) { valuesHere(io.values.buffer) := valuesHere(io.values.buffer) + io.values.count }
  when(io.references.valid) {
    referencesHere(io.references.buffer) := referencesHere(io.references.buffer) + (io.references.two ? U(2) | U(1))
  }

  /** The output buffers, with blocks that are built or being built. */
  val outgoing, ready = Reg(UInt(1 bits)) init 0
  val done = RegInit(B(0, 2 bits))

  val place = new Area {
    val slot = Reg(UInt(log2Up(size) bits)) init 0
    val usedValues, usedReferences = Reg(UInt(5 bits)) init 0
    val code = jobs(work).codes(0)
    val isValue = code === SlotCode.Value
    val isReference = code === SlotCode.Reference
    val here = isValue ? (usedValues =/= valuesHere(work)) | (!isReference || usedReferences =/= referencesHere(work))
    val step = full(work) && !done(outgoing) && here
    val from = usedValues + jobs(work).lane
    val inLanes = values.map(_.readAsync(work @@ (from >> laneWidth).resize(log2Up(rows))))
    val value = if (lanes == 1) inLanes.head else inLanes.read(from.resize(laneWidth))
    val reference =
      Vec(references.map(_.readAsync(work @@ (usedReferences >> 1).resize(3)))).read(usedReferences.resize(1))
    val word = code.mux(
      B(SlotCode.Value, 2 bits) -> value, B(SlotCode.Reference, 2 bits) -> (reference @@ U(0, 3 bits)).asBits,
      B(SlotCode.Prototype, 2 bits) -> io.mark, default -> B(0, 32 bits))
    when(step) {
      slot := slot + 1
      for (i <- 0 until size - 1) jobs(work).codes(i) := jobs(work).codes(i + 1)
      usedValues := usedValues + isValue.asUInt
      usedReferences := usedReferences + isReference.asUInt
      when(slot.andR) {
        usedValues := 0
        usedReferences := 0
        full(work) := False
        work := work + 1
        done(outgoing) := True
        outgoing := outgoing + 1
      }
    }
  }

  val words = Seq.fill(lanes)(Mem(Bits(32 bits), 2 * size / lanes))
  for ((memory, i) <- words.zipWithIndex) {
    val mine = if (lanes == 1) True else place.slot.resize(laneWidth) === i
    memory.write(outgoing @@ (place.slot >> laneWidth), place.word, place.step && mine)
  }
  io.data := Cat(words.map(_.readAsync(ready @@ io.beat)))
  io.block := done(ready)
  when(io.taken) {
    done(ready) := False
    ready := ready + 1
  }
  io.idle := !full.orR && !done.orR

  when(!io.run) {
    input := 0
    work := 0
    full := 0
    outgoing := 0
    ready := 0
    done := 0
    place.slot := 0
    place.usedValues := 0
    place.usedReferences := 0
  }
}
