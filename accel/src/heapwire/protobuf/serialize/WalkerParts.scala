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
    val words = Vec(slave(Stream(CachedWord())), 2)
    val hints = Vec(master(Stream(UInt(32 bits))), 2)
    val kill = in Bool()
    /** Counts of C structs have four bytes. */
    val wide = out Bool()
    /** Waits for a table. */
    val waiting = out Bool()
  }
  object State extends SpinalEnum {
    val Rest, Enter, Load, Refuse, Open, Parts, Unknown, Settle, Scan, NullGroup, AskList, GetList, AskArray, GetArray, Texts, AskElement,
      GetElement, Dive, Leave, Return, Again = newElement()
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
  val knownFits = Reg(Bool())
  /** The command's objects are C structs, as the root's table says; and how large their counts are. */
  val native = RegInit(False)
  val wide = Reg(Bool())
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
  scanner.io.bounds := io.bounds
  scanner.io.hasbits := hasbits.readAsync(scanner.io.hasbitsIndex)
  scanner.io.restart := state === Enter || state === Return
  scanner.io.stop := state =/= Scan
  scanner.io.kill := io.kill
  scanner.io.found.ready := False
  io.requests(Client.Scanner) << scanner.io.request
  scanner.io.word << io.words(Client.Scanner)
  io.hints(Client.Scanner) << scanner.io.hint

  // ---- the walker's own reads ----------------------------------------------
  val request = io.requests(Client.Walker)
  val word = io.words(Client.Walker)
  request.valid := False
  request.address := child
  request.streaming := False
  word.ready := False
  /** The address that a word was asked for by, its low bits. */
  val askedLow = Reg(UInt(4 bits))
  protected def ask(address: UInt): Unit = {
    request.valid := True
    request.address := address
    when(request.ready) { askedLow := address(3 downto 0) }
  }
  protected def granule = askedLow(3) ? word.data(127 downto 64) | word.data(63 downto 0)
  protected def lane(at: UInt): Bits = word.data.subdivideIn(32 bits).read(at(3 downto 2))
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
    val blocks = Reg(UInt(4 bits)) init 0
    val nextInside = next >= io.bounds.bound && next < io.bounds.limit
    val start = state === Enter && io.bounds.hold(child, U(ObjectLayout.Header.Size, 32 bits))
    val stream = io.hints(Client.Walker)
    stream.valid := start || blocks =/= 0 || next =/= 0 && nextInside
    stream.payload := start ? child | ((blocks =/= 0) ? (block @@ U(0, blockShift bits)) | next)
    when(!start && (stream.ready || !stream.valid)) {
      when(blocks =/= 0) {
        block := block - 1
        blocks := (block === first) ? U(0, 4 bits) | (blocks - 1)
      } otherwise {
        next := nextEnd
        nextEnd := 0
      }
    }
    when(open && known.objectSize =/= 0) {
      nextEnd := (following === 0) ? U(0, 32 bits) | (following + known.objectSize - 1)
      following := 0
      block := (child + known.objectSize - 1) >> blockShift
      first := child >> blockShift
      blocks := most
    }
    when(io.kill) {
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
  op.origin := message.address
  io.op << op.m2sPipe(flush = io.kill)
  protected def fail(status: Bits, at: UInt): Unit = {
    op.valid := True
    op.kind := OpKind.Fail
    op.value := status.resized
    op.origin := at
    when(op.ready) { state := Rest }
  }
  protected def fail(status: Status, at: UInt): Unit = fail(B(status.code, Status.Width bits), at)
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
      request.address := message.address + offset(asked)
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

  /** A list of strings that is being walked: what to ask for ahead of what comes. */
  val texts = new Area {
    val checked, wanted = Reg(Bool())
    val toAsk, at = Reg(UInt(32 bits))
  }
  /** Goes on behind a field that was no scalar; hasbits are still there. */
  protected def continue(): Unit = state := Again

  val found = scanner.io.found
  val over = !entries.io.busy && scanner.io.idle
  io.waiting := loader.io.waiting
}
