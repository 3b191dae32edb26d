package heapwire.protobuf.execute

import heapwire.isa.Status
import heapwire.sequencer._

/** The executor's microinstructions. One says, all of it optional:
  *
  *  - a result: A + B, A - B, A and an immediate, or B alone; B may be an immediate;
  *  - a register that takes it;
  *  - a store of B at the address A + immediate, or of a word of its own at A + B;
  *  - a flag to be raised or lowered, and an [[Act]];
  *  - a [[Cond]] on which to branch, of the result or of how things stand before the instruction.
  *
  * All of it happens in one cycle, whether it branches or not.
  */
object Micro {
  private var used = 0
  private def field(name: String, width: Int): MicroField = {
    used += width
    MicroField(name, used - width, width)
  }
  val Target = field("target", 10)
  val Condition = field("condition", 7)
  val Invert = field("invert", 1)
  val A = field("a", 6)
  val B = field("b", 6)
  val Immediate = field("immediate", 11)
  val UseImmediate = field("use_immediate", 1)
  val Compute = field("compute", 2)
  val Dest = field("dest", 5)
  val StoreMode = field("store", 4)
  val Action = field("act", 6)
  val FlagIndex = field("flag", 5)
  val FlagValue = field("flag_value", 1)
  val FlagWrite = field("flag_write", 1)
  val Bits: Int = used
}

/** What the adder does. */
object Alu { val Add = 0; val Sub = 1; val And = 2; val Pass = 3 }

/** What a store writes of B. */
object Store {
  val None = 0
  /** Four bytes. */
  val Word = 1
  /** Eight: B, then zeros. */
  val Wide = 2
  /** Eight: the mark word, then B. */
  val Header = 3
  /** The step's value, as many bytes as its field has. */
  val Value = 4
  /** A pb_size_t. */
  val Count = 5
  /** One byte. */
  val Byte = 6
  /** Eight: B, then the array of the list at hand. */
  val Pair = 7
  // Words that are none of B's, at the address A + B: -1, the list of no unknown fields, the hasbits at hand, the step's number.
  val Ones = 8
  val NoUnknown = 9
  val Hasbits = 10
  val Number = 11
}

/** A place that A, B or the result's register may name; -1: not that one. */
case class Operand(name: String, a: Int, b: Int, dest: Int) {
  def +(other: Operand): Expression = if (a >= 0 && other.b >= 0) Expression(Alu.Add, a, Right(other.b)) else Expression(Alu.Add, other.a, Right(b))
  def +(immediate: Int): Expression = Expression(Alu.Add, a, Left(immediate))
  def -(other: Operand): Expression = Expression(Alu.Sub, a, Right(other.b))
  def -(immediate: Int): Expression = Expression(Alu.Sub, a, Left(immediate))
  def &(immediate: Int): Expression = Expression(Alu.And, a, Left(immediate))
}

/** A result. */
case class Expression(alu: Int, a: Int, b: Either[Int, Int]) {
  require(alu == Alu.Pass || a >= 0, "the left operand is none of A's")
  require(b.fold(_ => true, _ >= 0), "the right operand is none of B's")
}

object Operand {
  private def temporaries(names: String*) = names.zipWithIndex.map { case (name, i) => Operand(name, i, i, i) }
  private def both(name: String, left: Operand, right: Operand) = Operand(name, left.a, right.b, -1)
  private def states(names: String*) = names.zipWithIndex.map { case (name, i) => Operand(name, 16 + i, 16 + i, 16 + i) }
  private def lefts(names: String*) = names.zipWithIndex.map { case (name, i) => Operand(name, 32 + i, -1, -1) }
  private def rights(names: String*) = names.zipWithIndex.map { case (name, i) => Operand(name, -1, 32 + i, -1) }

  // A small memory. outer...: the topmost array, if it is an outer message's; slotAt, room: where the reference to the list at hand
  // lies, and the unknown fields' bytes that it has to have room for.
  val Temporaries = temporaries("messageEnd", "outerArray", "outerElement", "outerCount", "slotAt", "room",
    "t0", "t1", "t2", "t3", "foundAt", "nextAt")
  val Seq(messageEnd, outerArray, outerElement, outerCount, slotAt, room, t0, t1, t2, t3, foundAt, nextAt) =
    Temporaries


  // Registers. listAt: the array list, native: where the count lies; array: native: the block; limit: of elements on top the address
  // where they end, of others their most.
  val States = states("message", "remaining", "unknownStart", "unknownEnd", "listAt", "array", "element", "limit", "count", "fixedTop", "top",
    "readAt", "cacheAt", "length", "position", "nowhere")
  val Seq(message, remaining, unknownStart, unknownEnd, listAt, array, element, limit, count, fixedTop, top, readAt, cacheAt, length, position, nowhere) = States


  // Only on the left. fixedLimit, flexLimit: of the arenas, rounded down.
  val Lefts = lefts("inputArgument", "lengthArgument", "tableArgument", "depthArgument", "fixedArgument", "fixedLimitArgument",
    "flexibleArgument", "flexibleLimitArgument", "tableAddress", "stepLength", "slot", "tableLimit",
    "fixedLimit", "flexLimit")
  val Seq(inputArgument, lengthArgument, tableArgument, depthArgument, fixedArgument, fixedLimitArgument, flexibleArgument,
    flexibleLimitArgument, tableAddress, leftLength, slot, tableLimit, fixedLimit, flexLimit) = Lefts


  // Only on the right. slack, outerSlack: the bytes of four elements.
  val Rights = rights("slack", "outerSlack", "rest", "number", "subTable", "stepLength", "caseOffset", "elementBytes", "elementSize", "maxCount", "objectSize",
    "memo", "otherMemo", "unknownOffset", "hasbitsOffset", "alignedSize", "klassWord", "listKlass", "arrayKlass", "outerArrayKlass",
    "loaded", "loadedHigh", "cacheWord", "cacheLow", "cacheHigh", "hasbitsPlace", "hasbitsBytes", "enumDistance",
    "textPosition", "inputPosition", "blockBytes")
  val Seq(slack, outerSlack, rest, number, subTable, rightLength, caseOffset, elementBytes, elementSize, maxCount, objectSize, memo, otherMemo, unknownOffset, hasbitsOffset, alignedSize, klassWord, listKlass, arrayKlass, outerArrayKlass) = Rights.slice(0, 20)
  val Seq(loaded, loadedHigh, cacheWord, cacheLow, cacheHigh, hasbitsPlace, hasbitsBytes, enumDistance, textPosition, inputPosition, blockBytes) = Rights.slice(20, 31)
  val stepLength = both("stepLength", leftLength, rightLength)
}

/** One bit that microinstructions raise, lower and branch on. */
case class Flag(name: String, index: Int) { val is: Cond = Cond(name, index) }

object Flag {
  // What does not branch has condition 0: that flag is never raised.
  private val names = Seq("never", "unknownValid", "listOpen", "onTop", "moved", "group", "fresh", "elementOpen",
    "outerValid", "closing", "keeping", "judged", "declared", "sought", "found", "reopening", "presenceWritten", "recalled",
    "atRoot", "tableReady", "nextFresh", "nextBegins", "nextWhole", "entersGroup", "starting")
  val all: Seq[Flag] = names.zipWithIndex.map { case (name, i) => Flag(name, i) }
  val Seq(unknownValid, listOpen, onTop, moved, group, fresh, elementOpen, outerValid, closing, keeping, judged, declared, sought, found, reopening, presenceWritten, recalled, atRoot) = all.slice(1, 19)
  val Seq(tableReady, nextFresh, nextBegins, nextWhole, entersGroup, starting) = all.slice(19, 25)
}

/** What a microinstruction may branch on. The first 32 are the flags. */
case class Cond(name: String, index: Int)

object Cond {
  private val names = Seq("always", "carry", "equal", "repeated", "inOneof", "isGroup", "checkEnum", "noLength", "longLength",
    "sameList", "sameShape", "stringFits", "listReady", "listFull", "depthFull", "native", "headerNative", "atLevelZero", "noGroups", "wrongGroup", "seen", "marked",
    "loaderReady", "loaderFailed", "enginesIdle", "flushed", "allIdle", "cacheHit", "cacheFault", "loadFailed", "badOperation",
    "isSkip", "isGroupStart", "isGroupEnd", "isElement", "mapEntry", "noUnknownList", "pointer", "fixedCount", "fixedLength", "isText", "isString", "isMessage",
    "presenceDue", "referred", "wideCount", "misaligned", "odd8", "odd16", "missingRequired", "tooMany", "completionReady", "wide0", "wide1", "faultAtInput",
    "faultAtText", "faultAtUnknown", "killed", "quickMessage", "special", "endsPlainly", "popsOnTop", "topmost", "isNewList", "markedMore", "loneBlock", "loneText", "loaderPlain")
  val external: Seq[Cond] = names.zipWithIndex.map { case (name, i) => Cond(name, 32 + i) }
  val Seq(always, carry, equal, repeated, inOneof, isGroup, checkEnum, noLength, longLength, sameList, sameShape, stringFits, listReady, listFull, depthFull, native, headerNative, atLevelZero, noGroups, wrongGroup) = external.slice(0, 20)
  val Seq(seen, marked, loaderReady, loaderFailed, enginesIdle, flushed, allIdle, cacheHit, cacheFault, loadFailed, badOperation, isSkip, isGroupStart, isGroupEnd, isElement, mapEntry, noUnknownList, pointer, fixedCount) = external.slice(20, 39)
  val Seq(fixedLength, isText, isString, isMessage, presenceDue, referred, wideCount, misaligned, odd8, odd16, missingRequired, tooMany, completionReady, wide0, wide1, faultAtInput, faultAtText, faultAtUnknown) = external.slice(39, 57)
  val Seq(killed, quickMessage, special, endsPlainly, popsOnTop, topmost, isNewList, markedMore, loneBlock, loneText, loaderPlain) = external.slice(57, 68)
}

/** What else a microinstruction does. */
case class Act(name: String, index: Int)

object Act {
  private val names = Seq("none",
    // steps: back to them; the one at hand is done; both
    "run", "accept", "acceptAndRun",
    // the command: its input is read; it fails; it is over, with its results
    "begin", "fail", "complete", "setRoot", "setFixed", "setFlexible", "setOffset",
    // the parser goes on: with fields, with the bytes of a string, skipping some; out of the message that ends, which takes the step
    "goOn", "goOnBytes", "goOnSkip", "goOut",
    // tables: the header at the result; it becomes the open message's; the word at cacheAt, of the cache
    "loadTable", "takeTable", "askCache",
    // messages: one begins in the open one, which takes the step; the one around it goes on
    "enter", "pop", "groupIn", "groupOut",
    // bytes, `length` of them, to the result: zeros, also as many as the header or record says; from memory at readAt; from the record at cacheAt; from the parser, with a zero behind a text
    "clear", "clearObject", "clearRecord", "copy", "copyRecord", "copyText",
    // a word at readAt is read, once everything before is in memory: flush waits for that
    "load", "flush",
    // hasbits: the bit of the step's or list's field is set; word 0, or that of the bit, is at hand; the first that is marked is
    // at hand, and is marked no more; a word becomes what was loaded
    "mark", "hasbitsFirst", "hasbitsZero", "hasbitsAt", "hasbitsSet",
    // the open list: a new one, one that was read back, a struct's; the outer one; one element more
    "newList", "oldList", "nativeList", "outerList", "append",
    "declare", "finish")
  val all: Seq[Act] = names.zipWithIndex.map { case (name, i) => Act(name, i) }
  val Seq(none, run, accept, acceptAndRun, begin, fail, complete, setRoot, setFixed, setFlexible, setOffset, goOn, goOnBytes, goOnSkip, goOut, loadTable, takeTable, askCache) = all.slice(0, 18)
  val Seq(enter, pop, groupIn, groupOut, clear, clearObject, clearRecord, copy, copyRecord, copyText, load, flush, mark, hasbitsFirst, hasbitsZero, hasbitsAt, hasbitsSet, newList, oldList, nativeList, outerList) = all.slice(18, 39)
  val Seq(append, declare, finish) = all.slice(39, 42)
  /** Those that are done with the step at hand. */
  val takeStep: Seq[Act] = Seq(accept, acceptAndRun, enter, goOut)
}

/** A microinstruction that is being written. */
class Line(instruction: MicroInstruction) {
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
  def failOn(cond: Cond, status: Status): Line = on(cond, Line.failure(status))
  def failUnless(cond: Cond, status: Status): Line = unless(cond, Line.failure(status))
  def act(act: Act): Line = {
    instruction(Action) = act.index
    this
  }
  private def flag(flag: Flag, value: Int): Line = {
    instruction(FlagIndex) = flag.index
    instruction(FlagValue) = value
    instruction(FlagWrite) = 1
    this
  }
  def raise(raised: Flag): Line = flag(raised, 1)
  def lower(lowered: Flag): Line = flag(lowered, 0)
}

object Line { def failure(status: Status): String = s"fail ${status.name}" }

/** A part of the executor's microprogram. */
abstract class Microprogram(assembler: Assembler) {
  import Micro._
  protected def label(name: String): Unit = assembler.label(name)
  private def line(fields: (MicroField, Int)*): Line = {
    val instruction = new MicroInstruction
    for ((field, value) <- fields) instruction(field) = value
    new Line(assembler.emit(instruction))
  }
  private def immediate(value: Int): Int = {
    require(value >= -1024 && value < 1024, s"an immediate of $value")
    value & 0x7ff
  }
  private def result(e: Expression): Seq[(MicroField, Int)] =
    Seq(Compute -> e.alu) ++ (if (e.a >= 0) Seq(A -> e.a) else Nil) ++
      e.b.fold(value => Seq(UseImmediate -> 1, Immediate -> immediate(value)), code => Seq(B -> code))
  implicit protected def condition(flag: Flag): Cond = flag.is
  implicit protected def pass(operand: Operand): Expression =
    if (operand.b >= 0) Expression(Alu.Pass, -1, Right(operand.b)) else operand + 0
  implicit protected def pass(value: Int): Expression = Expression(Alu.Pass, -1, Left(value))

  /** dest := e. */
  protected def let(dest: Operand, e: Expression): Line = {
    require(dest.dest >= 0, s"${dest.name} is no register")
    line(result(e) :+ (Dest -> (dest.dest)): _*)
  }
  /** A result that no register takes. */
  protected def look(e: Expression): Line = line(result(e) :+ (Dest -> Microprogram.NoRegister): _*)
  protected def also: Line = line(Dest -> Microprogram.NoRegister)
  protected def store(mode: Int, at: Operand, offset: Int, data: Operand): Line =
    line(StoreMode -> mode, A -> at.a, UseImmediate -> 1, Immediate -> immediate(offset), B -> data.b, Dest -> Microprogram.NoRegister)
  /** A word that is none of B's, at the sum of two registers. */
  protected def put(mode: Int, at: Expression): Line = {
    require(at.alu == Alu.Add, "a sum")
    line(result(at) ++ Seq(StoreMode -> mode, Dest -> Microprogram.NoRegister): _*)
  }

  /** Waits for what `load` or `copy` has begun. */
  protected def awaitRead(): Unit = {
    val here = s"reading ${assembler.size}"
    label(here)
    also.unless(Cond.enginesIdle, here)
    also.failOn(Cond.loadFailed, Status.BusFault)
  }
  /** Waits until all that was written is in memory. */
  protected def awaitFlush(): Unit = {
    val here = s"flushing ${assembler.size}"
    label(here)
    also.act(Act.flush).unless(Cond.flushed, here)
  }
}

object Microprogram {
  /** The register that results go to that no register takes. */
  val NoRegister = 31
}
