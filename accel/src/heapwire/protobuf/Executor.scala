package heapwire.protobuf

import heapwire.isa._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Carries out decoded fields in order: one scalar, or one element of a list
  * that is open, a cycle; other fields start an engine (string copier, list
  * builder, object initializer) or open and close a message.
  *
  * Owns the fixed arena, the open message and the stack of those around it.
  * Decides when a command ends, drains everything and completes.
  */
case class Executor(p: ProtobufParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val step = slave(Stream(FieldStep()))
    val start = master(Flow(ByteRange(m)))
    val directive = master(Flow(Directive()))
    val chunk = slave(Stream(ByteChunk()))
    /** The open message's table; lookups wait while not `tableReady`. */
    val table = out(TableContext())
    val tableReady = out Bool()
    /** Within an unknown group. */
    val skipping = out Bool()
    val header = master(Flow(UInt(32 bits)))
    val cacheHit, cacheFault, cacheIdle = in Bool()
    val cacheData = in Bits(128 bits)
    val prefetch = master(Flow(UInt(32 bits)))
    val prefetchBlocks = out UInt(3 bits)
    val tableLimit = out UInt(32 bits)
    val invalidate = out Bool()
    /** A bus fault or a write outside the arenas. */
    val readFault, writeFault, violation = in Bool()
    val position = in UInt(32 bits)
    val arenas = out(Vec(Bounds(m), 2))
    val write = master(Stream(ObjectWrite()))
    val flush, drop = out Bool()
    /** No write is on its way to the combiner; nothing in it and nothing in flight. */
    val pathIdle, combinerIdle = in Bool()
    val readersIdle = in Bool()
    val listRead = master(Stream(ByteRange(m)))
    val listWord = slave(Stream(Granule()))
    /** Ends everything under way (level, until all is idle). */
    val kill = out Bool()
    val streaming = out Bool()
    val starving, lookupWaiting = in Bool()
  }
  object State extends SpinalEnum {
    val Idle, Check, TableCheck, Header, HeaderCheck, Run, Enter, Push, Close, CloseWait, WriteBits, Pop, Finish, Drain, Complete = newElement()
  }
  import State._
  val state = RegInit(Idle)

  // ---- command and runtime registers ---------------------------------------
  val tag = Reg(UInt(p.tagWidth bits))
  val operation = Reg(Bits(7 bits))
  val arguments = Vec.fill(Instruction.ArgumentWords)(Reg(UInt(32 bits)))
  private def argument(name: String) = arguments(Operation.ProtobufDeserialize.arguments.indexOf(name))
  val status = Reg(Bits(Status.Width bits))
  val errorOffset = Reg(UInt(32 bits))
  val runtime = new Area {
    val write = io.port.registers
    val words = Mem(Bits(32 bits), RuntimeRegister.Count)
    words.write(write.index, write.value, write.valid)
    def copy(register: RuntimeRegister.Register): Bits = {
      val word = Reg(Bits(32 bits)) init 0
      when(write.valid && write.index === register.index) { word := write.value }
      word
    }
    val tableBase = copy(RuntimeRegister.TableBase).asUInt
    val tableLimit = copy(RuntimeRegister.TableLimit).asUInt
    val mark = copy(RuntimeRegister.MarkPrototype)
    val unknownFields = copy(RuntimeRegister.UnknownFields)
    val byteString = copy(RuntimeRegister.ByteString)
    val byteArray = copy(RuntimeRegister.ByteArray)
  }
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
  val table = Reg(TableContext())
  val tableReady = RegInit(False)
  val tableAddress = Reg(UInt(32 bits))
  val fixedTop = Reg(UInt(32 bits))
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
  private val position = Reg(UInt(32 bits))

  presence.io.bit := step.bit
  presence.io.mark := False
  presence.io.has := step.hasHasbit
  presence.io.clear := False
  presence.io.save := False
  presence.io.restore := False
  presence.io.restoreWords := stack.io.top.presence
  presence.io.level := depthLevel
  val wordsLeft = Reg(Bits(DescriptorLayout.MaxHasbitsWords bits))
  presence.io.readIndex := OHToUInt(OHMasking.firstV2(wordsLeft))

  val slot = message + step.offset
  lists.io.reset := False
  lists.io.base := argument("flexible")
  lists.io.limit := argument("flexible_limit")
  lists.io.target.bit := step.bit
  lists.io.target.kind := step.list
  lists.io.target.log2Size := step.log2Size
  lists.io.target.slot := slot
  lists.io.target.seen := presence.io.seen
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
  lists.io.klass := runtime.words.readAsync(lists.io.klassIndex, writeFirst)
  lists.io.flushed := io.pathIdle && io.combinerIdle && !initializer.io.busy && !copier.io.busy
  lists.io.kill := io.kill
  lists.io.readCommand >> io.listRead
  lists.io.readWord << io.listWord

  val header = Reg(TableHeader())
  initializer.io.start := False
  initializer.io.address := fixedTop
  initializer.io.header := header
  initializer.io.mark := runtime.mark
  initializer.io.unknownFields := runtime.unknownFields
  initializer.io.kill := io.kill
  copier.io.start := False
  copier.io.address := fixedTop
  copier.io.length := step.value(31 downto 0).asUInt
  copier.io.mark := runtime.mark
  copier.io.klassByteString := runtime.byteString
  copier.io.klassByteArray := runtime.byteArray
  copier.io.chunk << io.chunk
  copier.io.kill := io.kill

  /** The executor's own write. An object's initial words always go first. */
  val own = Stream(ObjectWrite())
  own.payload := ObjectWrite.value(slot, step.value, step.log2Size)
  io.write << StreamArbiterFactory().lowerFirst.noLock.onArgs(
    initializer.io.write, copier.io.write, lists.io.write, own)

  // ---- defaults of the outputs ---------------------------------------------
  val stepLength = step.value(31 downto 0).asUInt
  val innerToInputEnd = step.toInputEnd && stepLength === step.remaining
  step.ready := False
  io.start.valid := False
  io.start.address := argument("input")
  io.start.length := argument("length")
  io.directive.valid := False
  io.directive.mode := ParserMode.Field
  io.directive.frame := False
  io.directive.remaining := stepLength
  io.directive.toInputEnd := innerToInputEnd
  io.directive.left := stepLength
  val headerBeat = Reg(UInt(1 bits))
  val headerAsked = RegInit(False)
  val headerTake = headerAsked && io.cacheHit
  io.header.valid := False
  io.header.payload := tableAddress
  headerAsked := io.header.valid
  io.prefetch.valid := False
  io.prefetch.payload := tableAddress + m.blockBytes
  val tableBlocks = ((U(DescriptorLayout.HeaderSize, 40 bits) + (U(DescriptorLayout.EntrySize, 40 bits) |<< header.slotsLog2) +
    (m.blockBytes - 1)) >> log2Up(m.blockBytes)) - 1
  io.prefetchBlocks := (tableBlocks > 3) ? U(3, 3 bits) | tableBlocks.resize(3)
  io.flush := (state === Finish || lists.io.flush) && io.pathIdle && !initializer.io.busy && !copier.io.busy
  io.drop := state === Drain
  io.kill := state === Drain
  io.streaming := argument("length") >= p.streamingBytes

  io.port.command.ready := state === Idle
  io.port.completion.valid := state === Complete
  io.port.completion.tag := tag
  io.port.completion.status := status
  private val failed = status =/= Status.Ok.code
  private val results = Map(
    "root" -> (failed ? U(0, 32 bits) | message),
    "fixed_top" -> (failed ? argument("fixed") | fixedTop),
    "flexible_top" -> (failed ? argument("flexible") | lists.io.top),
    "offset" -> errorOffset)
  for ((name, i) <- Operation.ProtobufDeserialize.results.zipWithIndex) io.port.completion.results(i) := results(name).asBits
  io.port.activity.busy := state =/= Idle
  io.port.activity.readStall := (state === Run && !step.valid && (io.starving || io.lookupWaiting)) || (state === Header && !headerTake)
  io.port.activity.writeStall := io.write.valid && !io.write.ready || state === Finish

  private def fail(code: Bits, at: UInt): Unit = {
    state := Drain
    status := code
    errorOffset := at
  }
  private def fail(why: Status, at: UInt): Unit = fail(B(why.code, Status.Width bits), at)

  /** Goes to what the step's reference or value is to be stored in; true once the write is taken. */
  val store = new Area {
    val wanted = False
    val listMissing = step.repeated && !lists.io.ready
    own.valid := wanted && !listMissing && !(step.repeated && lists.io.full)
    when(wanted && step.repeated) {
      own.payload := ObjectWrite.value(lists.io.element,
        (step.action === Action.Scalar) ? step.value | fixedTop.asBits.resize(64), step.log2Size)
    } elsewhen (wanted && step.action =/= Action.Scalar) {
      own.payload := ObjectWrite.value(slot, fixedTop.asBits, U(2, 2 bits))
    }
    val done = wanted && own.fire
    when(wanted && listMissing) {
      lists.io.enter := True
      state := Enter
    }
    when(wanted && !listMissing && step.repeated && lists.io.full) { fail(Status.FlexibleArenaFull, step.position) }
    when(done) {
      step.ready := True
      lists.io.append := step.repeated
      presence.io.mark := !step.repeated
    }
  }

  switch(state) {
    is(Idle) {
      when(io.port.command.valid) {
        tag := io.port.command.tag
        operation := io.port.command.operation
        for ((to, from) <- arguments.zip(io.port.command.arguments)) to := from.asUInt
        state := Check
      }
    }
    is(Check) {
      depthLevel := 0
      groups := 0
      position := 0
      status := Status.Ok.code
      errorOffset := 0
      presence.io.clear := True
      lists.io.reset := True
      tableReady := False
      tableAddress := argument("table")
      fixedTop := ((argument("fixed") + 7) >> 3) << 3
      val asked = argument("max_depth")
      depthLimit := (asked === 0 || asked > p.maxDepth) ? U(p.maxDepth, p.levelWidth bits) | asked.resize(p.levelWidth)
      when(operation =/= Operation.ProtobufDeserialize.code) {
        fail(Status.BadCommand, U(0))
      } elsewhen (argument("fixed") > argument("fixed_limit") || argument("flexible") > argument("flexible_limit") ||
        argument("fixed") > U(0xfffffff8L, 32 bits) || argument("flexible") > U(0xfffffff8L, 32 bits)) {
        fail(Status.OutOfBounds, U(0))
      } otherwise {
        io.start.valid := True
        state := TableCheck
      }
    }
    // ---- a message begins: its table, then its object ----------------------
    is(Push) {
      stack.io.push := True
      presence.io.save := True
      lists.io.push := True
      depthLevel := depthLevel + 1
      tableAddress := table.address + tableAddress
      state := TableCheck
    }
    is(TableCheck) {
      headerBeat := 0
      state := Header
      val end = tableAddress +^ DescriptorLayout.HeaderSize
      when(tableAddress(3 downto 0) =/= 0 || tableAddress < runtime.tableBase || end > runtime.tableLimit.resize(33)) {
        fail(Status.BadDescriptor, position)
      }
    }
    is(Header) {
      val beat = headerBeat | headerTake.asUInt
      io.header.valid := !(headerTake && headerBeat === 1)
      io.header.payload := tableAddress + (beat << 4).resize(32)
      headerBeat := beat
      when(headerTake) {
        when(headerBeat === 0) { header.bits(127 downto 0) := io.cacheData } otherwise {
          header.bits(255 downto 128) := io.cacheData
          state := HeaderCheck
        }
      }
      when(io.cacheFault) { fail(Status.BusFault, position) }
    }
    is(HeaderCheck) {
      val slotsEnd = tableAddress.resize(40) + DescriptorLayout.HeaderSize + (U(DescriptorLayout.EntrySize, 40 bits) |<< header.slotsLog2)
      val hasbitsEnd = header.hasbitsOffset +^ (header.hasbitsWords << 2).resize(17)
      val bad = header.magic =/= DescriptorLayout.Magic || header.objectSize < ObjectLayout.Header.Size ||
        header.objectSize(2 downto 0) =/= 0 || header.hasbitsWords > DescriptorLayout.MaxHasbitsWords ||
        header.hasbitsWords =/= 0 && (header.hasbitsOffset(1 downto 0) =/= 0 ||
          header.hasbitsOffset < ObjectLayout.Header.Size || hasbitsEnd > header.objectSize.resize(18)) ||
        header.slotsLog2 > 20 || slotsEnd > runtime.tableLimit.resize(40)
      val objectEnd = fixedTop +^ header.objectSize
      when(bad) {
        fail(Status.BadDescriptor, position)
      } elsewhen (objectEnd > fixedLimit.resize(33)) {
        fail(Status.FixedArenaFull, position)
      } elsewhen (!initializer.io.busy && !presence.io.busy) {
        initializer.io.start := True
        io.prefetch.valid := tableBlocks =/= 0
        message := fixedTop
        fixedTop := objectEnd.resized
        table := header.context(tableAddress)
        tableReady := True
        state := Run
      }
    }
    // ---- fields -------------------------------------------------------------
    is(Run) {
      when(step.valid && !presence.io.busy) {
        position := step.position
        switch(step.action) {
          is(Action.Ignore) { step.ready := True }
          is(Action.SkipBytes) {
            step.ready := True
            io.directive.valid := True
            when(stepLength =/= 0) { io.directive.mode := ParserMode.Skip }
          }
          is(Action.Scalar) { store.wanted := True }
          is(Action.Packed) {
            step.ready := True
            io.directive.valid := True
            when(stepLength =/= 0) { io.directive.mode := step.packedMode }
          }
          is(Action.Str) {
            val end = fixedTop.resize(34) + StringCopier.size(stepLength)
            when(!copier.io.busy) {
              // A list that is still to be opened may need room itself first.
              when(end > fixedLimit.resize(34) && !store.listMissing) {
                fail(Status.FixedArenaFull, step.position)
              } otherwise {
                store.wanted := True
              }
            }
            when(store.done) {
              copier.io.start := True
              fixedTop := end.resized
              io.directive.valid := True
              when(stepLength =/= 0) { io.directive.mode := ParserMode.Bytes }
            }
          }
          is(Action.Message) {
            when(!step.repeated && presence.io.seen) {
              fail(Status.Unsupported, step.position)
            } elsewhen (depth >= depthLimit.resize(p.levelWidth + 1)) {
              fail(Status.DepthExceeded, step.position)
            } otherwise {
              store.wanted := True
            }
            when(store.done) {
              outer.remaining := step.remaining - stepLength
              outer.toInputEnd := step.toInputEnd
              tableAddress := step.subTable
              tableReady := False
              io.directive.valid := True
              io.directive.frame := True
              state := Push
            }
          }
          is(Action.GroupStart) {
            step.ready := True
            io.directive.valid := True
            groups := groups + 1
            when(depth >= depthLimit.resize(p.levelWidth + 1)) { fail(Status.DepthExceeded, step.position) }
          }
          is(Action.GroupEnd) {
            step.ready := True
            io.directive.valid := True
            groups := groups - 1
            when(groups === 0 || groupNumbers.readAsync(groups - 1, writeFirst) =/= step.number) { fail(Status.BadGroup, step.position) }
          }
          is(Action.End) {
            step.ready := True
            tableReady := False
            state := Close
            io.directive.valid := depthLevel =/= 0
            io.directive.frame := True
            io.directive.remaining := stack.io.top.remaining
            io.directive.toInputEnd := stack.io.top.toInputEnd
            when(groups =/= 0) { fail(Status.BadGroup, step.position) }
          }
          is(Action.Fail) { fail(step.status, step.position) }
        }
      }
    }
    is(Enter) {
      presence.io.mark := lists.io.opened
      when(lists.io.allocate) { fixedTop := fixedTop + ObjectLayout.ArrayList.Size }
      when(!lists.io.busy) { state := Run }
      when(lists.io.error) { fail(lists.io.status, position) }
    }
    // ---- a message ends -----------------------------------------------------
    is(Close) {
      lists.io.close := lists.io.state.open
      wordsLeft := presence.io.marked & ((U(1, 17 bits) |<< table.hasbitsWords) - 1).resize(16).asBits
      state := CloseWait
    }
    is(CloseWait) {
      when(!lists.io.busy) { state := WriteBits }
      when(lists.io.error) { fail(lists.io.status, position) }
    }
    is(WriteBits) {
      own.valid := wordsLeft.orR
      own.payload := ObjectWrite.value(message + table.hasbitsOffset + (presence.io.readIndex << 2), presence.io.hasbits, U(2, 2 bits))
      when(own.fire) { wordsLeft := wordsLeft & ~UIntToOh(presence.io.readIndex, 16) }
      when(!wordsLeft.orR) { state := (depthLevel === 0) ? Finish | Pop }
    }
    is(Pop) {
      val frame = stack.io.top
      depthLevel := depthLevel - 1
      message := frame.address
      table := frame.table
      tableReady := True
      presence.io.restore := True
      presence.io.level := depthLevel - 1
      lists.io.pop := True
      state := Run
    }
    // ---- the command ends ---------------------------------------------------
    is(Finish) {
      errorOffset := argument("length")
      when(io.pathIdle && io.combinerIdle && io.cacheIdle && io.readersIdle && !initializer.io.busy && !copier.io.busy) { state := Complete }
    }
    is(Drain) {
      tableReady := False
      when(io.pathIdle && io.combinerIdle && io.cacheIdle && io.readersIdle && !initializer.io.busy && !copier.io.busy) { state := Complete }
    }
    is(Complete) {
      when(io.port.completion.ready) { state := Idle }
    }
  }
  groupNumbers.write(groups, step.number, state === Run && step.valid && step.action === Action.GroupStart)
  val frame = Frame()
  frame.address := message
  frame.table := table
  frame.remaining := outer.remaining
  frame.toInputEnd := outer.toInputEnd
  frame.list := lists.io.state
  frame.presence := presence.io.marked
  stack.io.frame := frame

  val running = state =/= Idle && state =/= Check && state =/= Drain && state =/= Complete
  when(running) {
    when(io.violation) { fail(Status.OutOfBounds, position) }
    when(io.readFault) { fail(Status.BusFault, io.position) }
    when(io.writeFault) { fail(Status.BusFault, position) }
  }
}
