package heapwire.protobuf.engine.microcode

import heapwire.protobuf.engine.logic.Same
import spinal.core._
import spinal.lib._

/** The microprogram's registers, the outside words, and the adder.
  *
  * @param outside what each outside word is, except for those of the runtime and `constant`
  * @param halves  words of which only one half is used, and only by the adder
  * @param runtime the runtime register that the instruction names
  * @param rounds  a value for `fixedTop` is rounded down to a multiple of 8. The program adds 7 first, so that it is
  *                effectively rounded up.
  */
class Datapath(execution: Execution, outside: Map[Outside, Bits], halves: Map[Outside, Bits], runtime: Bits,
    rounds: Bool) extends Area {
  import execution._
  val file = Mem(UInt(32 bits), 32).addAttribute("ram_style", "distributed")
  // Nothing is written in reset, when the instruction is undefined: `allOnes` must keep its value.
  file.initBigInt(Register.all.map(register => if (register == Register.allOnes) (BigInt(1) << 32) - 1 else BigInt(0)))
  private val dest = field(Micro.Dest).asUInt
  file.write(dest, result(31 downto 3) @@ result(2 downto 0).andMask(!(dest === Register.fixedTop.index && rounds)),
    go && field(Micro.Keep).lsb && !ClockDomain.current.isResetActive)
  private val a = file.readAsync(field(Micro.A).asUInt)
  private val b = file.readAsync(field(Micro.B).asUInt)

  private val words = outside + (Outside.constant -> B(0xffff, 32 bits))
  require(
    Outside.all.forall(word =>
      Seq(words.contains(word), halves.contains(word), Outside.ofRuntime.contains(word)).count(is => is) == 1),
    "an outside word is nothing, or two things")
  private val wholeX = (for ((kind, word) <-
      words.toSeq.sortBy(_._1.code).map { case (name, word) => Kind.takes(name) -> word }.distinct)
    yield word & B(32 bits, default -> is(kind))).reduceBalancedTree(_ | _)
  private val sliced = field(Micro.Slice).asUInt.mux(
    Part.Low -> wholeX(15 downto 0).resize(32), Part.High -> wholeX(31 downto 16).resize(32),
    Part.SignedLow -> wholeX(15 downto 0).asSInt.resize(32).asBits, default -> wholeX)
  // The memory that the instruction reads comes last.
  private val x = (is(Kind.takesRuntime) ? runtime | sliced).asUInt
  // X bypasses the adder: a path through both would be by far the longest.
  private val source = field(Micro.Source).asUInt
  private val passesX = source === Second.X
  private val hot = Vec(Hot.all.map(word =>
      (word.part match {
        case Part.Low => halves(word.copy(part = Part.Whole))(15 downto 0).resize(32)
        case Part.High => halves(word.copy(part = Part.Whole))(31 downto 16).resize(32)
        case Part.Whole => words(word)
      }).asUInt)).read(field(Micro.Slice).asUInt)
  private val second =
    source.mux(Second.Hot -> hot, Second.Immediate -> field(Micro.Immediate).asSInt.resize(32).asUInt, default -> b)
  private val alu = field(Micro.Compute).asUInt
  private val subtracts = alu === Alu.Sub
  private val sum = (a +^ (second ^ U(32 bits, default -> subtracts))) + alu.lsb.asUInt
  computed := is(Kind.ands) ? (a & second) | sum.resize(32)
  result := passesX ? x | computed
  data := field(Micro.StoreX).lsb ? x.asBits | b.asBits
  other := field(Micro.StoreX).lsb ? b.asBits | x.asBits

  private val outcome = new Area {
    // A hot word alone is passed like any other word and changes no outcome.
    private val computes = go && !passesX && !(source === Second.Hot && alu === Alu.Pass)
    val carry = RegNextWhen(sum.msb, computes)
    val equal = RegNextWhen(Same(a, second), computes)
    val low = RegNextWhen(result(3 downto 0), computes)
    val matches = RegNextWhen(Same(words(Outside.asked).asUInt, b), does(Kind.readsGranule))
  }
  val conditions: Map[Cond, Bool] = Map(
    Cond.never -> False, Cond.always -> True, Cond.carry -> outcome.carry, Cond.equal -> outcome.equal,
    Cond.matches -> outcome.matches,
    // For the open struct, whose header may have arrived after the instruction.
    Cond.misaligned -> (outcome.low(2 downto 0).asBits & words(Outside.alignMask)(2 downto 0)).orR,
    Cond.odd8 -> outcome.low(2 downto 0).orR, Cond.odd16 -> outcome.low.orR)
}

/** Decides whether the current instruction branches. */
object Branch {
  def taken(execution: Execution, conditions: Map[Cond, Bool]): Bool = {
    import execution._
    require(Cond.all.forall(conditions.contains), "a condition is nothing")
    val inEights = for ((eight, kind) <- Cond.all.grouped(8).toSeq zip Kind.conditionEights)
      yield is(kind) && (for ((cond, place) <- eight zip Kind.conditionPlaces) yield is(place) && conditions(cond)).orR
    inEights.orR ^ field(Micro.Invert).lsb
  }
}
