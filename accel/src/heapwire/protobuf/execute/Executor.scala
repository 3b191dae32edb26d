package heapwire.protobuf.execute

import heapwire.isa._
import heapwire.memory.{MemoryParameter, PathWord}
import heapwire.protobuf._
import spinal.core._
import spinal.lib._

/** Carries out a command's steps: one scalar, or one element of the open list, a cycle, a string in two; all else is a
  * microprogram ([[CommandProgram]], [[FieldProgram]], [[ListProgram]], [[NativeProgram]]), which begins two cycles after its
  * step has come. One writes at a time: the [[Mover]], else the microprogram or the step.
  */
case class Executor(p: ProtobufParameter, m: MemoryParameter) extends Datapath(p, m) {
  import Flag._
  /** Steps are taken as they come; else the microprogram has the word. */
  val stepping = RegInit(False)
  val killing = RegInit(False)
  val killed = RegNext(killing) init False
  val running = !idle && !killing && !wants(Act.complete)
  io.kill := killing
  io.drop := killing

  // ---- engines -----------------------------------------------------------------------
  val mover = Mover(m)
  /** A word is read, or the mover's bytes are: it is to be asked for; it is waited for. */
  val asking, loading = RegInit(False)
  val loadFailed = Reg(Bool())
  val enginesIdle = !mover.io.busy && !loading
  // As things stood a cycle before, unless something was begun in it.
  val flushed = RegNext(io.pathIdle && io.combinerIdle && !mover.io.busy && !mover.io.start.valid && !io.write.valid) init False
  val allIdle = RegNext(io.pathIdle && io.combinerIdle && io.cacheIdle && io.readersIdle && enginesIdle && !mover.io.start.valid && !io.write.valid) init False
  private val startsMove = Seq(Act.clear, Act.clearObject, Act.clearRecord, Act.copy, Act.copyRecord, Act.copyText)
  private val waits = Seq(Act.mark, Act.hasbitsAt, Act.hasbitsZero, Act.hasbitsFirst).map(wants).orR && !hasbits.io.ready ||
    (startsMove :+ Act.load).map(wants).orR && !enginesIdle
  val own = Stream(ObjectWrite(m))
  private val storeMode = field(Micro.StoreMode).asUInt
  private val stores = active && storeMode =/= Store.None
  stall := waits || stores && !own.ready

  // ---- the list of the step, or that of unknown fields -----------------------------------
  private val keeps = this(keeping)
  val bit = keeps ? table.unknownBit | step.bit
  val target = ListShape()
  target.bit := bit
  target.kind := keeps ? U(TypeFacts.UnknownFields, 3 bits) | step.list
  target.log2Size := keeps ? U(0, 2 bits) | step.log2Size
  val sameList = this(listOpen) && shape.bit === bit
  val sameShape = shape.kind === target.kind && shape.log2Size === target.log2Size
  val full = (this(onTop) ? this(Operand.element) | this(Operand.count)) >= this(Operand.limit)
  val listReady = sameList && sameShape && (this(onTop) || !full)
  val tooMany = this(onTop) && this(Operand.count)(15 downto 0).andR && (!table.wideCount || this(Operand.count)(31 downto 16).andR)
  val seen = hasbits.io.word(bit(4 downto 0))

  // ---- steps that take one cycle ------------------------------------------------------------
  private val native = table.native
  /** A case word, which or has-flag goes before the value. */
  private val presenceDue = !step.repeated && (native && step.native.hasFlag || step.inOneof) && !this(presenceWritten)
  private val noLength = stepLength === 0
  private val isScalar = step.action === Action.Scalar
  private val isText = step.action === Action.Str && !native
  private val noUnknownList = table.unknownOffset === DescriptorLayout.NoOffset
  /** Where the string would end, and whether that is known of the step. */
  private val textSize = (stepLength +^ U(ObjectLayout.ByteString.Size + ObjectLayout.Array.Elements + 7, 32 bits)) & ~U(7, 33 bits)
  private val textEnd = RegNext(this(Operand.fixedTop) +^ textSize)
  private val textKnown = RegNext(step.valid && !step.ready) init False
  val textFits = textEnd <= roundedDown(argument("fixed_limit")).resize(34)
  private val passes = (step.action === Action.Ignore || step.action === Action.SkipBytes) && (!step.unknown || noUnknownList) ||
    step.action === Action.Packed && !(native && noLength && step.native.fixedCount)
  private val managedStore = !step.repeated || listReady && !full
  private val known = !step.checkEnum || this(judged) && this(declared)
  private val nativeStore = step.repeated ? (sameList && !full && !tooMany) | !step.native.pointer
  private val quickScalar = isScalar && (native ? nativeStore | (managedStore && known))
  private val quickText = isText && textFits && managedStore
  /** A text of a C struct that lies in it. */
  private val isCopied = step.action === Action.Str && native && step.native.isText && !step.native.pointer && !step.repeated && !noLength
  private val quickCopy = isCopied && RegNext(stepLength < step.native.elementSize)
  private val stepHere = stepping && step.valid
  private val undecided = (isText || isCopied) && !textKnown
  private val quick = stepHere && !undecided && (quickScalar || quickText || quickCopy) && (step.repeated || hasbits.io.ready)
  private val quickStore = quick && (presenceDue || !quickCopy)
  marksPresence := stepping && presenceDue
  private val presenceStored = quickStore && presenceDue && own.ready
  val stored = quick && !presenceDue && (quickCopy ? enginesIdle | own.ready)
  when(presenceStored) { this(presenceWritten) := True }
  val passed = stepHere && passes
  val slow = stepHere && !undecided && !passes && !quickScalar && !quickText && !quickCopy

  // ---- the microprogram begins, goes elsewhere, gives steps their turn ---------------------------
  private val trap = Bool()
  sequencer.io.jump.valid := begins || slow || trap
  sequencer.io.jump.payload := Vec(for (kind <- Seq("managed", "native"); position <- 0 until CommandProgram.Actions)
    yield address(CommandProgram.handler(kind, position)))(native.asUInt @@ step.action.asBits.asUInt.resize(log2Up(CommandProgram.Actions)))
  when(begins) { sequencer.io.jump.payload := address("begin") }
  when(trap) { sequencer.io.jump.payload := address("drain") }
  private val runs = does(Act.run) || does(Act.acceptAndRun)
  sequencer.io.halt := runs || does(Act.complete) && io.port.completion.ready
  when(runs) {
    stepping := True
    for (flag <- Seq(nextWhole, nextBegins, nextFresh)) this(flag) := False
  }
  when(slow || trap) { stepping := False }
  // Program.assemble sees to it that what takes a step never waits.
  step.ready := stored || passed || Act.takeStep.map(wants).orR
  when(stepHere) { this(Operand.position) := step.position }
  when(step.ready) { for (flag <- Seq(judged, sought, presenceWritten, recalled)) this(flag) := False }
  when(go && says(Micro.FlagWrite)) {
    for (flag <- Flag.all) when(field(Micro.FlagIndex).asUInt === flag.index) { this(flag) := says(Micro.FlagValue) }
  }
  private val loaderFailed = RegInit(False)
  private val special = loader.io.header.native || native && !this(atRoot) || this(reopening)
  /** A value behind a pointer, and nothing before it. */
  private val lone = step.native.pointer && !step.repeated && !presenceDue
  // What a program asks of its step in its first instructions may be a cycle old.
  private val conditions: Map[Cond, Bool] = Map(
    Cond.always -> True, Cond.carry -> carry, Cond.equal -> equal, Cond.repeated -> step.repeated, Cond.inOneof -> step.inOneof,
    Cond.isGroup -> step.group, Cond.checkEnum -> step.checkEnum, Cond.noLength -> noLength, Cond.longLength -> stepLength(31 downto 16).orR,
    Cond.sameList -> sameList, Cond.sameShape -> sameShape, Cond.stringFits -> textFits, Cond.listReady -> listReady,
    Cond.listFull -> (this(onTop) && full), Cond.depthFull -> RegNext(depthFull), Cond.native -> native, Cond.headerNative -> loader.io.header.native,
    Cond.atLevelZero -> (depthLevel === 0), Cond.noGroups -> (groups === 0), Cond.wrongGroup -> RegNext(wrongGroup), Cond.seen -> seen,
    Cond.marked -> (hasbits.io.marked.orR && !native),
    Cond.markedMore -> (hasbits.io.marked.asUInt & (hasbits.io.marked.asUInt - 1)).orR, Cond.enginesIdle -> enginesIdle, Cond.flushed -> flushed,
    Cond.allIdle -> allIdle, Cond.cacheFault -> io.cacheFault, Cond.loadFailed -> loadFailed,
    Cond.badOperation -> (operation =/= Operation.ProtobufDeserialize.code),
    Cond.isSkip -> (step.action === Action.SkipBytes), Cond.isGroupStart -> (step.action === Action.GroupStart),
    Cond.isGroupEnd -> (step.action === Action.GroupEnd), Cond.isElement -> step.element, Cond.mapEntry -> table.mapEntry,
    Cond.noUnknownList -> noUnknownList, Cond.pointer -> step.native.pointer, Cond.fixedCount -> step.native.fixedCount,
    Cond.fixedLength -> step.native.fixedLength, Cond.isText -> step.native.isText, Cond.isString -> step.native.isString,
    Cond.isMessage -> step.native.isMessage, Cond.presenceDue -> presenceDue,
    Cond.referred -> (step.native.pointer && (!step.repeated || step.native.isString && !step.native.fixedLength)),
    Cond.wideCount -> table.wideCount, Cond.misaligned -> misaligned, Cond.odd8 -> (result(2 downto 0) =/= 0),
    Cond.odd16 -> (result(3 downto 0) =/= 0), Cond.tooMany -> tooMany, Cond.completionReady -> io.port.completion.ready,
    Cond.wide0 -> shape.log2Size.lsb, Cond.wide1 -> shape.log2Size.msb, Cond.faultAtInput -> (faultAt === FaultAt.Input), Cond.faultAtText -> (faultAt === FaultAt.Text),
    Cond.faultAtUnknown -> (faultAt === FaultAt.Unknown), Cond.killed -> killed,
    Cond.missingRequired -> (((U(1, 33 bits) |<< table.requiredCount) - 1).resize(32).asBits & ~hasbits.io.word).orR,
    Cond.quickMessage -> RegNext(step.repeated && !depthFull && listReady && !full), Cond.topmost -> (this(onTop) && !native),
    Cond.isNewList -> (!this(listOpen) && !seen && !this(outerValid)), Cond.special -> special,
    Cond.endsPlainly -> (!this(unknownValid) && groups === 0 && !this(group)),
    Cond.popsOnTop -> stack.io.top.flags(Frame.Flags.indexOf(onTop)),
    Cond.loneBlock -> RegNext(lone), Cond.loneText -> RegNext(lone && step.native.isText && !step.native.fixedLength),
    Cond.loaderPlain -> (loader.io.ready && !special),
    Cond.loaderReady -> loader.io.ready, Cond.loaderFailed -> loaderFailed, Cond.cacheHit -> cacheHit)
  private val all = Vec(flags.padTo(32, False) ++ Cond.external.map(conditions)).padTo(128, False)
  sequencer.io.taken := Vec(all)(field(Micro.Condition).asUInt) ^ says(Micro.Invert)

  // ---- writes ----------------------------------------------------------------------------------
  private val value = Bits(64 bits)
  private val log2Size = UInt(2 bits)
  value := step.value
  log2Size := step.log2Size
  when(marksPresence) {
    value(31 downto 0) := step.inOneof ? wide(step.number) | B(1, 32 bits)
    log2Size := step.inOneof ? ((native && !table.wideCount) ? U(1, 2 bits) | U(2, 2 bits)) | U(0, 2 bits)
  } elsewhen (quickText) { value(31 downto 0) := this(Operand.fixedTop).asBits; log2Size := 2 }
  when(stores) {
    value := (storeMode.mux(Store.Header -> b.asBits, Store.Value -> step.value(63 downto 32), Store.Pair -> this(Operand.array).asBits, default -> B(0, 32 bits))) ##
      storeMode.mux(Store.Header -> runtime.mark, Store.Ones -> B(32 bits, default -> true), Store.NoUnknown -> runtime.unknownFields,
        Store.Hasbits -> hasbits.io.word, Store.Number -> wide(step.number), default -> b.asBits)
    log2Size := storeMode.mux(Store.Wide -> U(3, 2 bits), Store.Pair -> U(3, 2 bits), Store.Header -> U(3, 2 bits), Store.Byte -> U(0, 2 bits),
      Store.Count -> (table.wideCount ? U(2, 2 bits) | U(1, 2 bits)), Store.Value -> step.log2Size, default -> U(2, 2 bits))
  }
  own.valid := quickStore || stores && !waits
  own.payload := ObjectWrite.value(stores ? result | (step.repeated ? this(Operand.element) | slot), value, log2Size, PathWord.bytes(m))
  own.ready := enginesIdle && io.write.ready
  io.write.valid := mover.io.busy ? mover.io.write.valid | (own.valid && enginesIdle)
  io.write.payload := mover.io.busy ? mover.io.write.payload | own.payload
  mover.io.write.ready := io.write.ready
  private val finishing = RegInit(False)
  when(does(Act.finish)) { finishing := True }
  when(begins || killing || does(Act.complete)) { finishing := False }
  io.flush := (wants(Act.flush) || finishing) && io.pathIdle && !mover.io.busy

  // ---- lists, hasbits ------------------------------------------------------------------------------
  private val oneMore = stored && step.repeated || does(Act.append)
  when(oneMore) {
    this(Operand.element) := this(Operand.element) + (U(1, 4 bits) |<< shape.log2Size)
    this(Operand.count) := this(Operand.count) + 1
  }
  when(does(Act.newList) || does(Act.oldList) || does(Act.nativeList)) {
    shape := target
    this(listOpen) := True
    this(onTop) := does(Act.newList) || does(Act.nativeList) && step.native.pointer
    this(moved) := does(Act.oldList) || does(Act.nativeList) && step.native.fixedCount
    this(elementOpen) := False
  }
  when(does(Act.newList)) {
    this(Operand.listAt) := this(Operand.fixedTop)
    this(Operand.array) := this(Operand.top)
    this(Operand.limit) := roundedDown(argument("flexible_limit"))
  }
  when(does(Act.newList) || does(Act.nativeList)) { this(Operand.count) := 0 }
  when(does(Act.outerList)) { outerShape := shape }
  hasbits.io.want.valid := stepHere && !step.repeated && (isScalar || isText || isCopied) ||
    Seq(Act.mark, Act.hasbitsAt, Act.hasbitsZero, Act.hasbitsFirst).map(wants).orR
  hasbits.io.want.payload := bit(8 downto 5)
  when(wants(Act.hasbitsZero)) { hasbits.io.want.payload := 0 }
  when(wants(Act.hasbitsFirst)) { hasbits.io.want.payload := hasbits.io.first }
  hasbits.io.mark.valid := does(Act.mark) || stored && !step.repeated
  hasbits.io.mark.payload := bit(4 downto 0)
  hasbits.io.clearFirst := does(Act.hasbitsFirst)
  hasbits.io.put.valid := does(Act.hasbitsSet)
  hasbits.io.put.payload := this(Operand.readAt)(2) ? loaded(63 downto 32) | loaded(31 downto 0)

  // ---- messages, groups ------------------------------------------------------------------------------
  push := does(Act.enter)
  pop := does(Act.pop)
  groupNumbers.write(depth.resize(p.levelWidth), step.number, does(Act.groupIn) || push)
  when(does(Act.groupIn)) { groups := groups + 1 }
  when(does(Act.groupOut)) { groups := groups - 1 }
  io.table := table
  io.tableReady := this(tableReady)
  io.skipping := groups =/= 0

  // ---- the input ----------------------------------------------------------------------------------------
  io.start.valid := does(Act.begin)
  io.start.address := argument("input")
  io.start.length := argument("length")
  io.streaming := argument("length") >= p.streamingBytes
  private val startsText = stored && step.action === Action.Str
  private val quickDirective = passed && (step.action =/= Action.Ignore) || startsText
  io.directive.valid := quickDirective || Seq(Act.goOn, Act.goOnBytes, Act.goOnSkip, Act.enter).map(does).orR || does(Act.goOut) && depthLevel =/= 0
  io.directive.mode := ParserMode.Field
  when(!noLength) {
    when(does(Act.goOnBytes) || stored) { io.directive.mode := ParserMode.Bytes }
    when(does(Act.goOnSkip) || passed) { io.directive.mode := ParserMode.Skip }
    when(passed && step.action === Action.Packed) { io.directive.mode := step.packedMode }
  }
  io.directive.frame := push && !step.group || does(Act.goOut)
  io.directive.remaining := does(Act.goOut) ? stack.io.top.registers(Frame.Registers.indexOf(Operand.remaining)) | stepLength
  io.directive.toInputEnd := does(Act.goOut) ? stack.io.top.toInputEnd | (step.toInputEnd && step.rest === 0)
  io.directive.left := stepLength

  // ---- bytes -----------------------------------------------------------------------------------------------
  mover.io.start.valid := startsMove.map(does).orR || startsText
  mover.io.start.source := MoverSource.Zeros
  when(does(Act.copy)) { mover.io.start.source := MoverSource.Memory }
  when(does(Act.copyRecord)) { mover.io.start.source := MoverSource.Record }
  when(does(Act.copyText) || startsText) { mover.io.start.source := MoverSource.Input }
  mover.io.start.address := startsText ? (native ? slot | this(Operand.fixedTop)) | result
  mover.io.start.length := this(Operand.length)
  when(startsText) { mover.io.start.length := stepLength }
  when(does(Act.clearObject)) { mover.io.start.length := cleared.resized }
  when(does(Act.clearRecord)) { mover.io.start.length := cacheWord(31 downto 16).asUInt.resized }
  mover.io.start.before := does(Act.copy) ? this(Operand.readAt)(2 downto 0) | U(0, 3 bits)
  mover.io.start.terminated := step.native.isText && native
  mover.io.start.headers := startsText && !native
  mover.io.mark := runtime.mark
  mover.io.klassByteString := runtime.byteString
  mover.io.klassByteArray := runtime.byteArray
  mover.io.kill := killing
  mover.io.input << io.chunk
  when(startsText && !native) { this(Operand.fixedTop) := textEnd.resized }
  val utf8 = Utf8Validator(PathWord.bytes(m))
  private val checkingUtf8 = Reg(Bool())
  when(mover.io.start.valid) { checkingUtf8 := startsText && !native && step.checkUtf8 }
  when(startsText) { textPosition := step.position }
  utf8.io.chunk.valid := io.chunk.fire && checkingUtf8
  utf8.io.chunk.payload := io.chunk.payload
  utf8.io.clear := killing

  // ---- words of memory ------------------------------------------------------------------------------------------
  private val length = this(Operand.length)
  when(does(Act.load) || does(Act.copy)) {
    asking := True
    loading := does(Act.load)
    loadFailed := False
  }
  io.listRead.valid := asking
  io.listRead.address := this(Operand.readAt) & ~U(7, 32 bits)
  io.listRead.length := loading ? U(8, 32 bits) | (((length + 7) >> 3) << 3).resize(32)
  when(io.listRead.fire) { asking := False }
  mover.io.granule.valid := io.listWord.valid && !loading
  mover.io.granule.payload := io.listWord.payload
  io.listWord.ready := loading || mover.io.granule.ready
  when(loading && io.listWord.valid) {
    loaded := io.listWord.data
    loading := False
  }
  when(io.listWord.fire && io.listWord.error) { loadFailed := True }
  when(killing) {
    asking := False
    loading := False
  }

  // ---- tables -------------------------------------------------------------------------------------------------------
  loader.io.start := does(Act.loadTable)
  loader.io.take := does(Act.takeTable)
  loader.io.kill := killing
  loader.io.address := result
  loader.io.base := runtime.tableBase
  loader.io.limit := runtime.tableLimit
  loader.io.hit := io.cacheHit
  loader.io.fault := io.cacheFault
  loader.io.data := io.cacheData
  loader.io.prefetch >> io.prefetch
  io.prefetchBlocks := loader.io.prefetchBlocks
  private val loaderStatus = Reg(Bits(Status.Width bits))
  when(loader.io.start) { loaderFailed := False }
  when(loader.io.failed) {
    loaderFailed := True
    loaderStatus := loader.io.status
  }
  when(loader.io.take) { table := loader.io.table }
  private val recordTail = Reg(Bool())
  private val asks = wants(Act.askCache) || mover.io.recording
  cacheAsked := asks
  io.header.valid := loader.io.request.valid || asks
  io.header.payload := asks ? this(Operand.cacheAt) | loader.io.request.payload
  mover.io.record.valid := cacheHit
  mover.io.record.payload := recordTail ? io.cacheData(127 downto 96).resize(64) | io.cacheData(95 downto 32)
  when(mover.io.record.fire) { recordTail := True }
  when(mover.io.start.valid) { recordTail := False }
  io.tableLimit := runtime.tableLimit
  io.invalidate := runtime.write.valid
  io.declared.valid := does(Act.declare)
  io.declared.table := table.address >> 4
  io.declared.field := step.number
  io.declared.value := step.value(31 downto 0)

  // ---- the end ----------------------------------------------------------------------------------------------------------
  for ((name, act) <- Seq("root" -> Act.setRoot, "fixed_top" -> Act.setFixed, "flexible_top" -> Act.setFlexible, "offset" -> Act.setOffset))
    when(does(act)) { results(Operation.ProtobufDeserialize.results.indexOf(name)) := result.asBits }
  private val readFault = RegInit(False)
  when(io.readFault) { readFault := True }
  when(begins) { readFault := False }
  trap := running && (io.violation || readFault && !this(starting) || utf8.io.error || io.writeFault)
  when(does(Act.fail)) {
    val code = field(Micro.Immediate).resize(Status.Width)
    killing := True
    status := code
    when(code === 0) { status := step.status }
    when(code === CommandProgram.LoaderStatus) { status := loaderStatus }
    faultAt := keeps ? FaultAt.Unknown() | FaultAt.Position()
  }
  when(trap) {
    killing := True
    when(io.violation) {
      status := Status.OutOfBounds.code
      faultAt := FaultAt.Position
    }
    when(readFault && !this(starting)) {
      status := Status.BusFault.code
      faultAt := FaultAt.Input
    }
    when(utf8.io.error) {
      status := Status.InvalidUtf8.code
      faultAt := FaultAt.Text
    }
    when(io.writeFault) {
      status := Status.BusFault.code
      faultAt := FaultAt.Position
    }
  }
  io.port.command.ready := idle
  io.port.completion.valid := wants(Act.complete)
  io.port.completion.tag := tag
  io.port.completion.status := status
  io.port.completion.results := results
  when(io.port.completion.fire) {
    idle := True
    killing := False
  }
  io.arenas(0).base := argument("fixed")
  io.arenas(0).limit := argument("fixed_limit")
  io.arenas(1).base := argument("flexible")
  io.arenas(1).limit := argument("flexible_limit")
  io.port.activity.busy := !idle
  io.port.activity.readStall := stepping && !step.valid && (io.starving || io.lookupWaiting) || loader.io.waiting
  io.port.activity.tableStall := stepping && !step.valid && !io.starving && io.lookupWaiting || loader.io.waiting
  io.port.activity.writeStall := io.write.valid && !io.write.ready || finishing
}
