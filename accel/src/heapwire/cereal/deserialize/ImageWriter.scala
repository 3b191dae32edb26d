package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Writes the blocks of the image, which the reconstructors complete in turn. Of the first and the last block only the
  * part inside the image is written: other bytes are masked, and no block behind the image's end is started.
  * Throughput: one word per cycle.
  *
  * `done` (level): the whole image is acknowledged. A block that has begun is finished even if `run` falls, with
  * undefined data; `idle` (level) says that no block is under way. `written` fires with each acknowledged block,
  * `denied` with it if the bus refused the block.
  */
case class ImageWriter(p: MemoryParameter, reconstructors: Int, slots: Int, skyway: Boolean = false) extends Component {
  private val lanes = p.dataWidth / 32
  private val blockShift = log2Up(p.blockBytes)
  val writer = BlockWriter(p, slots)
  val io = new Bundle {
    val run, start = in(Bool())
    val image = in(ImageShape(p))
    val blocks = in Bits (reconstructors bits)
    val beat = out UInt (log2Up(p.wordsPerBlock) bits)
    val data = in Vec (Bits(p.dataWidth bits), reconstructors)
    val taken = out Bits (reconstructors bits)
    /** Blocks from another source, while no image is under way. */
    val direct = skyway generate slave(Stream(BlockBeat(p)))
    val done, idle, written, denied, waiting = out(Bool())
    val bus = master(Bus(writer.node))
  }
  io.bus << writer.io.bus

  val turn = Reg(UInt(log2Up(reconstructors) max 1 bits))
  val beat = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
  val block = Reg(UInt(p.addressWidth - blockShift bits))
  val first = Reg(Bool())
  val finished = RegInit(False)
  val end = RegNext(io.image.base + io.image.bytes)
  val lastBlock = RegNext((end - 1) >> blockShift)
  val last = block === lastBlock

  private val from = first ? io.image.base(blockShift - 1 downto 2) | U(0)
  private val to = (last && end(blockShift - 1 downto 2) =/= 0) ? end(blockShift - 1 downto 2).resize(blockShift - 1) |
    U(Width.BlockSlots)
  private def covered(i: UInt) = i >= from && i < to
  val word = Stream(BlockBeat(p))
  writer.io.beat << (if (skyway) StreamArbiterFactory().lowerFirst.noLock.on(Seq(word, io.direct)) else word)
  word.valid := io.run && (if (reconstructors == 1) io.blocks(0) else io.blocks(turn)) && !finished || beat =/= 0
  word.block := block
  word.data := (if (reconstructors == 1) io.data(0) else io.data.read(turn))
  word.mask :=
    Cat((0 until lanes).flatMap(i => Seq.fill(4)(covered(if (lanes == 1) beat else beat @@ U(i, log2Up(lanes) bits)))))
  word.full := from === 0 && to === Width.BlockSlots
  io.beat := beat
  io.taken := 0
  when(word.fire) {
    beat := beat + 1
    when(beat.andR) {
      if (reconstructors == 1) io.taken(0) := True else io.taken(turn) := True
      turn := (turn === reconstructors - 1) ? U(0) | (turn + 1)
      block := block + 1
      first := False
      finished := last
    }
  }
  when(io.start) {
    turn := 0
    block := io.image.base >> blockShift
    first := True
    finished := False
  }
  io.idle := beat === 0 && writer.io.idle
  io.done := finished && io.idle
  io.written := writer.io.written
  io.denied := writer.io.denied
  io.waiting := writer.io.waiting
}
