package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The map of starts: one bit per 8 bytes of the image says whether an object starts there. It is built in order and
  * read at random.
  *
  * The first `startsBytes` of the map stay on the chip, in one copy per read port. The rest goes to the work area, in
  * blocks of 64 bytes, and is read back by [[FarStarts]]. Nothing on the chip is ever replaced, so no look-up of what
  * is there is needed. References that lead upwards through the image, as most do in the format's order, still share a
  * read. Each other reference to an object beyond the part on the chip costs a read. One byte on the chip covers 64
  * bytes of the image, so the default covers images of 256 KB.
  *
  *  - `size`: size of the next object, or of a part of it; one cycle each. `ended` (level): the last one has come.
  *  - `passed`: number of words that can be read. `complete` (level): there will be no more.
  *  - `near(i)`: index of a word in the part on the chip; `words(i)` is that word one cycle later.
  *  - `error` (pulse): the bus denied a write. `idle`: no write is under way; it follows some cycles after `run` falls.
  */
case class StartsMap(c: DeserializationUnitParameter, p: MemoryParameter) extends Component {
  val writer = Writer(p, 2)
  private val wordShift = log2Up(p.dataWidth)
  private val WordIndex = HardType(UInt(Width.Granules + 1 - wordShift bits))
  val nearWords: Int = c.startsBytes / p.wordBytes
  val io = new Bundle {
    val run = in(Bool())
    /** The part on the chip is written to the work area, too. */
    val whole = in(Bool())
    val granules = in UInt (Width.Granules bits)
    val work = in UInt (p.addressWidth bits)
    val size = slave(Stream(ScannedSize()))
    val ended = in(Bool())
    val passed = out(WordIndex())
    val complete = out(Bool())
    val near = in Vec (UInt(log2Up(nearWords) bits), 2)
    val words = out Vec (Bits(p.dataWidth bits), 2)
    val error, idle = out(Bool())
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
  // The next word is begun in the cycle in which its predecessor leaves.
  io.size.ready := !inside || !complete && (sameWord || nextWord && flow.ready)
  flow.valid := io.run && !complete && (last || io.size.valid && !sameWord)
  flow.payload := word
  when(flow.fire) {
    index := index + 1
    word := 0
    // The rest of the last word's block is filled with zeros.
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

  /** Writes one block at a time. A block can be read once its write is acknowledged. */
  val opened = RegInit(False)
  val flushed = RegInit(False) // the writer has all words of the block
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
