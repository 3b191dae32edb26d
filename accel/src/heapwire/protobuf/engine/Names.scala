package heapwire.protobuf.engine

import scala.language.implicitConversions

/** A register. */
case class Register(name: String, index: Int) {
  def +(second: Operand): Expr = Expr(Alu.Add, Some(this), second)
  def -(second: Operand): Expr = Expr(Alu.Sub, Some(this), second)
  def &(second: Operand): Expr = Expr(Alu.And, Some(this), second)
}

/** A word from outside the register file, perhaps a part of it, perhaps one of several by index. */
case class Outside(name: String, code: Int, part: Int = Part.Whole, index: Option[Int] = None) {
  def low: Outside = copy(part = Part.Low)
  def high: Outside = copy(part = Part.High)
  def signedLow: Outside = copy(part = Part.SignedLow)
  def apply(i: Int): Outside = copy(index = Some(i))
}

/** What a microinstruction may branch on. */
case class Cond(name: String, index: Int)

/** What else a microinstruction does. */
case class Act(name: String, index: Int)

/** The second operand of a result. */
sealed trait Operand
case class OfRegister(r: Register) extends Operand
case class OfOutside(x: Outside) extends Operand
case class OfImmediate(value: Int) extends Operand

object Operand {
  implicit def ofRegister(r: Register): Operand = OfRegister(r)
  implicit def ofOutside(x: Outside): Operand = OfOutside(x)
  implicit def ofImmediate(value: Int): Operand = OfImmediate(value)
}

/** A result. */
case class Expr(alu: Int, a: Option[Register], second: Operand)

object Expr {
  implicit def pass(r: Register): Expr = Expr(Alu.Pass, None, OfRegister(r))
  implicit def pass(x: Outside): Expr = Expr(Alu.Pass, None, OfOutside(x))
  implicit def pass(value: Int): Expr = Expr(Alu.Pass, None, OfImmediate(value))
}

/** The engine's registers: 32 words, in which the microprogram keeps what is of the command and of the open message.
  *
  * When a message is read, what is put into one of the second half goes into the stack, too, at the level of the open message: so these
  * words need not be put aside, and `pop` brings back those of the enclosing message.
  */
object Register extends Numbered[Register](32) {
  private def next(name: String): Register = next(new Register(name, _))
  /** The first one that the stack has. */
  val Stacked = 16
  // ---- of the command
  val input = next("input")
  /** The arena's end, rounded down. */
  val fixedLimit = next("fixedLimit")
  val fixedTop = next("fixedTop")
  /** Where the flexible arena ends; written messages: where the hasbits of the last table's messages lie. */
  val flexLimit = next("flexLimit")
  val top = next("top")
  /** The last place where a string without bytes fits into the fixed arena, or 0; written messages: what a message without unknown fields refers to. */
  val stringLimit = next("stringLimit")
  /** The mark word of new objects. */
  val mark = next("mark")
  /** The address behind the input. */
  val inputEnd = next("inputEnd")
  // ---- of the writing program and of field instructions, which have names of their own for them
  val other0 = next("other0")
  val other1 = next("other1")
  val other2 = next("other2")
  // ---- a constant
  /** All bits set, from the beginning on, and written by nobody: what a memo is that was not computed yet. */
  val allOnes = next("allOnes")
  // ---- of a step
  val t0 = next("t0")
  val t1 = next("t1")
  val t2 = next("t2")
  val t3 = next("t3")
  // ---- of the open message
  val message = next("message")
  val table = next("table")
  /** Where it ends, as an offset of the input. */
  val messageEnd = next("messageEnd")
  val unknownStart = next("unknownStart")
  val unknownEnd = next("unknownEnd")
  /** Of a group: its number. */
  val groupNumber = next("groupNumber")
  // ---- of the open list: the array list, native: where the count lies; the array, native: the block
  val listAt = next("listAt")
  val array = next("array")
  // ---- of a step: where the reference to the list at hand lies, how many bytes it has to have room for, an object found again
  val slotAt = next("slotAt")
  val room = next("room")
  val foundAt = next("foundAt")
  val t4 = next("t4")
  /** Where the struct that is about to be opened lies; where the packed field at hand ends. */
  val nextAt = next("nextAt")
  val packedEnd = next("packedEnd")
  val other3 = next("other3")
  /** Holds for an instruction an outside word that the adder takes. */
  val scratch = next("scratch")
  // ---- what is beside the registers when a message in the open one begins; the second if it has a list open, the others if that is not on top
  val keptState = room
  val keptCount = t4
  val keptElement = slotAt
  val keptLimit = packedEnd
}

/** Words that the program reads but registers do not hold. */
object Outside extends Numbered[Outside](32) {
  private def next(name: String): Outside = next((code: Int) => new Outside(name, code))
  /** By index: an argument of the command. */
  val argument = next("argument")
  /** What was asked of the stack two instructions before. */
  val stacked = next("stacked")
  /** By index: a word of the granule that the cache gave; the word that was asked for. */
  val cached = next("cached")
  val asked = next("asked")
  /** By index: a runtime register. */
  val runtime = next("runtime")
  /** Where the window stands. */
  val windowAt = next("windowAt")
  /** The class words of the open list and of its array. */
  val listKlass = next("listKlass")
  val arrayKlass = next("arrayKlass")
  /** Of the field at hand: its value, the words of its entry, its number, its offset, where what its length spans ends. */
  val value = next("value")
  val entry1 = next("entry1")
  val entry2 = next("entry2")
  val entry3 = next("entry3")
  val number = next("number")
  val position = next("position")
  val runEnd = next("runEnd")
  /** Of the open list: the next element's address, where the array ends, how many elements there are. */
  val element = next("element")
  val limit = next("limit")
  val count = next("count")
  /** Shape of the open list and flags of the open message. */
  val state = next("state")
  /** The hasbits at hand. */
  val hasbits = next("hasbits")
  /** Bytes of four elements of the open list. */
  val slack = next("slack")
  /** Bytes of an element of the field at hand. */
  val elementBytes = next("elementBytes")
  /** The alignment of the open struct, less one. */
  val alignMask = next("alignMask")
  /** Of the table whose header was asked for: bytes of a new object that are cleared, at least, and where its hasbits lie; distance of the enum lists. */
  val header = next("header")
  val cleared = header.low
  val hasbitsOffset = header.high
  val enumLists = next("enumLists")
  /** 0xffff, of whose parts two constants are made. */
  val constant = next("constant")
  val zero = constant.high
  val minusOne = constant.signedLow
  /** Where the arenas begin. */
  val fixedBase = next("fixedBase")
  val flexibleBase = next("flexibleBase")
  // ---- when messages are written: where the output has come to; where the ordered entry at hand lies; where the ordered entries of the table whose header is at hand begin and end
  val cursor = next("cursor")
  val entryAt = next("entryAt")
  val firstEntry = next("firstEntry")
  val behindEntries = next("behindEntries")
  /** Those that are runtime registers. */
  val ofRuntime: Seq[Outside] = Seq(runtime, listKlass, arrayKlass)
}

/** A bit that the program raises, lowers and branches on. */
case class Flag(name: String, index: Int, raise: Act, lower: Act, is: Cond)

object Flag {
  private var made = Seq.empty[Flag]
  def all: Seq[Flag] = made
  private[engine] def apply(name: String): Flag = {
    val flag = new Flag(name, made.size, Act.declare(s"raise $name"), Act.declare(s"lower $name"), Cond.declare(name))
    made = made :+ flag
    flag
  }
  // Of the open message: put aside with it.
  /** The run of unknown fields [unknownStart, unknownEnd) is to be kept. */
  val unknownValid = Flag("unknownValid")
  val listOpen = Flag("listOpen")
  val onTop = Flag("onTop")
  val moved = Flag("moved")
  val group = Flag("group")
  val freshStruct = Flag("freshStruct")
  val elementOpen = Flag("elementOpen")
  /** How many flags, from the first one on, are the open message's. */
  val OfMessage: Int = made.size
  // Of the command or of a step.
  /** What is known of the open list is that of an outer message, whose array is still the topmost one; means nothing while the open message has a list open. */
  val outerValid = Flag("outerValid")
  val closing = Flag("closing")
  val keeping = Flag("keeping")
  val declared = Flag("declared")
  val judged = Flag("judged")
  val presenceDone = Flag("presenceDone")
  val nextFresh = Flag("nextFresh")
  val nextBegins = Flag("nextBegins")
  val nextWhole = Flag("nextWhole")
  // Of a sequence of field instructions: it goes on, without a fault; all that it wrote is in memory; the open list, if any, is another slot's.
  val live = Flag("live")
  val settled = Flag("settled")
  val elsewhere = Flag("elsewhere")
  val ofSequence: Seq[Flag] = Seq(live, settled, elsewhere)
}

object Cond extends Numbered[Cond](128) {
  private def next(name: String): Cond = next(new Cond(name, _))
  private[engine] def declare(name: String): Cond = next(name)
  /** What does not branch has condition 0. */
  val never = next("never")
  val always = next("always")
  val carry = next("carry")
  val equal = next("equal")
  /** Of the last instruction that took a word of the cache, with register B beside it: the word that was asked for is the same. */
  val matches = next("matches")
  Flag.all
  // ---- the field at hand
  val repeated = next("repeated")
  val inOneof = next("inOneof")
  val isGroup = next("isGroup")
  val checkEnum = next("checkEnum")
  val isElement = next("isElement")
  /** A scalar, known or not: the window has run ahead. */
  val isScalar = next("isScalar")
  val noLength = next("noLength")
  val longLength = next("longLength")
  val isSkip = next("isSkip")
  val isGroupStart = next("isGroupStart")
  val isGroupEnd = next("isGroupEnd")
  val pointer = next("pointer")
  val fixedCount = next("fixedCount")
  val fixedLength = next("fixedLength")
  val isText = next("isText")
  val isString = next("isString")
  val isMessage = next("isMessage")
  val presenceDue = next("presenceDue")
  val referred = next("referred")
  // ---- the open message and its list
  val sameList = next("sameList")
  val sameShape = next("sameShape")
  val listFull = next("listFull")
  /** The list of the field is open, and has room. */
  val listReady = next("listReady")
  /** A message begins as most do: its field is no member of a oneof, and the open message has no list open. */
  val plainMessage = next("plainMessage")
  /** The open message ends as most do: it has no unknown fields, no list and no group open, and is none; its type is a usual one, all that is required is there, and a message is around it. */
  val plainEnd = next("plainEnd")
  /** The same, but it may have a list open, and be of any type. */
  val plainRest = next("plainRest")
  /** The open message's type has no hasbits; a word of them. */
  val noHasbits = next("noHasbits")
  val oneHasbitsWord = next("oneHasbitsWord")
  val manyHasbits = next("manyHasbits")
  val tooMany = next("tooMany")
  val native = next("native")
  val wideCount = next("wideCount")
  val mapEntry = next("mapEntry")
  val headerNative = next("headerNative")
  val wide0 = next("wide0")
  val wide1 = next("wide1")
  val misaligned = next("misaligned")
  val noGroups = next("noGroups")
  val atRoot = next("atRoot")
  val depthFull = next("depthFull")
  /** The message that goes on has nothing but fields to go on with, or a list whose array is still the topmost one: nothing has changed of what is known of it. */
  val plainLeave = next("plainLeave")
  val stillOnTop = next("stillOnTop")
  // ---- hasbits
  val seen = next("seen")
  /** The field's list is a new one, and no array is to be closed before it. */
  val newList = next("newList")
  val missingRequired = next("missingRequired")
  // ---- what the program waits for
  val cacheReady = next("cacheReady")
  val copierIdle = next("copierIdle")
  /** Everything is in memory, after `flush`. */
  val written = next("written")
  val streamIdle = next("streamIdle")
  val allIdle = next("allIdle")
  val completionReady = next("completionReady")
  // ---- the header at hand
  val headerTooWide = next("headerTooWide")
  val headerTooStrict = next("headerTooStrict")
  /** Of managed objects that have a word of hasbits, their memos and the list of unknown fields behind it, and nothing that is too much. */
  val usualType = next("usualType")
  /** The same, and the header is here. */
  val usualHere = next("usualHere")
  /** The type does not keep unknown fields. */
  val noUnknownList = next("noUnknownList")
  // ---- the command
  val badOperation = next("badOperation")
  val commandTaken = next("commandTaken")
  val odd8 = next("odd8")
  val odd16 = next("odd16")
  val faultAtInput = next("faultAtInput")
  val faultAtUnknown = next("faultAtUnknown")
  // ---- when messages are written
  /** The cursor includes all that was put; the packer has nothing more for memory, after `settle`; no room was left. */
  val counted = next("counted")
  val packed = next("packed")
  val outputFull = next("outputFull")
  val scannerBusy = next("scannerBusy")
  /** Of the entry at hand. */
  val checkUtf8 = next("checkUtf8")
  val isImplicit = next("isImplicit")
  val required = next("required")
  val packable = next("packable")
  val asPacked = next("asPacked")
  val asBytes = next("asBytes")
  val elementWide0 = next("elementWide0")
  val elementWide1 = next("elementWide1")
  val faultAtText = next("faultAtText")
  /** What was asked for of an object lies in the upper half of its word. */
  val upperHalf = next("upperHalf")
  // ---- field instructions: a sequence is at hand, of those that write; the instruction at hand found none; it still owes an answer
  val inSequence = next("inSequence")
  val toWrite = next("toWrite")
  val begun = next("begun")
  val answerDue = next("answerDue")
  /** The value that was asked for is here; and is not as it should be. */
  val stepReady = next("stepReady")
  val stepFails = next("stepFails")
  /** Of the type at hand: there is none such; it is that of bytes as they are; of messages or groups. The number has more than 29 bits. */
  val illegal = next("illegal")
  val isRaw = next("isRaw")
  val nests = next("nests")
  val numberTooLarge = next("numberTooLarge")
}

object Act extends Numbered[Act](128) {
  private def next(name: String): Act = next(new Act(name, _))
  private[engine] def declare(name: String): Act = next(name)
  val none = next("none")
  Flag.all
  /** The result goes into the stack, at the place of the index. */
  val push = next("push")
  // ---- steps: back to them; the one at hand is done; both
  val run = next("run")
  val accept = next("accept")
  val acceptAndRun = next("acceptAndRun")
  /** Of the step at hand nothing but its value is needed any more: the next field may come. */
  val release = next("release")
  // ---- the command
  val takeCommand = next("takeCommand")
  val fail = next("fail")
  val complete = next("complete")
  val setResult0 = next("setResult0")
  val setResult1 = next("setResult1")
  val setResult2 = next("setResult2")
  val setResult3 = next("setResult3")
  // ---- the window goes on: with fields of a message that ends at the result; of the same one; with what ends at the result:
  // packed elements; bytes for the copier (`copyText`); or bytes that are skipped
  val readMessage = next("readMessage")
  val readFields = next("readFields")
  val readPacked = next("readPacked")
  val skipBytes = next("skipBytes")
  /** Input, items and values that were read ahead are forgotten; the step at hand stays. The window gives bytes to the copier alone. */
  val pauseStream = next("pauseStream")
  /** The window's offset is the result, and it waits. */
  val setPosition = next("setPosition")
  /** The same at the beginning, where the input's end is the result: offset 0. */
  val setPosition0 = next("setPosition0")
  /** Memory is read from the result up to the data. */
  val startStream = next("startStream")
  // ---- the cache: the header at the result, whose second half becomes the context of the open message, and whose first half is at hand;
  // the granule at the result, of a table, of an object
  val askHeader = next("askHeader")
  val askTable = next("askTable")
  val askObject = next("askObject")
  /** The block of objects at the result is fetched, and nobody waits for it. */
  val fetchAhead = next("fetchAhead")
  /** What objects were before is forgotten. */
  val forget = next("forget")
  // ---- the copier, to the result: as many zeros, or bytes from memory, as the data says; the text at hand, of managed objects, of C structs
  val clear = next("clear")
  val copyRaw = next("copyRaw")
  val copyText = next("copyText")
  val copyNative = next("copyNative")
  val flush = next("flush")
  // ---- levels of messages and groups
  val enter = next("enter")
  val leave = next("leave")
  val groupIn = next("groupIn")
  val groupOut = next("groupOut")
  // ---- hardware beside the program: takes the result
  val setElement = next("setElement")
  val setLimit = next("setLimit")
  val setCount = next("setCount")
  val setState = next("setState")
  val setMessage = next("setMessage")
  /** The same, and `run`. */
  val resume = next("resume")
  /** The list at hand, of the field or of unknown fields, is the open one. */
  val setShape = next("setShape")
  /** The same, and it is new: without elements, on top. */
  val openList = next("openList")
  /** One element more. */
  val append = next("append")
  // ---- hasbits: a message begins, whose number of words is the result; the word of that index is wanted, and waited for; that of the list's or field's bit is at hand;
  // it becomes the result; the bit is set
  val hasbitsBegin = next("hasbitsBegin")
  /** A message begins, whose number of words the header at hand says. */
  val hasbitsOpen = next("hasbitsOpen")
  val hasbitsAt = next("hasbitsAt")
  val hasbitsHere = next("hasbitsHere")
  val hasbitsOfList = next("hasbitsOfList")
  val hasbitsPut = next("hasbitsPut")
  /** The same, of the only word, and the scanner goes on. */
  val hasbitsPutAndScan = next("hasbitsPutAndScan")
  val mark = next("mark")
  // ---- when messages are written. The output begins at the result, and what is to be written lies between the data and it; the cursor
  // is the result; what is gathered goes to memory (level)
  val startPacker = next("startPacker")
  val seek = next("seek")
  val settle = next("settle")
  /** What is gathered, and all that was written, goes to memory: to the command's end. */
  val finishOutput = next("finishOutput")
  /** The result goes before what was put, as a varint of 32 bits; the key of the entry at hand; the one that ends its group; its key, and the scanner goes on. */
  val put = next("put")
  val putKey = next("putKey")
  val putEnd = next("putEnd")
  val putKeyAndScan = next("putKeyAndScan")
  /** Entries begin, end at the result; the scanner goes on, the program rests; the entry at the result is the one at hand, when the scanner rests. */
  val setEntries = next("setEntries")
  val setEntriesEnd = next("setEntriesEnd")
  val scan = next("scan")
  val fetchEntry = next("fetchEntry")
  /** The elements between `limit` and `element` go before what was put: of the entry's type, alone or each with its key; as bytes. */
  val walkPacked = next("walkPacked")
  val walkKeyed = next("walkKeyed")
  val walkBytes = next("walkBytes")
  /** As many bytes below `element` as the result says, at most 255. */
  val walkCounted = next("walkCounted")
  /** `element` goes to the next byte that is zero; the scanner stops if there is none within the bounds. */
  val findEnd = next("findEnd")
  /** The string that the word asked for refers to, with its length and key; the scanner stops if it cannot. */
  val writeText = next("writeText")
  /** The other word of the two that were asked for. */
  val turn = next("turn")
  /** Bytes of a string from memory to the result, as many as the data says. */
  val copyOut = next("copyOut")
  /** An arena is the result up to the data, or both are; objects are read from the result up to the data. */
  val setArena0 = next("setArena0")
  val setArena1 = next("setArena1")
  val setArenas = next("setArenas")
  val setObjects = next("setObjects")
  // ---- field instructions: the one at hand is done, and the program rests; the sequence ends, and the instruction at hand begins anew; rd is
  // the result, or the sequence's status
  val nextRequest = next("nextRequest")
  val closeSequence = next("closeSequence")
  val answer = next("answer")
  val answerStatus = next("answerStatus")
  /** The entry at hand is made of the instruction, whose number is the result; the scanner writes its field; its value is read from the result on. */
  val makeEntry = next("makeEntry")
  val scanField = next("scanField")
  val readValue = next("readValue")
}
