package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.protobuf.TypeFacts
import spinal.core._
import spinal.lib._

/** The outside words, and the adder. */
class EngineWords(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  private def wide(value: UInt): Bits = value.resize(32).asBits
  private val alignMask = Cat((0 to 2).map(i => context.alignLog2 > i))
  private val code = field(Micro.X)
  val elementBytes = UInt(16 bits)
  elementBytes := (U(1, 4 bits) |<< step.log2Size).resize(16)
  when(facts.isString) { elementBytes := (entry.pointer && !entry.fixedLength) ? U(4, 16 bits) | entry.elementSize }
  when(facts.isMessage) { elementBytes := entry.maxCount }
  private val runCount = (step.value(31 downto 2) |>> facts.log2Size.lsb.asUInt).asUInt
  // The bits of the code that select the runtime register: the codes of the runtime words have the low bits 4, 6 and 7.
  require(Outside.ofRuntime.map(_.code) == Seq(4, 6, 7), "which runtime register it is two bits say")
  private val listIndex = RegNext(U(TypeFacts.FirstList, 5 bits) + shape.kind)
  private val arrayIndex = RegNext(U(TypeFacts.FirstList + RuntimeRegister.ListToArray, 5 bits) + shape.kind)
  private val runtimeIndex = code(1) ? (code(0) ? arrayIndex | listIndex) | index
  private val runtimeWord = runtime.words.readAsync(runtimeIndex)
  /** The requested word, or the word that the instruction names. While the scanner works, no instruction names a word,
    * and the scanner takes the requested one (`OutcomeOrder`).
    */
  val askedWord: Bits = ask.words.read(is(Kind.namesWord) ? index.resize(2) | ask.address(3 downto 2))
  val outsideWords: Map[Outside, Bits] = Map(
    Outside.argument ->
      (if (p.fields) fields.open ? fields.operand(index.lsb) | command.argument else command.argument),
    Outside.cached -> askedWord,
    Outside.asked -> askedWord, Outside.stacked -> stack.word.asBits, Outside.value -> step.value(31 downto 0),
    Outside.entry2 -> entry.bits(95 downto 64),
    Outside.number -> wide(at.field.number),
    Outside.position -> (command.faultAtText ? at.textPosition | step.position).asBits,
    Outside.runEnd -> step.runEnd.asBits,
    Outside.element -> element.asBits, Outside.limit -> limit.asBits, Outside.count -> count.asBits,
    Outside.state -> (hasbits.io.words.asBits ## shape.asBits ## flags.asBits(Flag.OfMessage - 1 downto 0)).resize(32),
    Outside.hasbits -> hasbits.io.word,
    Outside.windowAt -> window.io.position.asBits,
    Outside.slack -> wide(U(4, 6 bits) |<< shape.log2Size),
    Outside.elementBytes -> wide(native ? elementBytes.resize(30) | runCount),
    Outside.alignMask -> alignMask.resize(32),
    Outside.header ->
      context.hasbitsOffset ##
      ((context.cleared === 0) ? ask.words(1)(15 downto 0).asUInt |
        (context.cleared << log2Up(DescriptorLayout.ClearedUnit)).resize(16)),
    Outside.enumLists -> wide(context.enumLists << 4),
    Outside.constant -> B(0xffff, 32 bits), Outside.fixedBase -> command.arenas(0).base.asBits,
    Outside.flexibleBase -> command.arenas(1).base.asBits,
    Outside.cursor -> writer.io.cursor.asBits, Outside.entryAt -> writer.io.scan.at.asBits,
    Outside.firstEntry -> (context.firstEntry << 4).asBits,
    Outside.behindEntries -> (context.behindEntries << 4).asBits)
  /** Of these words only one half is used, and only by the adder. */
  private val halves: Map[Outside, Bits] =
    Map(Outside.entry1 -> entry.bits(63 downto 32), Outside.entry3 -> entry.bits(127 downto 96))
  require(
    Outside.all.forall(word =>
      Seq(outsideWords.contains(word), halves.contains(word), Outside.ofRuntime.contains(word)).count(is => is) == 1),
    "an outside word is nothing, or two things")
  private val wholeX = (for ((kind, word) <-
      outsideWords.toSeq.sortBy(_._1.code).map { case (name, word) => Kind.takes(name) -> word }.distinct)
    yield word & B(32 bits, default -> is(kind))).reduceBalancedTree(_ | _)
  private val sliced = field(Micro.Slice).asUInt.mux(
    Part.Low -> wholeX(15 downto 0).resize(32), Part.High -> wholeX(31 downto 16).resize(32),
    Part.SignedLow -> wholeX(15 downto 0).asSInt.resize(32).asBits, default -> wholeX)
  // The memory that the instruction reads comes last.
  val x = (is(Kind.takesRuntime) ? runtimeWord | sliced).asUInt
  // X bypasses the adder: a path through both would be by far the longest.
  private val source = field(Micro.Source).asUInt
  private val passesX = source === Second.X
  private val hot = Vec(Hot.all.map(word =>
      (word.part match {
        case Part.Low => halves(word.copy(part = Part.Whole))(15 downto 0).resize(32)
        case Part.High => halves(word.copy(part = Part.Whole))(31 downto 16).resize(32)
        case Part.Whole => outsideWords(word)
      }).asUInt)).read(field(Micro.Slice).asUInt)
  private val second =
    source.mux(Second.Hot -> hot, Second.Immediate -> field(Micro.Immediate).asSInt.resize(32).asUInt, default -> b)
  private val alu = field(Micro.Compute).asUInt
  private val subtracts = alu === Alu.Sub
  private val sum = (a +^ (second ^ U(32 bits, default -> subtracts))) + alu.lsb.asUInt
  computed := is(Kind.ands) ? (a & second) | sum.resize(32)
  result := passesX ? x | computed
  /** B or X: the data of a store or of an act. */
  val data = field(Micro.StoreX).lsb ? x.asBits | b.asBits
  val outcome = new Area {
    // A hot word alone is passed like any other word and changes no outcome.
    private val computed = go && !passesX && !(source === Second.Hot && alu === Alu.Pass)
    val carry = RegNextWhen(sum.msb, computed)
    val equal = RegNextWhen(Same(a, second), computed)
    val low = RegNextWhen(result(3 downto 0), computed)
    val matches = RegNextWhen(Same(askedWord.asUInt, b), does(Kind.readsGranule))
    /** For the open struct, whose header may have arrived after the instruction. */
    val misaligned = (low(2 downto 0).asBits & alignMask).orR
  }
}
