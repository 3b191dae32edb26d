package heapwire.protobuf.serialize

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import heapwire.protobuf.TableLoader
import spinal.core._
import spinal.lib._

/** Walks a message and those in it, last field first, and says what is to be
  * written. It never waits for strings, arrays or the output, only for message
  * objects, their tables, and lists of references.
  *
  * Ends with one End or Fail; then it rests until `kill`.
  */
case class Walker(p: SerializerParameter, m: MemoryParameter) extends Component {
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
    /** Waits for a table. */
    val waiting = out Bool()
  }
  object State extends SpinalEnum {
    val Rest, Enter, Load, Refuse, Open, Parts, Unknown, Settle, Scan, NullGroup, AskList, GetList, AskArray, GetArray, Texts, AskElement,
      GetElement, Dive, Leave, Return, Again = newElement()
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
  /** Why there is no table. */
  val refusal = Reg(Bits(Status.Width bits))
  private val list = message.field.list

  val stack = WalkerStack(p)
  stack.io.level := depth
  stack.io.push := state === Dive
  stack.io.frame := message

  val loader = TableLoader(m)
  loader.io.start := False
  loader.io.take := state === Load
  loader.io.kill := io.kill
  loader.io.address := message.field.table
  loader.io.base := io.tableBase
  loader.io.limit := io.tableLimit
  val entries = EntryReader()
  entries.io.start := False
  entries.io.end := message.entriesEnd
  entries.io.left := message.left
  entries.io.kill := io.kill || state === Dive || state === AskList || state === NullGroup
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
  private def ask(address: UInt): Unit = {
    request.valid := True
    request.address := address
    when(request.ready) { askedLow := address(3 downto 0) }
  }
  private def granule = askedLow(3) ? word.data(127 downto 64) | word.data(63 downto 0)
  private def lane(at: UInt): Bits = word.data.subdivideIn(32 bits).read(at(3 downto 2))
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
    when(open) {
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
  private def fail(status: Bits, at: UInt): Unit = {
    op.valid := True
    op.kind := OpKind.Fail
    op.value := status.resized
    op.origin := at
    when(op.ready) { state := Rest }
  }
  private def fail(status: Status, at: UInt): Unit = fail(B(status.code, Status.Width bits), at)
  private def pushKey(key: Bits): Unit = {
    op.valid := True
    op.kind := OpKind.Key
    op.key := key
  }
  private def endKey(key: Bits): Bits = key(31 downto 3) ## B"100"

  /** What the message itself holds that its fields do not tell: class, unknown fields, hasbits. */
  val parts = new Area {
    val fresh = Reg(Bool())
    val asked, got = Reg(UInt(6 bits))
    val end = message.hasbitsWords +^ U(2, 6 bits)
    val wrongKlass, failed = Reg(Bool())
    val unknown = Reg(UInt(32 bits))
    private def offset(i: UInt): UInt = i.mux(
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
  private def continue(): Unit = state := Again

  val found = scanner.io.found
  val over = !entries.io.busy && scanner.io.idle
  io.waiting := loader.io.waiting

  switch(state) {
    is(Rest) {
      depth := 0
      child := io.root
      message.field.table := io.table
      list.left := 0
      isKnown := False
      when(io.start) { state := Enter }
    }
    // ---- opening a message -------------------------------------------------
    is(Enter) {
      when(depth > io.maxDepth) {
        fail(Status.DepthExceeded, child)
      } elsewhen (!io.bounds.hold(child, U(ObjectLayout.Header.Size, 32 bits))) {
        fail(Status.BadObject, child)
      } elsewhen (isKnown && known.address === message.field.table) {
        state := Open
      } otherwise {
        loader.io.start := True
        state := Load
      }
    }
    is(Load) {
      isKnown := False
      when(loader.io.ready) {
        val table = MessageTable(loader.io.header.bits, message.field.table)
        known := table
        knownFits := table.entriesEnd <= io.tableLimit.resize(33)
        isKnown := True
        state := Open
      }
      when(loader.io.failed) {
        refusal := loader.io.status
        state := Refuse
      }
    }
    is(Refuse) { fail(refusal, child) }
    is(Open) {
      message.address := child
      message.table := known.address
      message.entriesEnd := known.entriesEnd.resized
      message.size := known.objectSize
      message.hasbitsOffset := known.hasbitsOffset
      message.hasbitsWords := known.hasbitsWords
      message.left := known.fieldCount
      when(!knownFits || unknownWrong) {
        fail(Status.BadDescriptor, child)
      } elsewhen (!io.bounds.hold(child, known.objectSize.resize(32))) {
        fail(Status.BadObject, child)
      } otherwise {
        op.valid := depth =/= 0
        op.kind := message.field.isGroup ? OpKind.Key | OpKind.Mark
        op.key := endKey(message.field.key)
        when(op.ready || depth === 0) {
          hint.open := True
          parts.begin(isFresh = true)
          entries.io.start := True
          entries.io.end := known.entriesEnd.resized
          entries.io.left := known.fieldCount
          state := Parts
        }
      }
    }
    is(Parts) {
      parts.run()
      when(parts.got === parts.end) {
        when(parts.failed) {
          fail(Status.BusFault, message.address)
        } elsewhen (parts.wrongKlass) {
          fail(Status.BadObject, message.address)
        } otherwise {
          val some = known.unknownOffset =/= 0 && parts.unknown =/= 0 && parts.unknown =/= io.unknownFields
          state := (parts.fresh && some) ? Unknown | Settle
        }
      }
    }
    is(Unknown) {
      op.valid := True
      op.kind := OpKind.Raw
      op.value := parts.unknown.asBits.resized
      op.encoding.log2Size := 0
      when(op.ready) { state := Settle }
    }
    is(Settle) {
      when(scanner.io.idle) { state := Scan }
    }
    // ---- fields ------------------------------------------------------------
    is(Scan) {
      val field = found.field
      val reference = found.value(31 downto 0)
      val nested = field.isMessage || field.isGroup
      val isNull = reference === 0
      op.key := field.key
      op.value := field.encoding.wire(found.value)
      op.encoding := field.encoding
      op.packed := field.packed
      op.checked := field.checked
      op.optional := field.unlessZero
      op.kind := OpKind.Scalar
      when(field.isReference) {
        op.value := reference.resized
        when(field.repeated) {
          op.kind := OpKind.Array
        } elsewhen (field.isString) {
          op.encoding.log2Size := 0
          op.kind := OpKind.Text
        }
        when(isNull) {
          op.kind := OpKind.Scalar
          op.encoding.fixed := False
          when(field.isGroup) {
            op.kind := OpKind.Key
            op.key := endKey(field.key)
          }
        }
      }
      val walks = field.repeated && (nested || field.isString) || nested && !isNull
      op.valid := found.valid && !walks
      found.ready := op.ready || walks
      when(found.valid) {
        when(found.status =/= Status.Ok.code) {
          found.ready := op.ready
          fail(found.status, message.address)
        } otherwise {
          message.left := field.left
          message.field.key := field.key
          message.field.isGroup := field.isGroup
          message.field.table := message.table + field.subTable
          list.left := 0
          texts.checked := field.checked
          texts.wanted := field.isString
          when(walks) {
            child := reference.asUInt
            list.origin := reference.asUInt
            state := field.repeated ? AskList | Dive
          } elsewhen (op.ready && field.isGroup) {
            state := NullGroup
          }
        }
      } elsewhen (over) {
        state := Leave
      }
    }
    is(NullGroup) {
      pushKey(message.field.key)
      when(op.ready) { continue() }
    }
    // ---- lists of references -----------------------------------------------
    is(AskList) {
      when(!io.bounds.hold(list.origin, U(ObjectLayout.ArrayList.Size, 32 bits))) {
        fail(Status.BadObject, list.origin)
      } otherwise {
        ask(list.origin + ObjectLayout.ArrayList.Count)
        when(request.ready) { state := GetList }
      }
    }
    is(GetList) {
      word.ready := True
      list.left := granule(31 downto 0).asUInt
      list.element := granule(63 downto 32).asUInt
      when(word.valid) {
        when(word.error) {
          word.ready := op.ready
          fail(Status.BusFault, list.origin)
        } elsewhen (granule(31 downto 0) === 0) {
          continue()
        } otherwise {
          state := AskArray
        }
      }
    }
    is(AskArray) {
      when(!io.bounds.hold(list.element, U(ObjectLayout.Array.Elements, 32 bits))) {
        fail(Status.BadObject, list.origin)
      } otherwise {
        ask(list.element + ObjectLayout.Array.Length)
        when(request.ready) { state := GetArray }
      }
    }
    is(GetArray) {
      val length = granule(31 downto 0).asUInt
      val end = list.element.resize(36) + ObjectLayout.Array.Elements + (length << 2).resize(36)
      when(word.valid) {
        when(word.error || end > io.bounds.limit.resize(36) || list.left > length) {
          word.ready := op.ready
          fail(word.error ? B(Status.BusFault.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits), list.origin)
        } otherwise {
          word.ready := True
          list.element := (list.element + ObjectLayout.Array.Elements - 4 + (list.left << 2)).resize(32)
          texts.toAsk := list.left
          texts.at := (list.element + ObjectLayout.Array.Elements - 4 + (list.left << 2)).resize(32)
          state := texts.wanted ? Texts | AskElement
        }
      }
    }
    is(Texts) {
      request.valid := texts.toAsk =/= 0
      request.address := texts.at
      when(request.fire) {
        texts.toAsk := texts.toAsk - 1
        texts.at := texts.at - 4
      }
      val reference = lane(list.element)
      op.key := message.field.key
      op.value := reference.resized
      op.encoding.log2Size := 0
      op.encoding.fixed := False
      op.checked := texts.checked
      op.optional := False
      op.kind := OpKind.Text
      op.valid := word.valid
      word.ready := op.ready
      when(word.valid && (word.error || reference === 0)) {
        fail(word.error ? B(Status.BusFault.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits), list.origin)
      } elsewhen (word.valid && op.ready) {
        list.element := list.element - 4
        list.left := list.left - 1
        when(list.left === 1) { continue() }
      }
    }
    is(AskElement) {
      ask(list.element)
      when(request.ready) { state := GetElement }
    }
    is(GetElement) {
      word.ready := True
      child := lane(list.element).asUInt
      val following = (list.left =/= 1 && list.element(3 downto 2) =/= 0) ? lane(list.element - 4).asUInt | U(0, 32 bits)
      hint.next := following
      hint.following := following
      when(word.valid) {
        when(word.error || lane(list.element) === 0) {
          word.ready := op.ready
          fail(word.error ? B(Status.BusFault.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits), list.origin)
        } otherwise {
          list.element := list.element - 4
          list.left := list.left - 1
          state := Dive
        }
      }
    }
    // ---- in and out --------------------------------------------------------
    is(Dive) {
      depth := depth + 1
      list.left := 0
      state := Enter
    }
    is(Leave) {
      op.valid := True
      when(depth === 0) {
        op.kind := OpKind.End
        when(op.ready) { state := Rest }
      } otherwise {
        val outer = stack.io.top
        op.kind := outer.field.isGroup ? OpKind.Key | OpKind.Close
        op.key := outer.field.key
        when(op.ready) {
          message := outer
          depth := depth - 1
          state := Return
        }
      }
    }
    is(Return) {
      when(list.left =/= 0) {
        state := AskElement
      } elsewhen (message.left === 0) {
        state := Leave
      } otherwise {
        entries.io.start := True
        parts.begin(isFresh = false)
        state := Parts
      }
    }
    is(Again) {
      entries.io.start := message.left =/= 0
      state := (message.left === 0) ? Leave | Settle
    }
  }
  when(io.kill) {
    state := Rest
  }
}
