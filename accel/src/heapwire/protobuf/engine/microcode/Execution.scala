package heapwire.protobuf.engine.microcode

import heapwire.sequencer.{Assembler, MicroField, MicroInstruction}
import spinal.core._
import spinal.lib._

/** The current instruction of the microprogram: what it is, what it computes, and what it does in this cycle. */
class Execution(assembler: Assembler, sequencer: MicroSequencer) extends Area {
  val active = sequencer.io.valid
  /** It was not there in the cycle before. */
  val fresh = sequencer.io.fresh
  def field(of: MicroField): Bits = sequencer.io.instruction(of.low, of.width bits)
  def is(kind: Kind): Bool = sequencer.io.is(Kind.all.indexOf(kind))
  def address(label: String): UInt = U(assembler.address(label), sequencer.addressWidth bits)
  /** It selects the argument, the word or the place in the stack that the instruction uses. */
  val index = field(Micro.Index).asUInt

  /** For each kind that may have to wait, when its instructions wait. Whoever carries them out assigns it. */
  val reasons: Map[Kind, Bool] = Kind.waiting.map(_ -> Bool()).toMap
  // While no instruction is active, this value is not used.
  private val stall = Kind.waiting.map(kind => is(kind) && reasons(kind)).orR
  sequencer.io.stall := stall
  val go = active && !stall

  /** Returns whether the current instruction proceeds, considering only the reasons to wait that the program's
    * instructions of this sort have. So what follows from an act does not depend on all of `stall`.
    */
  private def proceeds(sort: MicroInstruction => Boolean): Bool = {
    val instructions = assembler.all.filter(sort)
    val held = Kind.waiting.filter(kind => instructions.exists(kind.has))
    active && !held.map(kind => if (instructions.forall(kind.has)) reasons(kind) else is(kind) && reasons(kind)).fold(
      False)(_ || _)
  }
  private val decoded = UIntToOh(field(Micro.Action).asUInt, Act.all.size)
  /** Whether an instruction of the program has the act. */
  def has(act: Act): Boolean = assembler.all.exists(_(Micro.Action) == act.index)
  /** The instruction has the act, and may still have to wait. */
  def wants(act: Act): Bool = active && decoded(act.index)
  def does(act: Act): Bool = if (has(act)) proceeds(_(Micro.Action) == act.index) && decoded(act.index) else False
  def does(kind: Kind): Bool = proceeds(kind.has) && is(kind)

  /** What the [[Datapath]] assigns. `computed`: the adder's output. `result`: the same, or the outside word that
    * bypasses the adder. Stores and failures use `computed`. `data`: B or X, the second operand of a store or an act;
    * `other`: the other one of the two.
    */
  val computed, result = UInt(32 bits)
  val data, other = Bits(32 bits)

  val flags = Vec(Flag.all.map(_ => RegInit(False)))
  def is(flag: Flag): Bool = flags(flag.index)
}
