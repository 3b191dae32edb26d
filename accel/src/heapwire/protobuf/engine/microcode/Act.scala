package heapwire.protobuf.engine.microcode

/** A further effect of a microinstruction. */
case class Act(name: String, index: Int)

object Act extends Numbered[Act](128) {
  private def next(name: String): Act = next(new Act(name, _))
  def declare(name: String): Act = next(name)
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
  /** The command has done its work: it completes when all is in memory, and the next one may begin meanwhile. */
  val handOver = next("handOver")
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
  /** Checks the current text, and writes nothing. */
  val checkText = next("checkText")
  val flush = next("flush")
  // ---- levels of messages and groups
  val enter = next("enter")
  val enterAndRelease = next("enterAndRelease")
  /** Requests the header at the result, too. */
  val enterAndAsk = next("enterAndAsk")
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
  /** Sets an arena to the range from the result up to the data; sets that range for reading objects; sets that range
    * for storing to slots. `takeWithArena1`, `takeWithArenas`: takes the command, too; `Arenas` are both of them.
    */
  val setArena0 = next("setArena0")
  val setArena1 = next("setArena1")
  val takeWithArena1 = next("takeWithArena1")
  val takeWithArenas = next("takeWithArenas")
  val setObjects = next("setObjects")
  val setSlots = next("setSlots")
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
