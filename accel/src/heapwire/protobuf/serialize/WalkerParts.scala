package heapwire.protobuf.serialize

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import heapwire.protobuf.TableLoader
import spinal.core._
import spinal.lib._

/** What a [[Walker]] works with: the open message with the stack of those around
  * it, the readers of tables, slots and lists, and the operations it hands on.
  * Controls are low here; the walker raises them.
  */
abstract class WalkerParts(p: SerializerParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val start = in Bool()
    val root, table = in UInt(32 bits)
    val maxDepth = in UInt(p.levelWidth bits)
    val bounds = in(HeapBounds())
    val tableBase, tableLimit, unknownFields = in UInt(32 bits)
    val op = master(Stream(Op()))
    val tableRequest = master(Flow(UInt(32 bits)))
    val tableHit, tableFault = in Bool()
    val tableData = in Bits(128 bits)
    val requests = Vec(master(Stream(CachedRead(m))), 2)
    val words = Vec(slave(Stream(CachedWord(m))), 2)
    val hints = Vec(master(Stream(UInt(32 bits))), 2)
    val kill = in Bool()
    /** Objects are C structs, and their counts have four bytes; from the first operation on until the next `start`. */
    val native, wide = out Bool()
    /** Waits for a table. */
    val waiting = out Bool()
  }
  object State extends SpinalEnum(binaryOneHot) {
    val Rest, Enter, Load, Loaded, Refuse, Open, Parts, Unknown, Settle, Scan, NullGroup, AskList, GetList, AskArray, GetArray, Texts, AskElement,
      GetElement, Dive, Leave, Close, Again = newElement()
    val NativeList, NativeTable, NativeLoad, NativeProduct, NativeFirst, NativeTexts, NativeNext = newElement()
  }
  import State._
  val state = RegInit(Rest)

  /** The open message, the field of it whose messages are being written, the message in it that is about to be opened. */
  val message = Reg(WalkerFrame())
  val depth = Reg(UInt(p.levelWidth bits))
  val child = Reg(UInt(32 bits))
  /** The table that was loaded last. */
  val known = Reg(MessageTable())
  val isKnown = RegInit(False)
  /** A cycle behind `known`. */
  val knownFits = RegNext(!(io.tableLimit.resize(33) < known.entriesEnd))
  /** The command's objects are C structs, as the root's table says; and how large their counts are. */
  val native = RegInit(False)
  val wide = Reg(Bool())
  io.native := native
  io.wide := wide
  /** Why there is no table. */
  val refusal = Reg(Bits(Status.Width bits))
  protected val list = message.field.list

  val stack = WalkerStack(p)
  stack.io.level := depth
  stack.io.push := state === Dive
  stack.io.frame := message

  val loader = TableLoader(m)
  loader.io.start := False
  loader.io.take := state === Load || state === NativeLoad
  loader.io.kill := io.kill
  loader.io.address := message.field.table
  loader.io.base := io.tableBase
  loader.io.limit := io.tableLimit
  val entries = EntryReader()
  entries.io.start := False
  entries.io.end := message.entriesEnd
  entries.io.left := message.left
  entries.io.kill := io.kill || state === Dive || state === AskList || state === NativeList || state === NullGroup
  io.tableRequest << (loader.io.request.valid ? loader.io.request | entries.io.request)
  for ((hit, fault, data) <- Seq((loader.io.hit, loader.io.fault, loader.io.data), (entries.io.hit, entries.io.fault, entries.io.data))) {
    hit := io.tableHit
    fault := io.tableFault
    data := io.tableData
  }

  val hasbits = Mem(Bits(32 bits), 16)
  val scanner = FieldScanner(p, m)
  scanner.io.entry << entries.io.entry.haltWhen(state =/= Scan)
  scanner.io.message.address := message.address
  scanner.io.message.size := message.size
  scanner.io.message.hasbitsWords := message.hasbitsWords
  scanner.io.message.native := native
  scanner.io.message.wide := wide
  scanner.io.hasbits := hasbits.readAsync(scanner.io.hasbitsIndex)
  scanner.io.restart := state === Enter || state === Close
  scanner.io.stop := state =/= Scan
  scanner.io.kill := io.kill
  scanner.io.found.ready := False
  io.requests(Client.Scanner) << scanner.io.request
  scanner.io.word << io.words(Client.Scanner)
  io.hints(Client.Scanner) << scanner.io.hint

  // ---- the walker's own reads ----------------------------------------------
  val request = io.requests(Client.Walker)
  val word = io.words(Client.Walker)
  /** Where it reads: one of three places and what is added; the next element of a list, by default. */
  val place = new Area {
    val base = CombInit(list.element)
    val offset = SInt(17 bits)
    offset := -4
  }
  request.valid := False
  request.address := place.base + place.offset.resize(32).asUInt
  request.streaming := False
  word.ready := False
  /** The address that a word was asked for by, its low bits. */
  val askedLow = Reg(UInt(4 bits))
  when(request.fire) { askedLow := request.address(3 downto 0) }
  protected def ask(base: UInt, offset: Int): Unit = {
    request.valid := True
    place.base := base
    place.offset := offset
  }
  /** The range of memory whose use depends on where it lies: that of `child`, by default.
    * What is said of it is said a cycle later.
    */
  val check = new Area {
    val at = CombInit(child)
    val size = UInt(35 bits)
    size := known.objectSize.resized
    val end = RegNext(at +^ size)
    val below = RegNext(at < io.bounds.bound)
    val misaligned = RegNext(at(2 downto 0) =/= 0)
    val fits = !(io.bounds.limit < end)
    val inside = !below && fits
    val held = inside && !misaligned
    /** It is said of a list's range. */
    val ofList = False
    val done = RegNext(ofList) init False
  }
  /** What is added to `list.element` when it moves. */
  val move = new Area {
    val by = SInt(32 bits)
    by := -4
    val element = list.element + by.asUInt
  }
  protected def granule = word.eight(askedLow)
  protected def lane(at: UInt): Bits = word.four(at)
  /** What is brought nearer while other things are done: the start of the
    * message that is about to be opened, the rest of it from its end, and the
    * start of the one after it in a list.
    */
  val hint = new Area {
    private val blockShift = log2Up(m.blockBytes)
    private val most = 8
    val open = False
    val following, next, nextEnd = Reg(UInt(32 bits)) init 0
    val block, first = Reg(UInt(32 - blockShift bits))
    /** Nothing is known of the message after this one, but there is one: as those of a list often lie in a row, it is the block below. */
    val below = RegInit(False)
    val blocks = Reg(UInt(4 bits)) init 0
    /** The last byte of the message that is being opened; a cycle later that of the next one. */
    val justOpen = RegNext(open && known.objectSize =/= 0) init False
    val last = ((state === Open) ? child | following) + known.lastByte
    val start = state === Enter
    val stream = io.hints(Client.Walker)
    stream.valid := start || blocks =/= 0 || next =/= 0
    stream.payload := start ? child | ((blocks =/= 0) ? (block @@ U(0, blockShift bits)) | next)
    when(!start && (stream.ready || !stream.valid)) {
      when(blocks =/= 0) {
        val under = block - 1
        block := under
        blocks := blocks - 1
        when(block === first) {
          first := under
          below := False
          when(!below) { blocks := 0 }
        }
      } otherwise {
        next := nextEnd
        nextEnd := 0
      }
    }
    when(open && known.objectSize =/= 0) {
      block := last >> blockShift
      first := child >> blockShift
      blocks := most
    }
    when(justOpen) {
      nextEnd := last.andMask(following =/= 0)
      following := 0
    }
    when(io.kill) {
      below := False
      following := 0
      next := 0
      nextEnd := 0
      blocks := 0
    }
  }

  // ---- operations ----------------------------------------------------------
  val op = Stream(Op())
  op.valid := False
  op.payload := Op(OpKind.End)
  /** Whose address goes with an operation: the open message's, unless ... */
  val blame = new Area { val child, list = False }
  op.origin := blame.child ? child | (blame.list ? list.origin | message.address)
  io.op << op
  protected def fail(status: Bits): Unit = {
    op.valid := True
    op.kind := OpKind.Fail
    op.key(Status.Width - 1 downto 0) := status
    when(op.ready) { state := Rest }
  }
  protected def fail(status: Status): Unit = fail(B(status.code, Status.Width bits))
  protected def failChild(status: Bits): Unit = { blame.child := True; fail(status) }
  protected def failChild(status: Status): Unit = failChild(B(status.code, Status.Width bits))
  protected def failList(status: Bits): Unit = { blame.list := True; fail(status) }
  protected def failList(status: Status): Unit = failList(B(status.code, Status.Width bits))
  /** A word of a list was denied, or says what cannot be. Nobody takes it: `kill` does away with it. */
  protected def failWord(): Unit =
    failList(word.error ? B(Status.BusFault.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits))
  protected def pushKey(key: Bits): Unit = {
    op.valid := True
    op.kind := OpKind.Key
    op.key := key
  }
  protected def endKey(key: Bits): Bits = key(31 downto 3) ## B"100"

  /** What the message itself holds that its fields do not tell: class, unknown fields, hasbits. */
  val parts = new Area {
    val fresh = Reg(Bool())
    val asked, got = Reg(UInt(6 bits))
    val end = message.hasbitsWords +^ U(2, 6 bits)
    val wrongKlass, failed = Reg(Bool())
    val unknown = Reg(UInt(32 bits))
    protected def offset(i: UInt): UInt = i.mux(
      0 -> U(ObjectLayout.Header.Klass, 16 bits),
      1 -> known.unknownOffset,
      default -> (message.hasbitsOffset + ((i - 2) << 2)).resize(16))
    def begin(isFresh: Boolean): Unit = {
      fresh := Bool(isFresh)
      asked := (if (isFresh) 0 else 2)
      got := (if (isFresh) 0 else 2)
      wrongKlass := False
      failed := False
    }
    private val at = message.address + offset(got)
    private val part = lane(at)
    def run(): Unit = {
      request.valid := asked =/= end
      place.base := message.address
      place.offset := offset(asked).resize(17).asSInt
      when(request.fire) { asked := asked + 1 }
      word.ready := True
      when(word.valid) {
        got := got + 1
        failed setWhen word.error
        when(got === 0) { wrongKlass := part =/= known.klass }
        when(got === 1) { unknown := part.asUInt }
      }
    }
    hasbits.write((got - 2).resize(4), part, state === Parts && word.valid && got >= 2)
  }
  val unknownWrong = known.unknownOffset(1 downto 0) =/= 0 || (known.unknownOffset +^ 4) > known.objectSize.resize(17)

  /** A list of strings that is being walked. */
  val texts = new Area {
    val checked, wanted = Reg(Bool())
    /** References asked for that have not come. */
    val ahead = Reg(UInt(log2Up(2 * p.fieldsAhead) + 1 bits))
    val more = list.left(31 downto widthOf(ahead)) =/= 0 || list.left(widthOf(ahead) - 1 downto 0) =/= ahead
  }
  /** Goes on behind a field that was no scalar; hasbits are still there. */
  protected def continue(): Unit = state := Again

  val found = scanner.io.found
  val over = !entries.io.busy && scanner.io.idle
  io.waiting := loader.io.waiting
}
