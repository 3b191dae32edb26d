package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Where objects start: a bit for 8 bytes of the image, built in order, asked at random.
  *
  * The first `startsBytes` of the map stay on the chip, as often as it is asked a cycle. What is behind them goes to
  * the work area, a block of 64 bytes at a time, and is read back by [[FarStarts]]: nothing is ever replaced on the
  * chip, so nothing has to be looked up there, and references that go up through the image, as the format's order makes
  * most of them, still share a read. It costs a read for each other one that leads behind the first 64 bytes an on-chip
  * byte: beyond images of 256 KB with the default.
  *
  *  - `size`: of the next object, or of a part of it; `ended` (level): it was the last. A cycle for each.
  *  - `passed`: the words that can be asked for; `complete` (level): there will be no more.
  *  - `near(i)`: a word's index within the part on the chip; `words(i)` is that word a cycle later.
  *  - `error` (pulse): the bus denied a write. `idle`: no write is under way; it takes some cycles behind the fall of
  *    `run`.
  */
case class StartsMap(c: DeserializationUnitParameter, p: MemoryParameter) extends Component {
  val writer = Writer(p, 2)
  private val wordShift = log2Up(p.dataWidth)
  private val WordIndex = HardType(UInt(Width.Granules + 1 - wordShift bits))
  val nearWords: Int = c.startsBytes / p.wordBytes
  val io = new Bundle {
    val run = in Bool()
    /** The part on the chip goes to the work area, too. */
    val whole = in Bool()
    val granules = in UInt (Width.Granules bits)
    val work = in UInt (p.addressWidth bits)
    val size = slave(Stream(ScannedSize()))
    val ended = in Bool()
    val passed = out(WordIndex())
    val complete = out Bool()
    val near = in Vec (UInt(log2Up(nearWords) bits), 2)
    val words = out Vec (Bits(p.dataWidth bits), 2)
    val error, idle = out Bool()
    val bus = master(Bus(writer.node))
  }
  io.bus << writer.io.bus

  val position = Reg(UInt(Width.Granules + 1 bits))
  val index = Reg(WordIndex())
  val word = Reg(Bits(p.dataWidth bits))
  val passed = Reg(WordIndex())
  val complete = RegInit(False)

  val flow = Stream(Bits(p.dataWidth bits))
  val inside = position < io.granules
  val sameWord = (position >> wordShift) === index
  val last = io.ended && !io.size.valid || !inside
  val isNear = index < nearWords
  val far = !isNear || io.whole
  val lineEnd = index(log2Up(p.wordsPerBlock) - 1 downto 0).andR
  val nextWord = (position >> wordShift) === index + 1
  // The next word is begun as its predecessor is handed on.
  io.size.ready := !inside || !complete && (sameWord || nextWord && flow.ready)
  flow.valid := io.run && !complete && (last || io.size.valid && !sameWord)
  flow.payload := word
  when(flow.fire) {
    index := index + 1
    word := 0
    // What is left of the last word's block follows as zeros.
    complete setWhen (last && (!far || lineEnd))
  }
  when(io.size.fire && inside) {
    when(io.size.start) { word(position.resize(wordShift)) := True }
    position := position + io.size.granules
  }

  val near = Seq.fill(2)(BlockRam(Mem(Bits(p.dataWidth bits), nearWords)))
  for ((memory, i) <- near.zipWithIndex) {
    memory.write(index.resize(log2Up(nearWords)), flow.payload, flow.fire && isNear)
    io.words(i) := memory.readSync(io.near(i))
  }

  /** A block at a time: it can be asked for when it is acknowledged. */
  val opened = RegInit(False)
  val flushed = RegInit(False) // all words of the block are with the writer
  writer.io.command.valid := flow.valid && far && !opened
  writer.io.command.address := io.work + ((index >> log2Up(p.wordsPerBlock)) << log2Up(p.blockBytes)).resized
  writer.io.command.length := p.blockBytes
  writer.io.word.valid := opened && !flushed && (!io.run || flow.valid && far)
  writer.io.word.data := flow.payload
  writer.io.word.error := !io.run
  flow.ready := !far || opened && !flushed && writer.io.word.ready
  val wordsLeft = Reg(UInt(log2Up(p.wordsPerBlock) + 1 bits))
  when(writer.io.command.fire) {
    opened := True
    flushed := False
    wordsLeft := p.wordsPerBlock
  }
  when(writer.io.word.fire) {
    wordsLeft := wordsLeft - 1
    flushed setWhen (wordsLeft === 1)
  }
  when(writer.io.done.valid) { opened := False }
  io.error := writer.io.done.valid && writer.io.done.denied
  when(flow.fire && !far) { passed := index + 1 }
  when(writer.io.done.valid && io.run) { passed := index }

  when(!io.run) {
    position := 0
    index := 0
    word := 0
    passed := 0
    complete := False
  }
  io.passed := passed
  io.complete := complete && !opened
  io.idle := !opened
}
