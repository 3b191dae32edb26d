package heapwire.cereal.deserialize

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
  *    Then an incomplete block is dropped.
  */
case class StartsMap(c: DeserializationUnitParameter, p: MemoryParameter) extends Component {
  // One id is in use. With one, the bus would have no signals for it.
  val node: NodeParameters = p.master("starts_map", 2, put = true)
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
    val bus = master(Bus(node))
  }

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

  /** The block that is being written, one at a time. Its words enter at one end and, once all are here, leave at the
    * other, so that the bus is never occupied by a slow source. The block can be read once its write is acknowledged.
    */
  val block = new Area {
    private val words = p.wordsPerBlock
    /** From the block's first word until its acknowledgement has been seen. */
    val opened = RegInit(False)
    /** All words have entered. */
    val full = RegInit(False)
    val number = Reg(UInt(p.addressWidth - log2Up(p.blockBytes) bits))
    val held = Vec.fill(words)(Reg(Bits(p.dataWidth bits)))
    /** The words leave while its highest bit is set; the other bits count them. */
    val beat = Reg(UInt(log2Up(words) + 1 bits)) init 0

    val enters = flow.fire && far
    val ends = enters && lineEnd
    val begins = flow.valid && far && !opened
    when(begins) { number := (io.work >> log2Up(p.blockBytes)) + (index >> log2Up(words)).resized }

    io.bus.a.valid := beat.msb
    io.bus.a.opcode := Opcode.A.PUT_FULL_DATA()
    io.bus.a.param := Param.Hint.NO_ALLOCATE_ON_MISS
    io.bus.a.source := 0
    io.bus.a.address := number @@ U(0, log2Up(p.blockBytes) bits)
    io.bus.a.size := log2Up(p.blockBytes)
    io.bus.a.data := held.head
    io.bus.a.mask.setAll()
    io.bus.a.corrupt := False
    io.bus.a.debugId := 0
    when(enters || io.bus.a.fire) {
      for ((to, from) <- held.zip(held.tail :+ flow.payload)) to := from
    }
    when(RegNext(ends) init False) { beat := words }
    when(io.bus.a.fire) { beat := beat + 1 }

    io.bus.d.ready := True
    val answered = Delay(io.bus.d.valid, 2, init = False)
    val denied = Delay(io.bus.d.denied, 2)
    // An incomplete block is dropped.
    val drops = !io.run && !full
    opened := (opened || begins) && !answered && !drops
    full := (full || ends) && !answered
  }
  flow.ready := !far || block.opened && !block.full
  io.error := block.answered && block.denied
  when(flow.fire && !far) { passed := index + 1 }
  when(block.answered && io.run) { passed := index }

  when(!io.run) {
    position := 0
    index := 0
    word := 0
    passed := 0
    complete := False
  }
  io.passed := passed
  io.complete := complete && !block.opened
  io.idle := !block.opened
}
