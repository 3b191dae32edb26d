package heapwire.protobuf.engine.microcode

import heapwire.sequencer.{Image, MicroField}
import spinal.core._
import spinal.lib._

/** The current instruction of the microprogram: what it is, what it computes, and what it does in this cycle.
  *
  * @param has the engine can carry the act out
  */
class Execution(image: Image, sequencer: MicroSequencer, has: Act => Boolean) extends Area {
  val active = sequencer.io.valid
  /** It was not there in the cycle before. */
  val fresh = sequencer.io.fresh
  def field(of: MicroField): Bits = sequencer.io.instruction(of.low, of.width bits)
  def is(kind: Kind): Bool = sequencer.io.is(Kind.all.indexOf(kind))
  def address(label: String): UInt = U(image.address(label), sequencer.addressWidth bits)
  /** It selects the argument, the word or the place in the stack that the instruction uses. */
  val index = field(Micro.Index).asUInt

  /** For each kind that may have to wait, when its instructions wait. Whoever carries them out assigns it. */
  val reasons: Map[Kind, Bool] = Kind.waiting.map(_ -> Bool()).toMap
  // While no instruction is active, this value is not used.
  private val stall = Kind.waiting.map(kind => is(kind) && reasons(kind)).orR
  sequencer.io.stall := stall
  val go = active && !stall

  /** Returns whether the current instruction proceeds, considering only the reasons to wait that instructions of its
    * sort may have ([[Waits]]). So what follows from an act does not depend on all of `stall`.
    */
  private def proceeds(always: Seq[Kind], perhaps: Seq[Kind]): Bool =
    active && !(always.map(reasons) ++ perhaps.map(kind => is(kind) && reasons(kind))).fold(False)(_ || _)
  private val decoded = UIntToOh(field(Micro.Action).asUInt, Act.all.size)
  /** The instruction has the act, and may still have to wait. */
  def wants(act: Act): Bool = active && decoded(act.index)
  def does(act: Act): Bool =
    if (has(act)) proceeds(Waits.always(act), Waits.perhaps(act)) && decoded(act.index) else False
  def does(kind: Kind): Bool = proceeds(Waits.always(kind), Waits.perhaps(kind)) && is(kind)

  /** What the [[Datapath]] assigns. `computed`: the adder's output. `result`: the same, or the outside word that
    * bypasses the adder. Stores and failures use `computed`. `data`: B or X, the second operand of a store or an act;
    * `other`: the other one of the two.
    */
  val computed, result = UInt(32 bits)
  val data, other = Bits(32 bits)

  val flags = Vec(Flag.all.map(_ => RegInit(False)))
  def is(flag: Flag): Bool = flags(flag.index)
}
