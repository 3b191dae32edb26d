package heapwire.protobuf.engine.microcode

import heapwire.isa.Status
import heapwire.sequencer._
import scala.collection.mutable

/** Numbered names, in the order of declaration. Each name is written once. */
abstract class Numbered[T](limit: Int, first: Int = 0) {
  private val declared = mutable.ArrayBuffer.empty[T]
  def all: Seq[T] = declared.toSeq
  protected def next(make: Int => T): T = {
    require(first + declared.size < limit, s"at most $limit names")
    declared += make(first + declared.size)
    declared.last
  }
}

/** The fields of the engine's microinstruction. All of its parts are optional:
  *
  *  - a result: A + S, A - S, A and S, or S alone, where S is register B, an immediate or a [[Hot]] word; or an outside
  *    word X;
  *  - a register that takes the result; a word for the stack;
  *  - a store whose address is the result;
  *  - an [[Act]];
  *  - a branch on a [[Cond]], whose value is that before this instruction: `carry` and `equal` are the previous
  *    instruction's.
  *
  * `index` shares its bits with the branch target. It selects the argument, the runtime register, the word of the cache
  * or the place in the stack that the instruction uses; such an instruction does not branch.
  */
object Micro {
  private var used = 0
  private def field(name: String, width: Int): MicroField = {
    used += width
    MicroField(name, used - width, width)
  }
  val Target = field("target", 11)
  val Index = MicroField("index", 0, 5)
  val Condition = field("condition", 7)
  val Invert = field("invert", 1)
  /** A taken branch stores the address of the next instruction in the link. */
  val Call = field("call", 1)
  /** The branch goes to the address in the link. */
  val Return = field("return", 1)
  val A = field("a", 5)
  val B = field("b", 5)
  val X = field("x", 5)
  val Source = field("source", 2)
  val Slice = field("slice", 2)
  val Immediate = field("immediate", 12)
  val Compute = field("compute", 2)
  val Dest = field("dest", 5)
  val Keep = field("keep", 1)
  val StoreMode = field("store", 4)
  /** The store writes X instead of B. */
  val StoreX = field("store_x", 1)
  val Action = field("act", 7)
  val Bits: Int = used
}

object Alu { val Add = 0; val Sub = 1; val And = 2; val Pass = 3 }
/** The second operand. X only becomes the result, unchanged. `slice` selects the hot word, instead of a part of X. */
object Second { val B = 0; val X = 1; val Immediate = 2; val Hot = 3 }
/** Outside words that the adder takes, in the order of their numbers in `slice`. */
object Hot { val all: Seq[Outside] = Seq(Outside.value, Outside.entry1.low, Outside.entry2, Outside.entry3.high) }
/** The part of an outside word that is used; the rest is zeros, or copies of the sign. */
object Part { val Whole = 0; val Low = 1; val High = 2; val SignedLow = 3 }

/** How many bytes a store writes, and which. For the program's own stores the low two bits are log2 of the number of
  * bytes.
  */
object Store {
  val None = 0
  /** One, two or four bytes of the data. */
  val Byte = 4
  val Half = 5
  val Word = 6
  /** Eight bytes: the data, then zeros. */
  val Wide = 7
  /** Eight bytes: X and register B; `store_x` says which is first. */
  val Pair = 11
  /** A pb_size_t. */
  val Count = 8
  /** The current field's value, with the number of bytes that it has; the current field's has-flag or `which`, if it is
    * due.
    */
  val Value = 12
  val Presence = 13
}

/** A microinstruction under construction. */
class Line(val instruction: MicroInstruction) {
  import Micro._
  private def branch(cond: Cond, invert: Boolean, label: String): Line = {
    instruction(Condition) = cond.index
    instruction(Invert) = if (invert) 1 else 0
    instruction.target = Some(label)
    this
  }
  def on(cond: Cond, label: String): Line = branch(cond, invert = false, label)
  def unless(cond: Cond, label: String): Line = branch(cond, invert = true, label)
  def goto(label: String): Line = branch(Cond.always, invert = false, label)
  def call(label: String): Line = { instruction(Call) = 1; goto(label) }
  def callOn(cond: Cond, label: String): Line = { instruction(Call) = 1; on(cond, label) }
  def callUnless(cond: Cond, label: String): Line = { instruction(Call) = 1; unless(cond, label) }
  def back: Line = {
    instruction(Return) = 1
    instruction(Condition) = Cond.always.index
    instruction(Target) = 0
    this
  }
  def failOn(cond: Cond, status: Status): Line = on(cond, Line.failure(status))
  def failUnless(cond: Cond, status: Status): Line = unless(cond, Line.failure(status))
  def act(act: Act): Line = {
    instruction(Action) = act.index
    this
  }
  /** Requests a word of the stack at the open message's level. It is `stacked` two instructions later. */
  def pop(place: Int): Line = {
    instruction(Index) = place
    this
  }
  private def stacked(r: Register): Int = {
    require(r.index >= Register.Stacked, s"${r.name} is not in the stack")
    r.index - Register.Stacked
  }
  def pop(r: Register): Line = pop(stacked(r))
  /** As `pop`, but at the level below the open message's. */
  def popOuter(r: Register): Line = pop(Line.Outer + stacked(r))
  /** Also stores the result in the stack, at the open message's level. */
  def push(place: Int): Line = {
    instruction(Index) = place
    act(Act.push)
  }
  /** As `push`, but at the level of the message that has the topmost array. */
  def pushOuter(r: Register): Line = push(Line.Outer + stacked(r))
  def raise(flag: Flag): Line = act(flag.raise)
  def lower(flag: Flag): Line = act(flag.lower)
  /** Selects the second operand of the act; the first is the result. */
  def data(r: Register): Line = {
    instruction(B) = r.index
    this
  }
  def data(x: Outside): Line = {
    Line.known(x)
    instruction(StoreX) = 1
    instruction(X) = x.code
    instruction(Slice) = x.part
    x.index.foreach(i => instruction(Index) = i)
    this
  }
}

object Line {
  /** Added to a place in the stack: another level. */
  private val Outer = 16
  def failure(status: Status): String = s"fail ${status.name}"
  /** Checks that a word is used in a way that exists: some words exist only as the half that is hot, others only as a
    * whole.
    */
  def known(x: Outside): Unit = {
    require(x.name != Outside.entry1.name && x.name != Outside.entry3.name,
      s"${x.name} goes through the adder alone, and a half of it")
    require(x.part == Part.Whole || !Outside.ofRuntime.exists(_.code == x.code), s"${x.name} is taken whole")
  }
}

/** A part of the engine's microprogram. */
abstract class Microprogram(assembler: Assembler) {
  import Micro._
  protected def label(name: String): Unit = assembler.label(name)
  /** Begins a part of the program, which `make profile` tells from the others. */
  protected def part(name: String): Unit = assembler.begin(name)
  /** The labels that follow belong to whatever part goes there. */
  protected def shared(): Unit = part("")
  /** Returns a unique label. */
  protected def fresh(name: String): String = s"$name ${assembler.size}"
  private def line(fields: (MicroField, Int)*): Line = {
    val instruction = new MicroInstruction
    for ((field, value) <- fields) instruction(field) = value
    new Line(assembler.emit(instruction))
  }
  private def immediate(value: Int): Int = {
    require(value >= -2048 && value < 2048, s"an immediate of $value")
    value & 0xfff
  }
  private def outside(x: Outside): Seq[(MicroField, Int)] = {
    Line.known(x)
    Seq(X -> x.code, Slice -> x.part) ++ x.index.map(i => Index -> i)
  }
  private def operand(o: Operand, alone: Boolean): Seq[(MicroField, Int)] = o match {
    case OfRegister(r) => Seq(Source -> Second.B, B -> r.index)
    case OfImmediate(value) => Seq(Source -> Second.Immediate, Immediate -> immediate(value))
    case OfOutside(x) if Hot.all.contains(x) => Seq(Source -> Second.Hot, Slice -> Hot.all.indexOf(x))
    case OfOutside(x) if alone => Seq(Source -> Second.X) ++ outside(x)
    // The adder cannot take other words directly: they go through a register.
    case OfOutside(_) =>
      let(Register.scratch, Expr(Alu.Pass, None, o))
      operand(OfRegister(Register.scratch), alone = false)
  }
  /** Returns the fields for a store's address, which is the adder's output. */
  private def place(at: Expr): Seq[(MicroField, Int)] = {
    val fields = result(at)
    require(!fields.contains(Source -> Second.X), "no outside word is a store's address")
    fields
  }
  // S alone is the sum of S, 1, and a register whose bits are all set.
  private def result(e: Expr): Seq[(MicroField, Int)] =
    Seq(Compute -> e.alu, A -> e.a.getOrElse(Register.allOnes).index) ++ operand(e.second, e.a.isEmpty)

  implicit protected def isRaised(flag: Flag): Cond = flag.is

  /** dest := e. */
  protected def let(dest: Register, e: Expr): Line = line(result(e) ++ Seq(Dest -> dest.index, Keep -> 1): _*)
  /** Computes a result that no register takes. The next instruction can test its carry and whether its operands are
    * equal, and acts can take it.
    */
  protected def look(e: Expr): Line = line(result(e): _*)
  protected def also: Line = line()
  /** Memory at `at` := data, in the given mode. */
  protected def store(mode: Int, at: Expr, data: Register): Line =
    line(place(at) ++ Seq(StoreMode -> mode, B -> data.index): _*)
  protected def store(mode: Int, at: Expr, data: Outside): Line =
    line(place(at) ++ Seq(StoreMode -> mode, StoreX -> 1) ++ outside(data): _*)
  /** Stores X, then register B. */
  protected def storePair(at: Expr, low: Outside, high: Register): Line =
    line(place(at) ++ Seq(StoreMode -> Store.Pair, StoreX -> 1, B -> high.index) ++ outside(low): _*)
  /** Stores register B, then X. */
  protected def storePair(at: Expr, low: Register, high: Outside): Line =
    line(place(at) ++ Seq(StoreMode -> Store.Pair, B -> low.index) ++ outside(high): _*)
  /** Stores the mark word, then a klass word. */
  protected def storeHeader(at: Expr, klass: Outside): Line = storePair(at, Register.mark, klass)
  /** Stores the current field's has-flag or `which`, if it is due. */
  protected def storePresence(at: Expr): Line = line(place(at) :+ (StoreMode -> Store.Presence): _*)
  /** Stores the current field's value. */
  protected def storeValue(at: Expr): Line = line(place(at) :+ (StoreMode -> Store.Value): _*)
  /** Stores a result in the stack, at the open message's level. */
  protected def push(place: Int, e: Expr): Line = look(e).push(place)
}
