package heapwire.protobuf.engine.microcode

import spinal.core._
import spinal.lib._

/** Runs a microprogram: one instruction per cycle, taken branches included.
  *
  * While an instruction is carried out, both the next instruction and its branch target are read, so a branch may be
  * decided late in its cycle. A branch that is a call stores the address of the next instruction in `link`. A returning
  * branch goes to that address; it must not be the first instruction behind the call. `jump` goes elsewhere at once:
  * the first instruction there is carried out two cycles later. While the program rests, and in the cycle before, the
  * instruction at `likely` is read; when a jump in the next cycle is `direct`, that one is carried out a cycle earlier.
  */
case class MicroSequencer(program: Seq[BigInt], kinds: Seq[Kind]) extends Component {
  val addressWidth: Int = log2Up(program.size max 2)
  require(addressWidth <= Micro.Target.width, s"the program has ${program.size} instructions")
  val io = new Bundle {
    val jump = slave(Flow(UInt(addressWidth bits)))
    /** With `jump`: the address was `likely` in the cycle before. */
    val direct = in Bool ()
    val likely = in UInt (addressWidth bits)
    /** The program rests behind the current instruction; from a register. */
    val rests = in Bool ()
    /** The instruction that is carried out in this cycle, if `valid`. */
    val instruction = out Bits (Micro.Bits bits)
    val valid = out Bool ()
    /** The instruction was not there in the cycle before; from a register. */
    val fresh = out Bool ()
    /** One bit per kind: the instruction is of this kind; from registers. */
    val is = out Bits (kinds.size bits)
    /** The instruction is not finished and stays for the next cycle. */
    val stall = in Bool ()
    /** The instruction's condition holds. */
    val taken = in Bool ()
    /** No instruction follows this one. */
    val halt = in Bool ()
    /** Changes the program: only while no instruction is carried out or read. */
    val load = slave(Flow(ProgramPart(addressWidth)))
  }
  private val Address = HardType(UInt(addressWidth bits))
  val memory = new ProgramMemory(program, addressWidth)

  val word = Reg(Bits(Micro.Bits bits))
  val running, fetching = RegInit(False)
  /** `next`: address of the instruction behind `word`. */
  val next, link = Reg(Address())
  private def target(word: Bits): UInt = word(Micro.Return.low) ? link |
    word(Micro.Target.low, addressWidth bits).asUInt
  /** Branch target of `word`. */
  val branch = Reg(Address())

  val nextWord, targetWord = Bits(Micro.Bits bits)
  /** The instruction at `likely` is read in this cycle; it was in the cycle before. */
  val guesses = running ? io.rests | !fetching
  val guessed = RegNext(guesses && !io.jump.valid) init False
  val direct = io.jump.valid && io.direct && guessed && !running
  val jumps = io.jump.valid && !direct
  val advance = fetching || running && !io.stall || direct
  val taken = io.taken && running
  val chosen = taken ? targetWord | nextWord
  val behind = taken ? (branch + 1) | (next + 1)
  nextWord := memory.first(jumps ? io.jump.payload | ((guesses && !direct) ? io.likely | behind),
    advance || io.jump.valid || guesses)
  targetWord := memory.second(target(chosen), advance || io.jump.valid, io.load)
  /** Decodes an instruction's kinds before it is carried out. */
  private def kindsOf(word: Bits): Bits = Cat(kinds.map(_.has(word)))
  io.is := RegNextWhen(kindsOf(chosen), advance)
  when(advance) {
    word := chosen
    next := behind
    branch := target(chosen)
    running := True
    fetching := False
    when(taken && word(Micro.Call.low)) { link := next }
  }
  when(io.halt && running && !io.stall) { running := False }
  when(guesses && !direct) { next := io.likely }
  when(jumps) {
    next := io.jump.payload
    running := False
    fetching := True
  }
  io.instruction := word
  io.fresh := RegNext(advance) init False
  io.valid := running
}
