package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.memory._
import heapwire.protobuf.{ObjectWrite, TableHeader, TypeFacts, Utf8Validator}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The protobuf engine (docs/units/protobuf.md). One command at a time.
  *
  * {{{
  *  input -> InputStream -> Window -+-> keys -> FieldLookup -+-> FieldStep -> a write, or the microprogram -> WriteBuffer -> objects
  *                                  +-> values --------------+                     |
  *                                  +-> bytes -> Copier -> writes                  +-- GranuleCache <- tables, objects
  * }}}
  */
case class Engine(p: EngineParameter, m: MemoryParameter) extends Component {
  val stream = InputStream(m, p.inputSlots)
  val cache = GranuleCache(m, p.cacheBytes)
  val writes = WriteBuffer(m, p.writeBlocks)
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val input = master(Bus(stream.node))
    val table = master(Bus(cache.node))
    val objects = master(Bus(writes.node))
  }
  io.input << stream.io.bus
  io.table << cache.io.bus
  io.objects << writes.io.bus

  private val assembler = Program.assemble(p.writes)
  val sequencer = EngineSequencer(assembler.words(Micro.Target))
  private def address(label: String): UInt = U(assembler.address(label), sequencer.addressWidth bits)
  val writer = p.writes generate WriterPath()
  /** What the writer says, if there is one. */
  private def written[T <: Data](of: WriterPath => T, otherwise: => T): T = if (p.writes) of(writer) else otherwise

  // ---- the command -----------------------------------------------------------------------
  val command = new Area {
    val idle = RegInit(True)
    /** It was taken from the port. */
    val taken = RegInit(False)
    val tag = Reg(UInt(p.tagWidth bits))
    val begins = io.port.command.valid && idle
    val depthLimit = Reg(UInt(p.levelWidth bits))
    /** It writes a message. */
    private val toWrite = if (p.writes) io.port.command.operation === Operation.ProtobufSerialize.code else False
    val writing = RegNextWhen(toWrite, begins) init False
    val entrance = if (p.writes) toWrite ? address(WriteProgram.Begin) | address("begin") else address("begin")
    private def depthOf(operation: Operation) = io.port.command.arguments(operation.arguments.indexOf("max_depth")).asUInt
    private val asked = toWrite ? depthOf(Operation.ProtobufSerialize) | depthOf(Operation.ProtobufDeserialize)
    when(begins) {
      idle := False
      taken := False
      tag := io.port.command.tag
      depthLimit := (asked === 0 || asked > p.maxDepth) ? U(p.maxDepth, p.levelWidth bits) | asked.resize(p.levelWidth)
    }
    val status = Reg(Bits(Status.Width bits))
    val results = Vec.fill(Instruction.ResultWords)(Reg(Bits(32 bits)))
    val faultAtUnknown, faultAtInput, faultAtText = Reg(Bool())
    val killing = RegInit(False)
    val arenas = Vec.fill(2)(Reg(Bounds(m)))
    /** Where objects may be read. */
    val objects = Reg(Bounds(m))
  }
  val runtime = new Area {
    val write = io.port.registers
    private def copy(register: RuntimeRegister.Register) =
      RegNextWhen(write.value, write.valid && write.index === register.index) init 0
    val tableBase = copy(RuntimeRegister.TableBase).asUInt
    val tableLimit = copy(RuntimeRegister.TableLimit).asUInt
    val mark = copy(RuntimeRegister.MarkPrototype)
    val words = Mem(Bits(32 bits), RuntimeRegister.Count).addAttribute("ram_style", "distributed")
    words.write(write.index, write.value, write.valid)
  }

  // ---- the microprogram ---------------------------------------------------------------------
  private def field(f: heapwire.sequencer.MicroField): Bits = sequencer.io.instruction(f.low, f.width bits)
  val stall = Bool()
  sequencer.io.stall := stall
  val active = sequencer.io.valid
  val go = active && !stall
  private val acts = UIntToOh(field(Micro.Action).asUInt, Act.all.size)
  private def wants(act: Act): Bool = active && acts(act.index)
  private def does(act: Act): Bool = go && acts(act.index)

  // ---- the field at hand ----------------------------------------------------------------------
  val window = Window(wide = m.dataWidth > 32)
  val lookup = FieldLookup()
  /** Fields are carried out as they come; else the microprogram has the word. */
  val stepping = RegInit(False)
  val context = new Area {
    val lookup = Reg(LookupContext())
    val native, wide, mapEntry = Reg(Bool())
    val alignLog2 = Reg(UInt(2 bits))
    val requiredMask = Reg(Bits(32 bits))
    val unknownBit = Reg(UInt(9 bits))
    val enumLists = Reg(UInt(16 bits))
    /** For the writer. */
    val fieldCount = p.writes generate Reg(UInt(16 bits))
    val cleared = Reg(UInt(5 bits))
    val tooStrict = Reg(Bool())
    val ready = RegInit(False)
  }
  val depth, groups = Reg(UInt(p.levelWidth bits))
  val skipping = groups =/= 0
  /** Everything that was read ahead is dropped. */
  val dropAhead = command.killing || does(Act.pauseStream) || command.begins

  val item = window.io.item
  private val isKey = item.kind === ItemKind.Key
  lookup.io.key.valid := item.valid && isKey
  lookup.io.key.payload := item.payload
  // A value every other cycle: so nothing that happens to a step reaches the window in the same cycle.
  val raw = item.throwWhen(isKey).map(RawValue(_)).halfPipe(flush = dropAhead)
  // Both ways are ready apart from each other; the item goes one of them.
  item.ready.removeAssignments() := isKey ? lookup.io.key.ready | !raw.valid

  val at = new Area {
    val field = Reg(FoundField())
    /** There is a field; it has not become a step yet; its packed elements come. */
    val valid, fresh, packed = RegInit(False)
    val step = Reg(FieldStep())
    val stepValid = RegInit(False)
    val stepTaken = Bool()

    val alone = valid && fresh && !packed && field.alone
    val load = (!stepValid || stepTaken) && (alone || raw.valid && (raw.kind === ItemKind.End || valid && Mux(raw.element, packed, fresh)))
    raw.ready := load && !alone
    private val left = RegNext(window.io.left)
    val next = FieldStep(field, raw.payload, alone, skipping, context.native, context.wide, window.io.position, left)
    when(load && !command.killing) {
      step := next
      when(!(raw.kind === ItemKind.End && !alone)) { fresh := False }
    }
    stepValid := (stepValid && !stepTaken || load) && !command.killing && !command.begins
    lookup.io.found.ready := !valid || packed && !(raw.valid && raw.element) && !stepValid
    if (p.writes) when(writer.io.load) { field.entry.bits := cache.io.data }
    when(lookup.io.found.fire) {
      field := lookup.io.found.payload
      valid := True
      fresh := True
      packed := False
    }
    when(stepTaken && !packed && step.action =/= Action.End) { valid := False }
    when(command.killing || command.begins) {
      valid := False
      packed := False
    }
    when(command.begins) { step.position := 0 }
  }
  import at.step
  val entry = at.field.entry
  private val facts = TypeFacts(entry.fieldType)
  private val native = context.native
  /** Bytes of a scalar, or of an element, when messages are written. */
  private val slotLog2 = native ? entry.sizeLog2 | facts.log2Size

  lookup.io.context := context.lookup
  lookup.io.ready := context.ready
  lookup.io.bypass := skipping
  lookup.io.kill := dropAhead
  window.io.kill := command.killing || command.begins
  window.io.pause := does(Act.pauseStream)

  // ---- registers and operands --------------------------------------------------------------------
  val registers = Mem(UInt(32 bits), 32).addAttribute("ram_style", "distributed")
  val result = UInt(32 bits)
  registers.write(field(Micro.Dest).asUInt, result, go && field(Micro.Keep).lsb)
  val a = registers.readAsync(field(Micro.A).asUInt)
  val b = registers.readAsync(field(Micro.B).asUInt)
  private val index = field(Micro.Index).asUInt

  val message, element, limit, count = Reg(UInt(32 bits))
  /** The next element; where what is read or written of an object lies. */
  val movedElement, slotAddress = UInt(32 bits)
  val flags = Vec(Flag.all.map(_ => RegInit(False)))
  private def is(flag: Flag): Bool = flags(flag.index)
  case class ListShape() extends Bundle {
    val bit = UInt(9 bits)
    val kind = UInt(3 bits)
    val log2Size = UInt(2 bits)
  }
  val shape = Reg(ListShape())
  val target = ListShape()
  private val keeping = is(Flag.keeping)
  target.bit := keeping ? context.unknownBit | entry.hasbit(8 downto 0)
  target.kind := keeping ? U(TypeFacts.UnknownFields, 3 bits) | facts.list
  target.log2Size := keeping ? U(0, 2 bits) | step.log2Size
  val sameList = is(Flag.listOpen) && shape.bit === target.bit
  val listFull = element === limit

  val stack = new Area {
    val words = BlockRam(Mem(UInt(32 bits), 1 << (p.levelWidth + 4)))
    private val place = (depth @@ index.resize(4)).resize(p.levelWidth + 4)
    words.write(place, a, does(Act.push))
    val word = RegNextWhen(words.readSync(place, go), go)
  }

  // ---- the cache ----------------------------------------------------------------------------------------
  val ask = new Area {
    val pending = RegInit(False)
    val address = Reg(UInt(32 bits))
    val isObject = Reg(Bool())
    val age = Reg(UInt(2 bits)) init 0
    val granule = Reg(Bits(128 bits))
    /** A header: its second half is wanted, too, which is asked for a cycle later; its first half is still to come. */
    val isHeader = Reg(Bool())
    val rest = RegInit(False)
    val upper = isHeader && age === 1
    val request = pending && (age === 0 || upper)
    val second = RegNext(address + DescriptorLayout.EntrySize)
    when(pending) { age := age + 1 }
    when(age === 2) {
      when(!isHeader) { age := 0 }
      when(cache.io.hit) {
        granule := cache.io.data
        rest := False
        when(!isHeader) { pending := False }
      }
    }
    /** Which bytes of the granule are zero. */
    val zeros = p.writes generate RegNextWhen(Cat(cache.io.data.subdivideIn(8 bits).map(_ === 0)), age === 2 && cache.io.hit)
    val captures = pending && age === 3 && cache.io.hit
    when(captures) { pending := rest }
    private val asks = does(Act.askTable) || does(Act.askObject) || does(Act.askHeader)
    when(asks) {
      pending := True
      age := 0
      address := result
      isObject := does(Act.askObject)
      isHeader := does(Act.askHeader)
      rest := does(Act.askHeader)
    }
    if (p.writes) {
      when(does(Act.turn)) { address(2) := !address(2) }
      when(writer.io.move) { address(3 downto 0) := movedElement(3 downto 0) }
      when(writer.io.scan.stop.valid) { pending := False }
      when(writer.io.ask) {
        pending := True
        age := 0
        address := writer.io.atElement ? movedElement | slotAddress
        isObject := True
        isHeader := False
        rest := False
      }
    }
    val busy = pending && isHeader
    when(command.killing) { pending := False }
    val header = TableHeader()
    header.bits := cache.io.data ## granule
    val words = granule.subdivideIn(32 bits)
  }
  val entryRequest = written(_.io.request.valid, False)
  /** A string that the scanner followed is not where it should be: the program finds out. */
  val outsideText = if (p.writes) command.writing && cache.io.fault && cache.io.outside && writer.io.scan.stop.valid && ask.pending else False
  cache.io.request.valid := ask.request || lookup.io.request.valid || entryRequest
  cache.io.request.address := ask.request ? (ask.upper ? ask.second | ask.address) | lookup.io.request.payload
  if (p.writes) when(!ask.request && command.writing) { cache.io.request.address := writer.io.request.payload }
  cache.io.request.isObject := ask.request && ask.isObject
  // What the program waits for is not to lose its line to the lookup, which asks again and again while its step is at work.
  lookup.io.blocked := ask.pending
  lookup.io.hit := cache.io.hit
  lookup.io.data := cache.io.data
  lookup.io.fault := cache.io.fault
  // What lies behind a table's header, and of an object that is to be written behind its first block.
  private val opens = command.writing && does(Act.setMessage)
  cache.io.prefetch.valid := does(Act.askHeader) || opens
  cache.io.prefetch.address := result + m.blockBytes
  cache.io.prefetch.isObject := opens
  cache.io.down := command.writing && !written(_.io.upwards, False)
  cache.io.tables.base := runtime.tableBase
  cache.io.tables.limit := runtime.tableLimit
  cache.io.objects := command.objects
  cache.io.invalidate := io.port.registers.valid
  cache.io.forget := does(Act.forget) || command.begins
  cache.io.clear := command.begins || outsideText
  when(ask.captures) {
    context.lookup.slotsLog2 := ask.header.slotsLog2
    context.lookup.shift := ask.header.shift
    context.lookup.maxProbe := ask.header.maxProbe
    context.native := ask.header.native
    context.wide := ask.header.wideCount
    context.mapEntry := ask.header.mapEntry
    context.alignLog2 := ask.header.alignLog2
    context.cleared := ask.header.cleared
    context.unknownBit := ask.header.unknownHasbit.resized
    context.requiredMask := Cat((0 until 32).map(i => ask.header.requiredCount.resize(6) > i))
    context.tooStrict := ask.header.requiredCount > DescriptorLayout.MaxRequired
    context.enumLists := ask.header.enumLists
    if (p.writes) context.fieldCount := ask.header.fieldCount
    context.ready := True
  }
  when(does(Act.askHeader)) { context.lookup.address := result }
  when(does(Act.askHeader) || command.begins) { context.ready := False }

  // ---- hasbits ----------------------------------------------------------------------------------------------
  val hasbits = EngineHasbits(p.levelWidth)
  private val ofList = wants(Act.hasbitsOfList) || wants(Act.mark)
  private val singular = !entry.repeated && (step.action === Action.Scalar || step.action === Action.Str || step.action === Action.Message)
  private val stepHere = stepping && at.stepValid
  // Unknown groups have no hasbits: a message that ends in one still has its own.
  hasbits.io.level := depth - groups
  hasbits.io.begin.valid := does(Act.hasbitsBegin)
  // A table that says more than 16 words ends the command, at the latest in the next instruction.
  hasbits.io.begin.payload := result.resize(5)
  hasbits.io.want.valid := ofList || wants(Act.hasbitsHere) || stepHere && singular || written(_.io.wantBit, False)
  private val hasbitsIndex = RegNextWhen(result.resize(4), does(Act.hasbitsAt))
  hasbits.io.want.payload := wants(Act.hasbitsHere) ? hasbitsIndex | target.bit(8 downto 5)
  hasbits.io.put.valid := does(Act.hasbitsPut)
  hasbits.io.put.payload := result.asBits
  hasbits.io.setWords.valid := does(Act.setState)
  hasbits.io.setWords.payload := result(Flag.OfMessage + widthOf(ListShape()), 5 bits)
  hasbits.io.release := does(Act.enter) || does(Act.leave)

  // ---- fields that take a write or two ---------------------------------------------------------------------------
  val own, held = Stream(EngineWrite())
  val quick = new Area {
    val presenceDue = step.presence && !is(Flag.presenceDone)
    val noUnknownList = is(Flag.noUnknownList) || native
    val ignored = step.action === Action.Ignore && (noUnknownList)
    val skipped = step.action === Action.SkipBytes && (noUnknownList && !skipping)
    private val tooMany = native && count(15 downto 0).andR && !context.wide
    private val known = !step.checkEnum || is(Flag.judged) && is(Flag.declared)
    val scalar = step.action === Action.Scalar && known && (entry.repeated ? (sameList && !listFull && !tooMany) | !(native && entry.pointer))
    val ready = entry.repeated || hasbits.io.ready
    val stores = stepHere && scalar && ready
    val stored = stores && !presenceDue && own.ready
    val passed = stepHere && (ignored || skipped)
    val slow = stepHere && !scalar && !ignored && !skipped
    when(stores && presenceDue && own.ready) { flags(Flag.presenceDone.index) := True }
  }
  import quick.presenceDue
  hasbits.io.mark.valid := does(Act.mark) || quick.stored && !entry.repeated
  hasbits.io.mark.payload := target.bit(4 downto 0)
  at.stepTaken := quick.stored || quick.passed || does(Act.accept) || does(Act.acceptAndRun)
  when(at.stepTaken) {
    for (flag <- Seq(Flag.judged, Flag.declared, Flag.presenceDone)) flags(flag.index) := False
  }
  val trap = Bool()
  /** What was put does not fit: said once. */
  val outputFull = if (p.writes) {
    val said = RegInit(True) setWhen writer.io.full clearWhen does(Act.startPacker)
    writer.io.full && !said && command.writing && !command.idle && !command.killing
  } else False
  sequencer.io.jump.valid := command.begins || quick.slow || trap || written(w => w.io.scan.stop.valid || outputFull, False)
  sequencer.io.jump.payload := Vec(for (kind <- Seq("managed", "native"); position <- 0 until CommandProgram.Actions)
    yield address(CommandProgram.handler(kind, position)))(native.asUInt @@ step.action.asBits.asUInt.resize(log2Up(CommandProgram.Actions)))
  if (p.writes) {
    when(command.writing) {
      sequencer.io.jump.payload := Vec(ScanStop.elements.map(stop => address(WriteProgram.handler(stop))))(writer.io.scan.stop.payload.asBits.asUInt)
      when(outputFull) { sequencer.io.jump.payload := address(WriteProgram.Full) }
    }
  }
  when(trap) { sequencer.io.jump.payload := (if (p.writes) command.writing ? address(WriteProgram.Drain) | address("drain") else address("drain")) }
  when(command.begins) { sequencer.io.jump.payload := command.entrance }
  private val rests = if (p.writes) does(Act.scan) || does(Act.putKeyAndScan) else False
  private val runs = does(Act.run) || does(Act.acceptAndRun)
  sequencer.io.halt := runs || rests || does(Act.complete) && io.port.completion.ready
  when(runs) { stepping := True }
  when(quick.slow || trap || command.begins) { stepping := False }

  // ---- outside words ------------------------------------------------------------------------------------------------
  private def wide(value: UInt): Bits = value.resize(32).asBits
  private val isCached = field(Micro.X).asUInt === Outside.asked.code
  val elementBytes = UInt(16 bits)
  elementBytes := (U(1, 4 bits) |<< step.log2Size).resize(16)
  when(facts.isString) { elementBytes := (entry.pointer && !entry.fixedLength) ? U(4, 16 bits) | entry.elementSize }
  when(facts.isMessage) { elementBytes := entry.maxCount }
  private val toList = field(Micro.X).asUInt === Outside.listKlass.code
  private val toArray = field(Micro.X).asUInt === Outside.arrayKlass.code
  private val runtimeIndex = (toList || toArray) ? (U(TypeFacts.FirstList, 5 bits) + shape.kind + (toArray ? U(RuntimeRegister.ListToArray, 5 bits) | U(0, 5 bits))) | index
  private val runtimeWord = runtime.words.readAsync(runtimeIndex)
  private val cachedWord = ask.words.read((isCached || written(_.io.scan.busy, False)) ? ask.address(3 downto 2) | index.resize(2))
  val outsideWords: Map[Outside, Bits] = Map(
    Outside.argument -> io.port.command.arguments.read(index.resize(3)), Outside.runtime -> runtimeWord, Outside.cached -> cachedWord,
    Outside.asked -> cachedWord, Outside.stacked -> stack.word.asBits, Outside.value -> step.value(31 downto 0), 
    Outside.entry1 -> entry.bits(63 downto 32), Outside.entry2 -> entry.bits(95 downto 64), Outside.entry3 -> entry.bits(127 downto 96),
    Outside.number -> wide(at.field.number), Outside.position -> step.position.asBits, Outside.runEnd -> step.runEnd.asBits,
    Outside.element -> element.asBits, Outside.limit -> limit.asBits, Outside.count -> count.asBits,
    Outside.state -> (hasbits.io.words.asBits ## shape.asBits ## flags.asBits(Flag.OfMessage - 1 downto 0)).resize(32), Outside.hasbits -> hasbits.io.word,
    Outside.windowAt -> window.io.position.asBits, Outside.listKlass -> runtimeWord, Outside.arrayKlass -> runtimeWord,
    Outside.slack -> wide(U(4, 6 bits) |<< shape.log2Size), Outside.elementBytes -> wide(elementBytes),
    Outside.alignMask -> wide(((U(1, 4 bits) |<< context.alignLog2) - 1).resize(3)),
    Outside.cleared -> wide(((context.cleared === 0) ? U(0xffff, 16 bits) | (context.cleared << log2Up(DescriptorLayout.ClearedUnit)).resize(16))), Outside.enumLists -> wide(context.enumLists << 4),
    Outside.constant -> B(0xffff, 32 bits), Outside.fixedBase -> command.arenas(0).base.asBits, Outside.flexibleBase -> command.arenas(1).base.asBits,
    Outside.cursor -> written(_.io.cursor, U(0, 32 bits)).asBits, Outside.nextEntry -> written(_.io.scan.next, U(0, 32 bits)).asBits,
    Outside.hashedBytes -> (if (p.writes) wide(U(16, 20 bits) |<< context.lookup.slotsLog2) else B(0, 32 bits)),
    Outside.orderedBytes -> (if (p.writes) wide(context.fieldCount << 4) else B(0, 32 bits)))
  require(Outside.all.forall(outsideWords.contains), "an outside word is nothing")
  private val wholeX = Vec(Outside.all.map(outsideWords).padTo(32, B(0, 32 bits))).read(field(Micro.X).asUInt)
  val x = field(Micro.Slice).asUInt.mux(
    Part.Low -> wholeX(15 downto 0).resize(32), Part.High -> wholeX(31 downto 16).resize(32),
    Part.SignedLow -> wholeX(15 downto 0).asSInt.resize(32).asBits, default -> wholeX).asUInt
  // X passes by the adder: what lies behind both would be the longest path by far.
  private val source = field(Micro.Source).asUInt
  private val passesX = source === Second.X
  private val hot = Vec(Hot.all.map(word => (word.part match {
    case Part.Low => outsideWords(word.copy(part = Part.Whole))(15 downto 0).resize(32)
    case Part.High => outsideWords(word.copy(part = Part.Whole))(31 downto 16).resize(32)
    case Part.Whole => outsideWords(word)
  }).asUInt)).read(field(Micro.Slice).asUInt)
  private val second = source.mux(Second.Hot -> hot, Second.Immediate -> field(Micro.Immediate).asSInt.resize(32).asUInt, default -> b)
  private val alu = field(Micro.Compute).asUInt
  private val subtracts = alu === Alu.Sub
  private val sum = (a +^ (second ^ U(32 bits, default -> subtracts))) + subtracts.asUInt
  result := passesX ? x | alu.mux(Alu.And -> (a & second), Alu.Pass -> second, default -> sum.resize(32))
  val outcome = new Area {
    private val computed = go && !passesX
    val carry = RegNextWhen(sum.msb, computed)
    val equal = RegNextWhen(a === second, computed)
    val low = RegNextWhen(result(3 downto 0), computed)
  }

  // ---- conditions ----------------------------------------------------------------------------------------------------
  val copier = Copier()
  /** A write is between its maker and the write buffer. */
  private val onTheWay = Bool()
  val idles = new Area {
    val copier = RegNext(!Engine.this.copier.io.busy && !Engine.this.copier.io.start.valid) init False
    val written = RegNext(writes.io.idle && !own.valid && !onTheWay && !Engine.this.copier.io.busy && !Engine.this.copier.io.start.valid) init False
    val stream = RegNext(Engine.this.stream.io.idle && !does(Act.startStream)) init False
    val all = RegNext(writes.io.idle && !own.valid && !onTheWay && !Engine.this.copier.io.busy && !Engine.this.copier.io.start.valid &&
      Engine.this.stream.io.idle && cache.io.idle && !cache.io.request.valid && !does(Act.startStream) && !ask.pending) init False
  }
  private def ofStep(condition: Bool): Bool = RegNext(condition)
  val conditions: Map[Cond, Bool] = Map(
    Cond.never -> False, Cond.always -> True, Cond.carry -> outcome.carry, Cond.equal -> outcome.equal,
    Cond.repeated -> ofStep(entry.repeated), Cond.inOneof -> ofStep(entry.inOneof), Cond.isGroup -> ofStep(facts.isGroup),
    Cond.checkEnum -> ofStep(step.checkEnum), Cond.isElement -> ofStep(step.element),
    Cond.isScalar -> ofStep(step.action === Action.Scalar || step.action === Action.Ignore),
    Cond.noLength -> ofStep(step.noLength), Cond.longLength -> ofStep(step.value(31 downto 16).orR),
    Cond.isSkip -> ofStep(step.action === Action.SkipBytes), Cond.isGroupStart -> ofStep(step.action === Action.GroupStart),
    Cond.isGroupEnd -> ofStep(step.action === Action.GroupEnd), Cond.pointer -> ofStep(entry.pointer),
    Cond.fixedCount -> ofStep(entry.fixedCount), Cond.fixedLength -> ofStep(entry.fixedLength), Cond.isText -> ofStep(facts.isText),
    Cond.isString -> ofStep(facts.isString), Cond.isMessage -> ofStep(facts.isMessage), Cond.presenceDue -> ofStep(presenceDue),
    Cond.referred -> ofStep(entry.pointer && (!entry.repeated || facts.isString && !entry.fixedLength)),
    Cond.sameList -> ofStep(sameList), Cond.sameShape -> ofStep(shape.kind === target.kind && shape.log2Size === target.log2Size),
    Cond.listFull -> ofStep(listFull), Cond.listReady -> ofStep(sameList && !listFull), Cond.noHasbits -> (hasbits.io.words === 0),
    Cond.manyHasbits -> (hasbits.io.words > 1), Cond.tooMany -> ofStep(count(15 downto 0).andR && (!context.wide || count(31 downto 16).andR)),
    Cond.native -> native, Cond.wideCount -> context.wide, Cond.mapEntry -> context.mapEntry,
    Cond.headerNative -> context.native,
    Cond.headerTooWide -> (ask.words(3)(31 downto 21).orR || ask.words(3)(20 downto 16).asUInt > DescriptorLayout.MaxHasbitsWords),
    Cond.headerTooStrict -> context.tooStrict,
    Cond.wide0 -> shape.log2Size.lsb, Cond.wide1 -> shape.log2Size.msb,
    Cond.misaligned -> (outcome.low(2 downto 0) & ((U(1, 4 bits) |<< context.alignLog2) - 1).resize(3)).orR,
    Cond.noGroups -> !skipping, Cond.atRoot -> (depth === 0), Cond.depthFull -> RegNext(depth >= command.depthLimit),
    Cond.seen -> hasbits.io.word(target.bit(4 downto 0)),
    Cond.missingRequired -> (context.requiredMask & ~hasbits.io.word).orR,
    Cond.cacheReady -> !ask.pending, Cond.copierIdle -> idles.copier, Cond.written -> idles.written, Cond.streamIdle -> idles.stream,
    Cond.allIdle -> idles.all, Cond.completionReady -> io.port.completion.ready,
    Cond.badOperation -> (io.port.command.operation =/= Operation.ProtobufDeserialize.code), Cond.commandTaken -> command.taken,
    Cond.odd8 -> outcome.low(2 downto 0).orR, Cond.odd16 -> outcome.low.orR,
    Cond.faultAtInput -> command.faultAtInput, Cond.faultAtUnknown -> command.faultAtUnknown,
    Cond.counted -> written(_.io.counted, False), Cond.packed -> RegNext(written(_.io.settled, False)), Cond.outputFull -> written(_.io.full, False),
    Cond.scannerBusy -> written(_.io.scan.busy, False), Cond.toCheck -> written(_.io.scan.wide && entry.checkUtf8, False),
    Cond.checkUtf8 -> ofStep(entry.checkUtf8), Cond.isImplicit -> ofStep(entry.presence === DescriptorLayout.Presence.Implicit),
    Cond.required -> ofStep(entry.presence === DescriptorLayout.Presence.Required), Cond.packable -> ofStep(facts.packable),
    Cond.asPacked -> ofStep(entry.packed), Cond.asBytes -> ofStep(facts.wireType(0)),
    Cond.elementWide0 -> ofStep(slotLog2(0)), Cond.elementWide1 -> ofStep(slotLog2(1)), Cond.faultAtText -> command.faultAtText,
    Cond.upperHalf -> ask.address(1)) ++
    Flag.all.map(flag => flag.is -> flags(flag.index))
  require(Cond.all.forall(conditions.contains), "a condition is nothing")
  sequencer.io.taken := Vec(Cond.all.map(conditions).padTo(128, False)).read(field(Micro.Condition).asUInt) ^ field(Micro.Invert).lsb

  /** B or X: what a store writes, or an act takes. */
  val data = field(Micro.StoreX).lsb ? x.asBits | b.asBits

  // ---- what acts do ------------------------------------------------------------------------------------------------------
  for (flag <- Flag.all) {
    when(does(flag.raise)) { flags(flag.index) := True }
    when(does(flag.lower)) { flags(flag.index) := False }
  }
  when(does(Act.enter)) { for (i <- 0 until Flag.OfMessage) flags(i) := False }
  when(does(Act.setState)) {
    for (i <- 0 until Flag.OfMessage) flags(i) := result(i)
    shape.assignFromBits(result(Flag.OfMessage, widthOf(shape) bits).asBits)
  }
  when(does(Act.setShape)) { shape := target }
  val oneMore = quick.stored && entry.repeated || does(Act.append)
  private val oneUp = U(1, 4 bits) |<< shape.log2Size
  movedElement := element + (if (p.writes) (command.writing ? writer.io.by | oneUp.resize(9).asSInt).resize(32).asUInt else oneUp.resized)
  when(oneMore || written(_.io.move, False)) { element := movedElement }
  if (p.writes) when(writer.io.take) { element := cachedWord.asUInt }
  when(oneMore) { count := count + 1 }
  when(does(Act.setElement)) { element := result }
  when(does(Act.setLimit)) { limit := result }
  when(does(Act.setCount)) { count := result }
  when(does(Act.setMessage)) { message := result }
  when(does(Act.enter) || does(Act.groupIn)) { depth := depth + 1 }
  when(does(Act.leave) || does(Act.groupOut)) { depth := depth - 1 }
  when(does(Act.groupIn)) { groups := groups + 1 }
  when(does(Act.groupOut)) { groups := groups - 1 }
  when(does(Act.readPacked)) { at.packed := True }
  for (i <- 0 until Instruction.ResultWords)
    when(does(Seq(Act.setResult0, Act.setResult1, Act.setResult2, Act.setResult3)(i))) { command.results(i) := result.asBits }
  when(does(Act.takeCommand)) {
    command.taken := True
    when(!command.writing) {
      for (i <- 0 until 2) {
        command.arenas(i).base := io.port.command.arguments(4 + 2 * i).asUInt
        command.arenas(i).limit := io.port.command.arguments(5 + 2 * i).asUInt
      }
    }
  }
  when(command.begins) {
    command.objects.base := 0
    command.objects.limit := U"xffffffc0"
  }
  for ((act, bounds) <- Seq(Act.setArena0, Act.setArena1, Act.setObjects) zip (command.arenas :+ command.objects)) when(does(act)) {
    bounds.base := result
    bounds.limit := data.asUInt
  }

  // ---- the window and the stream -------------------------------------------------------------------------------------------
  stream.io.start.valid := does(Act.startStream)
  stream.io.start.address := result
  stream.io.start.end := data.asUInt
  stream.io.streaming := False
  stream.io.stop := command.killing || does(Act.pauseStream)
  private val noWord = stream.io.stop || command.begins
  // A word every other cycle is as much as a port of 32 bits brings.
  window.io.word << (if (m.dataWidth == 32) stream.io.word.haltWhen(noWord) else stream.io.word.s2mPipe(flush = noWord))
  window.io.start.valid := does(Act.startStream)
  window.io.start.payload := result.resized
  window.io.seek.valid := does(Act.setPosition) || does(Act.setPosition0)
  window.io.seek.payload := does(Act.setPosition0) ? U(0, 32 bits) | result
  window.io.inputEnd.valid := does(Act.setPosition0)
  window.io.inputEnd.payload := result
  private val startsText = does(Act.copyText) || does(Act.copyNative)
  window.io.command.valid := Seq(Act.readMessage, Act.readFields, Act.readPacked, Act.skipBytes).map(does).orR || startsText || quick.passed && quick.skipped
  window.io.command.mode := WindowMode.Key
  when(does(Act.readPacked)) { window.io.command.mode := WindowMode.Packed }
  when(does(Act.skipBytes) || quick.passed) { window.io.command.mode := WindowMode.Skip }
  when(startsText) { window.io.command.mode := WindowMode.Bytes }
  window.io.command.wireType := facts.wireType
  window.io.command.limit := (does(Act.readMessage) || does(Act.readPacked)) ? result | step.runEnd
  window.io.command.frame := does(Act.readMessage)

  // ---- the copier ---------------------------------------------------------------------------------------------------------------
  private val starts = Seq(Act.clear, Act.copyRaw, Act.copyText, Act.copyNative) ++ p.writes.option(Act.copyOut)
  copier.io.start.valid := starts.map(does).orR
  copier.io.start.address := result
  copier.io.start.length := startsText ? step.value(31 downto 0).asUInt | data.asUInt
  copier.io.start.zeros := does(Act.clear)
  copier.io.start.round := does(Act.copyText)
  copier.io.start.terminated := does(Act.copyNative) && facts.isText
  copier.io.kill := command.killing
  window.io.take := copier.io.source.take
  copier.io.source.available := window.io.available
  copier.io.source.bytes := window.io.bytes
  val clearing = RegInit(False)
  when(copier.io.start.valid) { clearing := does(Act.clear) }
  val text = new Area {
    val checks = RegInit(False)
    val position = Reg(UInt(32 bits))
    when(copier.io.start.valid) { checks := (does(Act.copyText) || does(Act.copyOut) && !is(WriteProgram.OfUnknown)) && entry.checkUtf8 && entry.fieldType =/= FieldType.Bytes.code }
    when(does(Act.copyText)) { position := step.position }
    val utf8 = Utf8Validator(8, pieces = p.writes)
    utf8.io.chunk.valid := copier.io.chunk.valid && checks
    utf8.io.chunk.data := copier.io.chunk.data
    utf8.io.chunk.count := copier.io.chunk.count.resized
    utf8.io.chunk.last := copier.io.chunk.last
    utf8.io.clear := command.killing
  }

  // ---- writes ---------------------------------------------------------------------------------------------------------------------
  private val storeMode = field(Micro.StoreMode).asUInt
  private val stores = active && storeMode =/= Store.None
  private val log2Size = UInt(2 bits)
  private val stored = Bits(64 bits)
  stored := step.value
  log2Size := step.log2Size
  when(presenceDue) {
    stored(31 downto 0) := entry.inOneof ? wide(at.field.number) | B(1, 32 bits)
    log2Size := entry.inOneof ? ((native && !context.wide) ? U(1, 2 bits) | U(2, 2 bits)) | U(0, 2 bits)
  }
  when(stores && storeMode =/= Store.Presence) {
    stored := storeMode.mux(
      Store.Value -> step.value, Store.Header -> data ## runtime.mark, Store.Pair -> b.asBits ## x.asBits, default -> data.resize(64))
    log2Size := storeMode.mux(Store.Byte -> U(0, 2 bits), Store.Half -> U(1, 2 bits), Store.Word -> U(2, 2 bits),
      Store.Value -> step.log2Size, Store.Count -> (context.wide ? U(2, 2 bits) | U(1, 2 bits)), default -> U(3, 2 bits))
  }
  private val atCase = command.writing ? written(_.io.atCase, False) | presenceDue
  private val place = message + (atCase ? entry.caseOffset | entry.offset)
  slotAddress := (active && !written(_.io.ask, False)) ? result | ((entry.repeated && !command.writing) ? element | place)
  own.valid := stores || quick.stores
  val write = ObjectWrite.value(slotAddress, stored, log2Size, 8)
  own.address := write.address
  own.data := write.data
  own.mask := write.mask
  private val starting = starts.map(wants).orR
  private val puts = if (p.writes) Seq(Act.put, Act.putKey, Act.putEnd, Act.putKeyAndScan).map(wants).orR else False
  stall := stores && !own.ready || starting && copier.io.busy || (ofList || wants(Act.hasbitsHere)) && (!hasbits.io.ready || ask.busy) ||
    puts && !written(_.io.put.ready, True) || (wants(Act.askTable) || wants(Act.askObject) || wants(Act.askHeader)) && ask.busy
  val merged = Stream(EngineWrite())
  // Zeros go before what is written over them.
  held << own.m2sPipe().haltWhen(clearing && copier.io.busy)
  merged << StreamArbiterFactory().lowerFirst.noLock.on(Seq(copier.io.write, held) ++ p.writes.option(writer.io.write))
  writes.io.write << merged.s2mPipe()
  onTheWay := writes.io.write.valid || held.valid || !merged.ready
  writes.io.arenas := command.arenas
  writes.io.flush := wants(Act.flush)
  writes.io.drop := command.killing || command.writing && is(WriteProgram.Dry)

  // ---- messages are written -----------------------------------------------------------------------------------------------------------
  if (p.writes) {
    val scan = writer.io.scan
    scan.address := result
    scan.setFrom := does(Act.setEntries) || does(Act.fetchEntry)
    scan.setEnd := does(Act.setEntriesEnd)
    scan.scan := rests
    scan.fetch := does(Act.fetchEntry)
    scan.walksBytes := wants(Act.walkBytes) || wants(Act.walkCounted)
    scan.walksCounted := wants(Act.walkCounted)
    scan.find := does(Act.findEnd)
    scan.walksKeys := wants(Act.walkKeyed)
    scan.walk := does(Act.walkPacked) || does(Act.walkKeyed) || does(Act.walkBytes) || does(Act.walkCounted)
    scan.kill := command.killing || command.begins || outputFull
    writer.io.blocked := ask.request
    writer.io.hit := cache.io.hit
    writer.io.entry := entry
    writer.io.native := native
    writer.io.wide := context.wide
    writer.io.log2Size := slotLog2
    writer.io.bitReady := hasbits.io.ready
    writer.io.seen := hasbits.io.word(target.bit(4 downto 0))
    writer.io.ready := !ask.pending
    writer.io.nearly := ask.pending && ask.age === 2
    writer.io.value := (ask.address(3) ? ask.words(3) | ask.words(1)) ## cachedWord
    writer.io.lane := ask.address(1 downto 0)
    writer.io.zeros := ask.zeros
    writer.io.isFirst := listFull
    writer.io.atBase := Same(element >> 6, command.objects.base >> 6)
    writer.io.atLimit := Same(ask.address >> 6, command.objects.limit >> 6)
    writer.io.outside := ask.pending && cache.io.fault && cache.io.outside
    scan.text := does(Act.writeText)
    writer.io.element := element(3 downto 0)
    writer.io.put.valid := puts
    writer.io.put.number := result
    writer.io.put.isKey := !wants(Act.put)
    writer.io.put.ends := wants(Act.putEnd)
    writer.io.start.valid := does(Act.startPacker)
    writer.io.start.cursor := result
    writer.io.start.bound := data.asUInt
    writer.io.seek.valid := does(Act.seek)
    writer.io.seek.payload := result
    writer.io.flush := wants(Act.settle)
  }

  // ---- faults, the end -----------------------------------------------------------------------------------------------------------------
  private val running = !command.idle && !command.killing && !wants(Act.complete)
  // A program's request outside of the bounds is one that it is about to refuse, if it does not wait for the answer.
  private val refused = if (p.writes) command.writing && cache.io.outside && !writer.io.scan.busy && field(Micro.Condition).asUInt =/= Cond.cacheReady.index else False
  private val unread = cache.io.fault && !refused && (ask.pending && !outsideText || entryRequest)
  trap := running && (writes.io.violation || window.io.fault || text.utf8.io.error || writes.io.error || unread)
  when(does(Act.fail)) {
    command.killing := True
    val code = result.resize(Status.Width).asBits
    command.status := (code === 0) ? step.status | code
    command.faultAtUnknown := keeping
    // Of a group that is behind its end.
    command.faultAtInput := code === Status.MissingRequired.code
  }
  when(trap) {
    command.killing := True
    command.status := Status.BusFault.code
    when(unread && cache.io.outside) { command.status := Status.BadDescriptor.code }
    when(writes.io.violation) { command.status := Status.OutOfBounds.code }
    when(window.io.fault) { command.faultAtInput := True }
    when(text.utf8.io.error) {
      command.status := Status.InvalidUtf8.code
      // The step at hand is one behind the string, and so is a word that was denied.
      step.position := text.position
      command.faultAtInput := False
    }
    command.faultAtText := text.utf8.io.error || window.io.fault
  }
  when(command.begins) {
    command.status := Status.Ok.code
    command.faultAtInput := False
    command.faultAtUnknown := False
    command.faultAtText := False
    depth := 0
    groups := 0
    for (flag <- flags) flag := False
  }
  io.port.command.ready := does(Act.takeCommand)
  io.port.completion.valid := wants(Act.complete)
  io.port.completion.tag := command.tag
  io.port.completion.status := command.status
  io.port.completion.results := command.results
  when(io.port.completion.fire) {
    command.idle := True
    command.killing := False
  }
  io.port.activity.busy := !command.idle
  io.port.activity.readStall := stepping && !at.stepValid && (window.io.starving || lookup.io.waiting) || ask.pending
  io.port.activity.tableStall := stepping && !at.stepValid && !window.io.starving && lookup.io.waiting || ask.pending
  io.port.activity.writeStall := own.valid && !own.ready || wants(Act.flush)

  /** The masters with their parameters, to be merged into a fabric. */
  def buses: Seq[(NodeParameters, Bus)] = Seq(stream.node -> io.input, cache.node -> io.table, writes.node -> io.objects)
}
