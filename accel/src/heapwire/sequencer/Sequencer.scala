package heapwire.sequencer

import spinal.core._
import spinal.lib._

/** Runs a microprogram: one instruction a cycle, taken branches included.
  *
  * While an instruction is carried out, both the one behind it and the one that it may branch to are read, so a branch
  * may be decided late in its cycle. `jump` goes elsewhere at once: what is carried out in that cycle is the last; the
  * first instruction from there follows two cycles later.
  *
  * @param program its words, whose lowest bits are the branch target
  * @param bits    of a word
  */
case class Sequencer(program: Seq[BigInt], bits: Int) extends Component {
  require(program.nonEmpty && program.forall(_.bitLength <= bits), s"words of $bits bits")
  val addressWidth: Int = Sequencer.addressWidth(program.size)
  val io = new Bundle {
    val jump = slave(Flow(UInt(addressWidth bits)))
    /** What is carried out in this cycle, if `valid`. */
    val instruction = out Bits(bits bits)
    val valid = out Bool()
    /** It is not finished; it is there again in the next cycle. */
    val stall = in Bool()
    /** It branches. */
    val taken = in Bool()
    /** Nothing follows it. */
    val halt = in Bool()
  }
  private val Address = HardType(UInt(addressWidth bits))
  val rom = Mem(Bits(bits bits), 1 << addressWidth)
  rom.initBigInt(program.padTo(1 << addressWidth, BigInt(0)))

  val word = Reg(Bits(bits bits))
  val running, fetching = RegInit(False)
  private def target(word: Bits): UInt = word.resize(addressWidth).asUInt

  /** Of the instruction behind `word`. */
  val next = Reg(Address())
  val nextWord, targetWord = Bits(bits bits)
  val advance = fetching || running && !io.stall
  val taken = io.taken && running
  val chosen = taken ? targetWord | nextWord
  /** Of the instruction behind the chosen one. */
  val behind = taken ? (target(word) + 1) | (next + 1)
  val read = advance || io.jump.valid
  nextWord := rom.readSync(io.jump.valid ? io.jump.payload | behind, read)
  targetWord := rom.readSync(target(chosen), read)
  when(advance) {
    word := chosen
    next := behind
    running := True
    fetching := False
  }
  when(io.halt && running && !io.stall) { running := False }
  when(io.jump.valid) {
    next := io.jump.payload
    running := False
    fetching := True
  }
  io.instruction := word
  io.valid := running
}

object Sequencer {
  /** Bits of an address in a program of that size. */
  def addressWidth(size: Int): Int = log2Up(size max 2)
}
