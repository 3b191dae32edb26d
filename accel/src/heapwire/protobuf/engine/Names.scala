package heapwire.protobuf.engine

import scala.language.implicitConversions

/** A register. */
case class Register(name: String, index: Int) {
  def +(second: Operand): Expr = Expr(Alu.Add, Some(this), second)
  def -(second: Operand): Expr = Expr(Alu.Sub, Some(this), second)
  def &(second: Operand): Expr = Expr(Alu.And, Some(this), second)
}

/** A word from outside the register file: optionally a part of it, or one of several by index. */
case class Outside(name: String, code: Int, part: Int = Part.Whole, index: Option[Int] = None) {
  def low: Outside = copy(part = Part.Low)
  def high: Outside = copy(part = Part.High)
  def signedLow: Outside = copy(part = Part.SignedLow)
  def apply(i: Int): Outside = copy(index = Some(i))
}

/** A condition on which a microinstruction may branch. */
case class Cond(name: String, index: Int)

/** A further effect of a microinstruction. */
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

/** The expression of a result. */
case class Expr(alu: Int, a: Option[Register], second: Operand)

object Expr {
  implicit def pass(r: Register): Expr = Expr(Alu.Pass, None, OfRegister(r))
  implicit def pass(x: Outside): Expr = Expr(Alu.Pass, None, OfOutside(x))
  implicit def pass(value: Int): Expr = Expr(Alu.Pass, None, OfImmediate(value))
}

/** The engine's registers: 32 words, in which the microprogram keeps what belongs to the command and to the open
  * message.
  *
  * When a message is read, a value written to one of the second half also goes into the stack, at the level of the open
  * message. So these registers need not be saved, and `pop` restores those of the enclosing message.
  */
object Register extends Numbered[Register](32) {
  private def next(name: String): Register = next(new Register(name, _))
  /** The first register that the stack has. */
  val Stacked = 16
  // ---- of the command
  val input = next("input")
  /** The end of the fixed arena, rounded down. */
  val fixedLimit = next("fixedLimit")
  val fixedTop = next("fixedTop")
  /** The end of the flexible arena. When messages are written: the offset of the hasbits in messages of the last table.
    */
  val flexLimit = next("flexLimit")
  val top = next("top")
  /** The last address at which an empty string fits into the fixed arena, or 0. When messages are written: the
    * reference that a message without unknown fields holds.
    */
  val stringLimit = next("stringLimit")
  /** The mark word of new objects. */
  val mark = next("mark")
  /** The address behind the input. */
  val inputEnd = next("inputEnd")
  // ---- of the writing program and of field instructions, which give them names of their own
  val other0 = next("other0")
  val other1 = next("other1")
  val other2 = next("other2")
  // ---- a constant
  /** All bits set from the start, and never written; also the value of a memo that has not been computed yet. */
  val allOnes = next("allOnes")
  // ---- of a step
  val t0 = next("t0")
  val t1 = next("t1")
  val t2 = next("t2")
  val t3 = next("t3")
  // ---- of the open message
  val message = next("message")
  val table = next("table")
  /** The input offset at which it ends. */
  val messageEnd = next("messageEnd")
  val unknownStart = next("unknownStart")
  val unknownEnd = next("unknownEnd")
  /** The field number of a group. */
  val groupNumber = next("groupNumber")
  // ---- of the open list: the array list (native: where the count is); the array (native: the block)
  val listAt = next("listAt")
  val array = next("array")
  // ---- of a step: address of the reference to the current list; bytes that the list must have room for; an object
  // that was found again
  val slotAt = next("slotAt")
  val room = next("room")
  val foundAt = next("foundAt")
  val t4 = next("t4")
  /** Address of the next struct to be opened; where the current packed field ends. */
  val nextAt = next("nextAt")
  val packedEnd = next("packedEnd")
  val other3 = next("other3")
  /** Holds an outside word that an instruction's adder takes. */
  val scratch = next("scratch")
  // ---- saved beside the registers when a message inside the open one begins; `keptCount` if it has an open list, the
  // others if that list is not on top
  val keptState = room
  val keptCount = t4
  val keptElement = slotAt
  val keptLimit = packedEnd
}

/** Words that the program reads and that are not in registers. */
object Outside extends Numbered[Outside](32) {
  private def next(name: String): Outside = next((code: Int) => new Outside(name, code))
  /** By index: an argument of the command. */
  val argument = next("argument")
  /** The word that was requested from the stack two instructions before. */
  val stacked = next("stacked")
  /** By index: a word of the granule that the cache returned. `asked`: the requested word. */
  val cached = next("cached")
  val asked = next("asked")
  /** By index: a runtime register. */
  val runtime = next("runtime")
  /** The position of the window. */
  val windowAt = next("windowAt")
  /** The klass words of the open list and of its array. */
  val listKlass = next("listKlass")
  val arrayKlass = next("arrayKlass")
  /** Of the current field: its value, the words of its entry, its number, its input offset, and where the bytes that
    * its length spans end.
    */
  val value = next("value")
  val entry1 = next("entry1")
  val entry2 = next("entry2")
  val entry3 = next("entry3")
  val number = next("number")
  val position = next("position")
  val runEnd = next("runEnd")
  /** Of the open list: the next element's address, where the array ends, the number of elements. */
  val element = next("element")
  val limit = next("limit")
  val count = next("count")
  /** Shape of the open list and flags of the open message. */
  val state = next("state")
  /** The current word of hasbits. */
  val hasbits = next("hasbits")
  /** Bytes of four elements of the open list. */
  val slack = next("slack")
  /** Bytes of an element of the current field. */
  val elementBytes = next("elementBytes")
  /** The alignment of the open struct, minus one. */
  val alignMask = next("alignMask")
  /** Of the table whose header was requested: the number of bytes of a new object that are cleared, at least; the
    * offset of its hasbits. `enumLists`: distance of the enum lists.
    */
  val header = next("header")
  val cleared = header.low
  val hasbitsOffset = header.high
  val enumLists = next("enumLists")
  /** 0xffff; its parts make two constants. */
  val constant = next("constant")
  val zero = constant.high
  val minusOne = constant.signedLow
  /** Where the arenas begin. */
  val fixedBase = next("fixedBase")
  val flexibleBase = next("flexibleBase")
  // ---- when messages are written: the position of the output; the address of the current ordered entry; where the
  // ordered entries of the current header's table begin and end
  val cursor = next("cursor")
  val entryAt = next("entryAt")
  val firstEntry = next("firstEntry")
  val behindEntries = next("behindEntries")
  /** The words that are runtime registers. */
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
  // Flags of the open message, saved with it.
  /** The run of unknown fields [unknownStart, unknownEnd) is still to be kept. */
  val unknownValid = Flag("unknownValid")
  val listOpen = Flag("listOpen")
  val onTop = Flag("onTop")
  val moved = Flag("moved")
  val group = Flag("group")
  val freshStruct = Flag("freshStruct")
  val elementOpen = Flag("elementOpen")
  /** The number of flags, from the first one on, that belong to the open message. */
  val OfMessage: Int = made.size
  // Flags of the command or of a step.
  /** The list state in the registers is that of an outer message, whose array is still the topmost one. It is undefined
    * while the open message has a list open.
    */
  val outerValid = Flag("outerValid")
  val closing = Flag("closing")
  val keeping = Flag("keeping")
  val declared = Flag("declared")
  val judged = Flag("judged")
  val presenceDone = Flag("presenceDone")
  val nextFresh = Flag("nextFresh")
  val nextBegins = Flag("nextBegins")
  val nextWhole = Flag("nextWhole")
  // Flags of a sequence of field instructions: it continues without a fault; all that it wrote is in memory; the open
  // list, if any, belongs to another slot.
  val live = Flag("live")
  val settled = Flag("settled")
  val elsewhere = Flag("elsewhere")
  val ofSequence: Seq[Flag] = Seq(live, settled, elsewhere)
}

object Cond extends Numbered[Cond](128) {
  private def next(name: String): Cond = next(new Cond(name, _))
  private[engine] def declare(name: String): Cond = next(name)
  /** Condition 0 is that of instructions that do not branch. */
  val never = next("never")
  val always = next("always")
  val carry = next("carry")
  val equal = next("equal")
  /** For the last instruction that took a word of the cache: the requested word is equal to its register B. */
  val matches = next("matches")
  Flag.all
  // ---- the current field
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
  /** The list of the field is open and has room. */
  val listReady = next("listReady")
  /** A message begins in the most common way: its field is not in a oneof, and the open message has no open list. */
  val plainMessage = next("plainMessage")
  /** The open message ends in the most common way: it has no unknown fields, no open list and no open group, and is not
    * a group; its type is a usual one; all required fields are there; and it is not the root.
    */
  val plainEnd = next("plainEnd")
  /** As `plainEnd`, but a list may be open, the type may be any, required fields may be missing, and the message may be
    * the root.
    */
  val plainRest = next("plainRest")
  /** The open message's type has no hasbits; has one word of them. */
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
  /** Nothing that describes the resumed message's list has changed: it has no open list, or one whose array is still
    * the topmost one. It has no unknown fields to keep.
    */
  val plainLeave = next("plainLeave")
  val stillOnTop = next("stillOnTop")
  // ---- hasbits
  val seen = next("seen")
  /** The field's list is a new one, and no array has to be closed before it. */
  val newList = next("newList")
  val missingRequired = next("missingRequired")
  // ---- what the program waits for
  val cacheReady = next("cacheReady")
  val copierIdle = next("copierIdle")
  /** All writes are in memory, after `flush`. */
  val written = next("written")
  val streamIdle = next("streamIdle")
  val allIdle = next("allIdle")
  val completionReady = next("completionReady")
  // ---- the current header
  val headerTooWide = next("headerTooWide")
  val headerTooStrict = next("headerTooStrict")
  /** Managed objects that have one word of hasbits, followed by the memos and the list of unknown fields, and that
    * exceed no limit.
    */
  val usualType = next("usualType")
  /** As `usualType`, and the header is here. */
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
  /** `counted`: the cursor includes all that was put. `packed`: the packer has nothing left for memory, after `settle`.
    * `outputFull`: there was no room left.
    */
  val counted = next("counted")
  val packed = next("packed")
  val outputFull = next("outputFull")
  val scannerBusy = next("scannerBusy")
  /** Properties of the current entry. */
  val checkUtf8 = next("checkUtf8")
  val isImplicit = next("isImplicit")
  val required = next("required")
  val packable = next("packable")
  val asPacked = next("asPacked")
  val asBytes = next("asBytes")
  val elementWide0 = next("elementWide0")
  val elementWide1 = next("elementWide1")
  val faultAtText = next("faultAtText")
  /** The requested data of an object are in the upper half of their word. */
  val upperHalf = next("upperHalf")
  // ---- field instructions: a sequence is open; it writes; the current instruction found no sequence; it still owes an
  // answer
  val inSequence = next("inSequence")
  val toWrite = next("toWrite")
  val begun = next("begun")
  val answerDue = next("answerDue")
  /** The requested value is here; it is faulty. */
  val stepReady = next("stepReady")
  val stepFails = next("stepFails")
  /** Properties of the current type: it does not exist; it is that of raw bytes; it is message or group.
    * `numberTooLarge`: the number has more than 29 bits.
    */
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
  /** Stores the result in the stack, at the place of the index. */
  val push = next("push")
  // ---- steps: returns to them; the current one is done; both
  val run = next("run")
  val accept = next("accept")
  val acceptAndRun = next("acceptAndRun")
  /** Only the value of the current step is still needed: the next field may come. */
  val release = next("release")
  // ---- the command
  val takeCommand = next("takeCommand")
  val fail = next("fail")
  val complete = next("complete")
  val setResult0 = next("setResult0")
  val setResult1 = next("setResult1")
  val setResult2 = next("setResult2")
  val setResult3 = next("setResult3")
  // ---- the window continues: with fields of a message that ends at the result; with fields of the current message;
  // with what ends at the result, which is packed elements, bytes for the copier (`copyText`), or bytes that are
  // skipped
  val readMessage = next("readMessage")
  val readFields = next("readFields")
  val readPacked = next("readPacked")
  val skipBytes = next("skipBytes")
  /** Drops input, items and values that were read ahead; the current step stays. Afterwards the window only feeds the
    * copier.
    */
  val pauseStream = next("pauseStream")
  /** Sets the window's offset to the result, where it waits. */
  val setPosition = next("setPosition")
  /** The same at the beginning: offset 0, and the result is the input's end. */
  val setPosition0 = next("setPosition0")
  /** Starts reading memory from the result up to the data. */
  val startStream = next("startStream")
  // ---- the cache: requests the header at the result, whose second half becomes the context of the open message, and
  // whose first half becomes the current granule; requests the granule at the result, of a table or of an object
  val askHeader = next("askHeader")
  val askTable = next("askTable")
  val askObject = next("askObject")
  /** Fetches the block of objects at the result, for which nobody waits. */
  val fetchAhead = next("fetchAhead")
  /** Invalidates what was cached of objects. */
  val forget = next("forget")
  // ---- the copier, which writes at the result: as many zeros, or bytes from memory, as the data says; the current
  // text, of managed objects or of C structs
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
  // ---- registers beside the program: they take the result
  val setElement = next("setElement")
  val setLimit = next("setLimit")
  val setCount = next("setCount")
  val setState = next("setState")
  val setMessage = next("setMessage")
  /** As `setMessage`, followed by `run`. */
  val resume = next("resume")
  /** Makes the current list, of the field or of unknown fields, the open one. */
  val setShape = next("setShape")
  /** As `setShape`, for a new list: without elements, on top. */
  val openList = next("openList")
  /** Adds one element. */
  val append = next("append")
  // ---- hasbits: a message begins, with as many words as the result says; requests the word of that index; waits for
  // it; waits for the word with the list's or field's bit; replaces the word by the result; sets the bit (`mark`)
  val hasbitsBegin = next("hasbitsBegin")
  /** A message begins, with as many words as the current header says. */
  val hasbitsOpen = next("hasbitsOpen")
  val hasbitsAt = next("hasbitsAt")
  val hasbitsHere = next("hasbitsHere")
  val hasbitsOfList = next("hasbitsOfList")
  val hasbitsPut = next("hasbitsPut")
  /** As `hasbitsPut`, for an only word; the scanner continues. */
  val hasbitsPutAndScan = next("hasbitsPutAndScan")
  val mark = next("mark")
  // ---- when messages are written: the output begins at the result and may extend down to the data; the cursor becomes
  // the result; what is gathered goes to memory (level)
  val startPacker = next("startPacker")
  val seek = next("seek")
  val settle = next("settle")
  /** What is gathered, and all that was written, goes to memory, until the command ends. */
  val finishOutput = next("finishOutput")
  /** Writes in front of what was put: the result, as a varint of 32 bits; the key of the current entry; the key that
    * ends its group; its key, after which the scanner continues.
    */
  val put = next("put")
  val putKey = next("putKey")
  val putEnd = next("putEnd")
  val putKeyAndScan = next("putKeyAndScan")
  /** Ordered entries begin, or end, at the result. `scan`: the scanner continues, and the program rests. `fetchEntry`:
    * the entry at the result becomes the current one; only while the scanner rests.
    */
  val setEntries = next("setEntries")
  val setEntriesEnd = next("setEntriesEnd")
  val scan = next("scan")
  val fetchEntry = next("fetchEntry")
  /** Writes the elements between `limit` and `element` in front of what was put: packed with the entry's type; each
    * with its key; as bytes.
    */
  val walkPacked = next("walkPacked")
  val walkKeyed = next("walkKeyed")
  val walkBytes = next("walkBytes")
  /** Writes as many bytes below `element` as the result says, at most 255. */
  val walkCounted = next("walkCounted")
  /** Moves `element` to the next zero byte. The scanner stops if there is none within the bounds. */
  val findEnd = next("findEnd")
  /** Writes the string to which the requested word refers, with its length and key. The scanner stops if it cannot. */
  val writeText = next("writeText")
  /** Selects the other one of the two requested words. */
  val turn = next("turn")
  /** Copies bytes of a string from memory to the result, as many as the data says. */
  val copyOut = next("copyOut")
  /** Sets an arena to the range from the result up to the data, or both arenas; sets that range for reading objects. */
  val setArena0 = next("setArena0")
  val setArena1 = next("setArena1")
  val setArenas = next("setArenas")
  val setObjects = next("setObjects")
  // ---- field instructions: the current one is done, and the program rests; the sequence ends, and the current
  // instruction begins anew; rd is the result, or the sequence's status
  val nextRequest = next("nextRequest")
  val closeSequence = next("closeSequence")
  val answer = next("answer")
  val answerStatus = next("answerStatus")
  /** Makes the current entry of the instruction, with the result as its number; the scanner writes its field; the
    * window skips to the result and reads the value there.
    */
  val makeEntry = next("makeEntry")
  val scanField = next("scanField")
  val readValue = next("readValue")
}
