package heapwire.protobuf

import heapwire.isa._
import heapwire.memory._
import heapwire.protobuf.native._
import spinal.core._
import spinal.lib._

/** What an executor works on: the command, the open message with the stack of
  * those around it, and the engines with what they are fed. Controls of the
  * engines are low here; [[Executor]] raises them.
  */
abstract class OpenMessage(p: ProtobufParameter, m: MemoryParameter) extends Component {
  val io = ExecutorPort(p, m)

  // ---- command and runtime registers ---------------------------------------
  val tag = Reg(UInt(p.tagWidth bits))
  val operation = Reg(Bits(7 bits))
  val arguments = Vec.fill(Instruction.ArgumentWords)(Reg(UInt(32 bits)))
  protected def argument(name: String) = arguments(Operation.ProtobufDeserialize.arguments.indexOf(name))
  val status = Reg(Bits(Status.Width bits))
  val faultAt = Reg(FaultAt())
  val runtime = RuntimeWords(io.port.registers)
  io.invalidate := runtime.write.valid
  io.tableLimit := runtime.tableLimit
  io.arenas(0).base := argument("fixed")
  io.arenas(0).limit := argument("fixed_limit")
  io.arenas(1).base := argument("flexible")
  io.arenas(1).limit := argument("flexible_limit")

  // ---- the open message ----------------------------------------------------
  val depthLevel = Reg(UInt(p.levelWidth bits))
  val groups = Reg(UInt(p.levelWidth bits))
  val depthLimit = Reg(UInt(p.levelWidth bits))
  val message = Reg(UInt(32 bits))
  /** The input offset where the innermost message ends that has a length. */
  val messageEnd = Reg(UInt(32 bits))
  /** The open message is a group. */
  val group = Reg(Bool())
  /** The message that begins is one. */
  val entersGroup = Reg(Bool())
  val unknown = Reg(UnknownRange())
  val table = Reg(TableContext())
  val tableReady = RegInit(False)
  /** From the open message's table to that of the message in it. */
  val subTable = Reg(UInt(32 bits))
  val fixedTop = Reg(UInt(32 bits))
  /** Native: the first free byte of the flexible arena, which pointers refer to. */
  val heapTop = Reg(UInt(32 bits))
  val fixedLimit = argument("fixed_limit") & ~U(7, 32 bits)
  val outer = Reg(Frame())
  val depth = depthLevel +^ groups
  io.table := table
  io.tableReady := tableReady
  io.skipping := groups =/= 0

  val stack = MessageStack(p)
  stack.io.level := depthLevel
  stack.io.push := False
  val presence = Presence(p)
  val groupNumbers = Mem(UInt(29 bits), p.maxDepth + 1)
  val lists = ListBuilder(m)
  val initializer = ObjectInitializer()
  val copier = StringCopier()
  val step = io.step
  val position = Reg(UInt(32 bits))

  presence.io.bit := step.bit
  presence.io.mark := False
  presence.io.clear := False
  presence.io.save := False
  presence.io.restore := False
  presence.io.restoreWords := stack.io.top.presence
  presence.io.level := depthLevel
  val wordsLeft = Reg(Bits(DescriptorLayout.MaxHasbitsWords bits))
  presence.io.readIndex := OHToUInt(OHMasking.firstV2(wordsLeft))
  val requiredMask = ((U(1, 33 bits) |<< table.requiredCount) - 1).resize(32).asBits

  val slot = message + step.offset
  lists.io.reset := False
  lists.io.base := argument("flexible")
  lists.io.limit := argument("flexible_limit")
  lists.io.target.bit := step.bit
  lists.io.target.kind := step.list
  lists.io.target.log2Size := step.log2Size
  lists.io.target.slot := slot
  lists.io.target.seen := presence.io.seen
  lists.io.target.fromMemory := False
  lists.io.target.source := argument("input") + unknown.start
  lists.io.target.room := 1
  lists.io.append := False
  lists.io.enter := False
  lists.io.close := False
  lists.io.push := False
  lists.io.pop := False
  lists.io.popState := stack.io.top.list
  lists.io.fixedBase := argument("fixed")
  lists.io.fixedTop := fixedTop
  lists.io.fixedRoom := (fixedTop +^ ObjectLayout.ArrayList.Size) <= fixedLimit.resize(33)
  lists.io.mark := runtime.mark
  lists.io.klass := runtime(lists.io.klassIndex)
  val nativeInitializer = NativeInitializer()
  val nativeCopier = NativeCopier()
  /** No engine is about to write. */
  val enginesIdle = !initializer.io.busy && !copier.io.busy && !nativeInitializer.io.busy && !nativeCopier.io.busy
  val flushed = io.pathIdle && io.combinerIdle && enginesIdle
  lists.io.flushed := flushed
  lists.io.kill := io.kill

  val loader = TableLoader(m)
  loader.io.start := False
  loader.io.take := False
  loader.io.kill := io.kill
  loader.io.address := table.address + subTable
  loader.io.base := runtime.tableBase
  loader.io.limit := runtime.tableLimit
  loader.io.hit := io.cacheHit
  loader.io.fault := io.cacheFault
  loader.io.data := io.cacheData
  loader.io.prefetch >> io.prefetch
  io.prefetchBlocks := loader.io.prefetchBlocks

  val enums = EnumChecker()
  enums.io.start := False
  enums.io.query.table := table.address >> 4
  enums.io.query.field := step.number
  enums.io.query.value := step.value(31 downto 0)
  enums.io.distance := table.enumLists
  enums.io.limit := runtime.tableLimit
  enums.io.hit := io.cacheHit
  enums.io.fault := io.cacheFault
  enums.io.data := io.cacheData
  enums.io.kill := io.kill
  io.header.valid := loader.io.request.valid || enums.io.request.valid || nativeInitializer.io.request.valid
  io.header.payload := nativeInitializer.io.busy ? nativeInitializer.io.request.payload |
    (enums.io.busy ? enums.io.request.payload | loader.io.request.payload)
  io.declared.valid := False
  io.declared.payload := enums.io.query

  initializer.io.start := False
  initializer.io.address := fixedTop
  initializer.io.header := loader.io.header
  initializer.io.mark := runtime.mark
  initializer.io.unknownFields := runtime.unknownFields
  initializer.io.kill := io.kill
  copier.io.start := False
  copier.io.address := fixedTop
  copier.io.length := step.value(31 downto 0).asUInt
  copier.io.mark := runtime.mark
  copier.io.klassByteString := runtime.byteString
  copier.io.klassByteArray := runtime.byteArray
  copier.io.chunk.valid := io.chunk.valid && !table.native
  copier.io.chunk.payload := io.chunk.payload
  nativeCopier.io.chunk.valid := io.chunk.valid && table.native
  nativeCopier.io.chunk.payload := io.chunk.payload
  io.chunk.ready := table.native ? nativeCopier.io.chunk.ready | copier.io.chunk.ready
  copier.io.kill := io.kill

  val utf8 = Utf8Validator()
  val checkingUtf8 = Reg(Bool())
  /** Of the key of the string that is copied. */
  val stringPosition = Reg(UInt(32 bits))
  /** The input offset of the fault. */
  val errorOffset = faultAt.mux(
    FaultAt.Position -> position, FaultAt.Unknown -> unknown.start, FaultAt.Input -> io.position, FaultAt.Text -> stringPosition)
  utf8.io.chunk.valid := io.chunk.fire && checkingUtf8
  utf8.io.chunk.payload := io.chunk.payload
  utf8.io.clear := io.kill

  val reopener = Reopener(m)
  reopener.io.find := False
  reopener.io.open := False
  reopener.io.inOneof := step.inOneof
  reopener.io.caseWord := message + step.caseOffset
  reopener.io.slot := slot
  reopener.io.number := step.number
  reopener.io.header := loader.io.header
  reopener.io.fixedBase := argument("fixed")
  reopener.io.fixedTop := fixedTop
  reopener.io.flushed := flushed
  reopener.io.kill := io.kill
  presence.io.load << reopener.io.load

  // ---- engines for C structs ------------------------------------------------
  nativeInitializer.io.start := False
  nativeInitializer.io.whole := False
  nativeInitializer.io.address := message
  nativeInitializer.io.table := table.address
  nativeInitializer.io.header := loader.io.header
  nativeInitializer.io.limit := runtime.tableLimit
  nativeInitializer.io.hit := io.cacheHit
  nativeInitializer.io.fault := io.cacheFault
  nativeInitializer.io.data := io.cacheData
  nativeInitializer.io.kill := io.kill
  nativeCopier.io.start.valid := False
  nativeCopier.io.kill := io.kill
  val nativeReader = NativeReader(m)
  nativeReader.io.start := False
  nativeReader.io.address := message + step.caseOffset
  nativeReader.io.wide := table.wideCount
  nativeReader.io.flushed := flushed
  nativeReader.io.kill := io.kill
  nativeReader.io.readCommand.ready := io.listRead.ready
  nativeReader.io.readWord.valid := io.listWord.valid && nativeReader.io.busy
  nativeReader.io.readWord.payload := io.listWord.payload

  val nativeMover = RangeCopier(m)
  nativeMover.io.start := False
  nativeMover.io.kill := io.kill
  nativeMover.io.readCommand.ready := io.listRead.ready
  nativeMover.io.readWord.valid := io.listWord.valid && nativeMover.io.busy
  nativeMover.io.readWord.payload := io.listWord.payload

  // The list reader serves one at a time.
  io.listRead.valid := lists.io.readCommand.valid || reopener.io.readCommand.valid || nativeReader.io.readCommand.valid ||
    nativeMover.io.readCommand.valid
  io.listRead.payload := nativeMover.io.busy ? nativeMover.io.readCommand.payload |
    (nativeReader.io.busy ? nativeReader.io.readCommand.payload |
      (reopener.io.busy ? reopener.io.readCommand.payload | lists.io.readCommand.payload))
  lists.io.readCommand.ready := io.listRead.ready
  reopener.io.readCommand.ready := io.listRead.ready
  lists.io.readWord.valid := io.listWord.valid && !reopener.io.busy && !nativeReader.io.busy && !nativeMover.io.busy
  lists.io.readWord.payload := io.listWord.payload
  reopener.io.readWord.valid := io.listWord.valid && reopener.io.busy
  reopener.io.readWord.payload := io.listWord.payload
  io.listWord.ready := nativeMover.io.busy ? nativeMover.io.readWord.ready |
    (nativeReader.io.busy ? nativeReader.io.readWord.ready |
      (reopener.io.busy ? reopener.io.readWord.ready | lists.io.readWord.ready))

  /** The executor's own write: `put`, the value of the step to its slot if nothing else is said. An object's initial words
    * always go first.
    */
  val own = Stream(ObjectWrite())
  val ownPlace = CombInit(slot)
  /** The lower half; what is longer is always the step's. */
  val ownWord = CombInit(step.value(31 downto 0))
  val ownLog2 = CombInit(step.log2Size)
  own.payload := ObjectWrite.value(ownPlace, step.value(63 downto 32) ## ownWord, ownLog2)
  protected def put(place: UInt, word: Bits, log2Size: UInt): Unit = {
    ownPlace := place
    ownWord := word
    ownLog2 := log2Size
  }
  io.write << StreamArbiterFactory().lowerFirst.noLock.onArgs(
    initializer.io.write, nativeInitializer.io.write, copier.io.write, nativeCopier.io.write, nativeMover.io.write, lists.io.write, own)
}
