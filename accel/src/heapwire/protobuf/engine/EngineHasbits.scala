package heapwire.protobuf.engine

import heapwire.isa.DescriptorLayout
import heapwire.memory.BlockRam
import spinal.core._
import spinal.lib._

/** The hasbits of the open messages, in a memory of 16 words of 32 a level; one word is at hand, in a register that is written
  * back when another one is wanted. The words of a message that begins are cleared one a cycle.
  */
case class EngineHasbits(levelWidth: Int) extends Component {
  private val Index = HardType(UInt(log2Up(DescriptorLayout.MaxHasbitsWords) bits))
  val io = new Bundle {
    /** Of the open message; may change while `idle`, with the word at hand put back. */
    val level = in UInt (levelWidth bits)
    /** A message of so many words begins (0: none, as one). The first word is at hand then, empty. */
    val begin = slave(Flow(UInt(5 bits)))
    /** How many the open message has; that of a message that is open again. */
    val words = out UInt (5 bits)
    val setWords = slave(Flow(UInt(5 bits)))
    /** This word is wanted (level), until it is the one at hand. */
    val want = slave(Flow(Index()))
    val word = out Bits (32 bits)
    /** There is a word at hand, and which. */
    val valid = out Bool ()
    val index = out(Index())
    /** It will be there, and the same, in the next cycle. */
    val stays = out Bool ()
    /** Sets a bit of the word at hand; the word becomes another one. */
    val mark = slave(Flow(UInt(5 bits)))
    val put = slave(Flow(Bits(32 bits)))
    /** The word at hand goes back, and none is at hand. The level may change in the next cycle. */
    val release = in Bool ()
  }
  // A word that is written is read a cycle later at the soonest.
  val memory = BlockRam(Mem(Bits(32 bits), 1 << (levelWidth + 4))).addAttribute("no_rw_check")
  val index = Reg(Index()) init 0
  val word = Reg(Bits(32 bits)) init 0
  val valid, reading, coming = RegInit(False)
  /** A message began in the cycle before. */
  val begun = RegNext(io.begin.valid) init False
  /** Its words above the first are cleared, from the last one down, from the next cycle on: `left` is the next one. */
  val clearing = RegInit(False)
  val left = Reg(UInt(4 bits))
  private val clears = clearing && !begun
  val words = Reg(UInt(5 bits))
  io.words := words
  when(io.begin.valid) { words := io.begin.payload }
  when(io.setWords.valid) { words := io.setWords.payload }

  val here = valid && index === io.want.payload
  val fetch = io.want.valid && !here && !reading && !coming && !clearing
  io.valid := valid && !clearing
  io.stays := io.valid && !fetch && !io.release && !io.begin.valid
  io.word := word
  io.index := index
  memory.write((io.level @@ (clears ? left | index)).resized, clears ? B(0, 32 bits) | word, clears || valid && (fetch || io.release))
  // The word that goes back may be the one that is wanted next: it is read a cycle later.
  val read = memory.readSync((io.level @@ index).resized, reading)
  reading := fetch
  coming := reading
  left := begun ? (words - 1).resize(4) | left - 1
  when(begun ? (words <= 1) | (left === 1)) { clearing := False }
  when(fetch) {
    index := io.want.payload
    valid := False
  }
  when(coming) {
    word := read
    valid := True
  }
  when(io.mark.valid) { word(io.mark.payload) := True }
  when(io.put.valid) { word := io.put.payload }
  when(!ClockDomain.current.isResetActive) {
    assert(!(io.put.valid && (fetch || io.release || io.want.valid && here && !clearing)), "a word of hasbits is looked at as it is put", FAILURE)
  }
  when(io.release) { valid := False }
  when(io.begin.valid) {
    clearing := True
    index := 0
    word := 0
    valid := True
    reading := False
    coming := False
  }
}
