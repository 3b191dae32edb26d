package heapwire.protobuf.engine.message

import heapwire.isa.DescriptorLayout
import heapwire.memory.BlockRam
import spinal.core._
import spinal.lib._

/** The hasbits of the open messages, in a memory with 16 words of 32 bits per level. One word is in a register, the
  * current word. It is written back when another word is wanted. When a message begins, its words are cleared, one per
  * cycle.
  */
case class Hasbits(levelWidth: Int) extends Component {
  private val Index = HardType(UInt(log2Up(DescriptorLayout.MaxHasbitsWords) bits))
  val io = new Bundle {
    /** Level of the open message. It may change while `idle`, with the current word written back. */
    val level = in UInt (levelWidth bits)
    /** A message with that many words begins (0 means none and is treated as one). Its first word is then the current
      * word, and empty.
      */
    val begin = slave(Flow(UInt(5 bits)))
    /** Number of words of the open message; `setWords` restores it when a message is reopened. */
    val words = out UInt (5 bits)
    val setWords = slave(Flow(UInt(5 bits)))
    /** The index of the wanted word. Held until that word is the current one. */
    val want = slave(Flow(Index()))
    val word = out Bits (32 bits)
    /** `valid`: there is a current word; `index` is its index. */
    val valid = out Bool ()
    val index = out(Index())
    /** The current word stays the same in the next cycle. */
    val stays = out Bool ()
    /** `mark` sets a bit of the current word; `put` replaces the word. */
    val mark = slave(Flow(UInt(5 bits)))
    val put = slave(Flow(Bits(32 bits)))
    /** Writes the current word back; then there is none. The level may change in the next cycle. */
    val release = in Bool ()
  }
  // A written word is read one cycle later at the earliest.
  val memory = BlockRam(Mem(Bits(32 bits), 1 << (levelWidth + 4))).addAttribute("no_rw_check")
  val index = Reg(Index()) init 0
  val word = Reg(Bits(32 bits)) init 0
  val valid, reading, coming = RegInit(False)
  /** A message began in the cycle before. */
  val begun = RegNext(io.begin.valid) init False
  /** Clears the new message's words above the first, from the last one down, from the next cycle on. `left` is the next
    * one.
    */
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
  memory.write((io.level @@ (clears ? left | index)).resized, clears ? B(0, 32 bits) | word,
    clears || valid && (fetch || io.release))
  // The word that is written back may be the next one wanted, so it is read a cycle later.
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
    assert(!(io.put.valid && (fetch || io.release || io.want.valid && here && !clearing)),
      "a word of hasbits is looked at as it is put", FAILURE)
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
