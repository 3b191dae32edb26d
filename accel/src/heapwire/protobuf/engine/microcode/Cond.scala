package heapwire.protobuf.engine.microcode

/** A condition on which a microinstruction may branch. */
case class Cond(name: String, index: Int)

object Cond extends Numbered[Cond](128) {
  private def next(name: String): Cond = next(new Cond(name, _))
  def declare(name: String): Cond = next(name)
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
  /** Its entry says where its enum's values are. */
  val enumAtHand = next("enumAtHand")
  val isGroup = next("isGroup")
  val checkEnum = next("checkEnum")
  val isElement = next("isElement")
  /** A scalar, known or not: the window has run ahead. */
  val isScalar = next("isScalar")
  val noLength = next("noLength")
  val longLength = next("longLength")
  /** The packed field's elements are in its object's array as they are on the wire, and there is at least one. */
  val fixedRun = next("fixedRun")
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
  /** The field's message begins in the most common way: it is no group. `plainMessage`: its field is not in a oneof,
    * and the open message has no open list. `plainElement`: one more level is allowed, and the field's list is open, has
    * room and is on top.
    */
  val plainElement = next("plainElement")
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
  /** The open message, or the one whose header came last, is a C struct of nanopb: model 1. */
  val native = next("native")
  val wideCount = next("wideCount")
  val mapEntry = next("mapEntry")
  /** The type is one of managed objects; of model 2. */
  val managed = next("managed")
  val model2 = next("model2")
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
  /** The type does not keep unknown fields. */
  val noUnknownList = next("noUnknownList")
  // ---- the command
  val badOperation = next("badOperation")
  val commandTaken = next("commandTaken")
  /** What strings that stay in the input become are views of a byte array of the heap. */
  val viewsOwned = next("viewsOwned")
  val odd8 = next("odd8")
  val odd16 = next("odd16")
  val faultAtInput = next("faultAtInput")
  val faultAtUnknown = next("faultAtUnknown")
  // ---- when messages are written
  /** `counted`: the cursor includes all that was put. `packed`: the packer has nothing left for memory, after `settle`.
    */
  val counted = next("counted")
  val packed = next("packed")
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
  /** Those that only the program of the field instructions tests. */
  val ofFields: Seq[Cond] =
    Seq(begun, answerDue, stepReady, stepFails, illegal, isRaw, nests, numberTooLarge)
}
