package heapwire.protobuf

import heapwire.isa.Status
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Carries out the fields of a message that is a C struct, as nanopb does. What
  * nanopb calls an error ends the command, and so does what it has rules of its
  * own for: software lets nanopb do both (docs/units/nanopb.md).
  *
  * One list a message is open: its count lies in the struct when it is closed,
  * and is read back when its field returns.
  */
abstract class NativeExecution(p: ProtobufParameter, m: MemoryParameter) extends FieldExecution(p, m) {
  import ExecutorState._

  /** The command's own message begins. */
  val atRoot = RegInit(False)
  /** The struct was begun by this command, and nothing but its fields has been stored since. */
  val fresh = Reg(Bool())
  /** The open list: `list` is where its count lies, `array` where its next element goes, `moved` says that it has no
    * count, `capacity` is its most elements, `kind` 1 that an element is a message that is open. */
  val list = Reg(ListState())
  /** The message that begins: where, how it is begun, and what is known of it. */
  val nextMessage = Reg(UInt(32 bits))
  val nextBegins, nextWhole, nextFresh = Reg(Bool())
  /** The has-flag or which of this step is written; a oneof's was read. */
  val presenceWritten, recalled = RegInit(False)

  private val countLog2 = table.wideCount ? U(2, 2 bits) | U(1, 2 bits)
  private val presenceAddress = message + step.caseOffset
  private val marksPresence = !step.repeated && (step.native.hasFlag || step.inOneof)
  private val presenceDue = marksPresence && !presenceWritten
  private val inList = list.open && list.bit === step.bit
  private val isFull = list.count >= list.capacity
  /** Everything before the value itself is done. */
  private val placed = step.repeated ? (inList && !isFull) | !presenceDue
  private val place = step.repeated ? list.array | slot
  when(step.ready) {
    presenceWritten := False
    recalled := False
  }

  /** What has to precede a field's value: the has-flag or which, or its list. A pulse a step; `placed` says it is done. */
  private def prepare(): Unit = {
    when(step.native.pointer) {
      fail(Status.Unsupported, step.position)
    } elsewhen (step.repeated) {
      when(!inList) { state := EnterNative } elsewhen (isFull) { fail(Status.DoesNotFit, step.position) }
    } elsewhen (presenceDue) {
      own.valid := True
      own.payload := ObjectWrite.value(presenceAddress, step.inOneof ? step.number.asBits.resize(64) | B(1, 64 bits),
        step.inOneof ? countLog2 | U(0, 2 bits))
      presenceWritten := own.fire
    }
  }

  private def advance(bytes: UInt): Unit = {
    when(step.repeated) {
      list.array := list.array + bytes
      list.count := list.count + 1
    } otherwise { presence.io.mark := True }
  }

  protected def actNative(): Unit = {
    when(step.valid && !presence.io.busy) {
      position := step.position
      switch(step.action) {
        is(Action.Ignore) { step.ready := True }
        is(Action.SkipBytes) {
          step.ready := True
          io.directive.valid := True
          when(stepLength =/= 0) { io.directive.mode := ParserMode.Skip }
        }
        is(Action.Scalar) {
          prepare()
          // What replaces a string in a oneof must not overtake it.
          when(placed && !step.native.pointer && !nativeCopier.io.busy) {
            own.valid := True
            own.payload := ObjectWrite.value(place, step.value, step.log2Size)
            when(own.fire) {
              step.ready := True
              advance((U(1, 4 bits) |<< step.log2Size).resize(32))
            }
          }
        }
        is(Action.Packed) {
          step.ready := True
          io.directive.valid := True
          when(stepLength =/= 0) { io.directive.mode := step.packedMode }
          when(stepLength === 0 && step.native.fixedCount) { fail(Status.Unsupported, step.position) }
        }
        is(Action.Str) { string() }
        is(Action.Message) { enterMessage() }
        is(Action.End) {
          step.ready := True
          tableReady := False
          state := Close
          io.directive.valid := depthLevel =/= 0
          io.directive.frame := True
          io.directive.remaining := stack.io.top.remaining
          io.directive.toInputEnd := stack.io.top.toInputEnd
        }
        is(Action.Fail) { fail(step.status, step.position) }
        default { fail(Status.BadWireType, step.position) }
      }
    }
  }

  /** A string or bytes in its place. */
  private val text = new Area {
    val header = step.native.isText ? U(0, 3 bits) | (table.wideCount ? U(4, 3 bits) | U(2, 3 bits))
    val needed = stepLength +^ (step.native.isText ? U(1, 3 bits) | header)
    val fits = step.native.fixedLength ? (stepLength === 0 || stepLength === step.native.elementSize.resize(32)) |
      (needed <= step.native.elementSize.resize(33))
    val start = nativeCopier.io.start.payload
    start.address := place
    start.zeros := step.native.fixedLength && stepLength === 0
    start.length := start.zeros ? step.native.elementSize.resize(32) | stepLength
    start.sized := !step.native.isText && !step.native.fixedLength
    start.wide := table.wideCount
    start.terminated := step.native.isText
  }

  private def string(): Unit = {
    prepare()
    nativeCopier.io.start.valid := placed && text.fits && !step.native.pointer && !nativeCopier.io.busy
    when(!step.native.pointer && placed && !text.fits) { fail(Status.DoesNotFit, step.position) }
    when(nativeCopier.io.start.valid) {
      step.ready := True
      checkingUtf8 := False
      advance(step.native.elementSize.resize(32))
      io.directive.valid := True
      when(stepLength =/= 0) { io.directive.mode := ParserMode.Bytes }
    }
  }

  private def enterMessage(): Unit = {
    /** Whether a oneof holds this message already: if nothing of it has been stored, it does not. */
    val unsure = step.inOneof && !(fresh && !presence.io.seen) && !recalled
    val again = recalled && nativeReader.io.value === step.number.resize(32)
    when(depth >= depthLimit.resize(p.levelWidth + 1)) {
      fail(Status.DepthExceeded, step.position)
    } elsewhen (unsure && !step.native.pointer) {
      nativeReader.io.start := True
      state := RecallCase
    } otherwise {
      prepare()
      when(placed && !step.native.pointer) {
        step.ready := True
        presence.io.mark := !step.repeated
        nextMessage := place
        nextBegins := step.repeated || step.inOneof && !again
        nextWhole := step.inOneof
        nextFresh := step.repeated || (step.inOneof ? !again | (fresh && !presence.io.seen))
        when(step.repeated) {
          list.count := list.count + 1
          list.kind := 1
        }
        outer.remaining := step.rest
        outer.toInputEnd := step.toInputEnd
        messageEnd := fieldEnd
        entersGroup := False
        subTable := step.subTable
        tableReady := False
        io.directive.valid := True
        io.directive.frame := True
        state := Push
      }
    }
  }

  /** State Load, for a table that is native or has to be. */
  protected def beginNative(): Unit = {
    val header = loader.io.header
    val at = atRoot ? argument("fixed") | nextMessage
    val rootEnd = argument("fixed") +^ header.objectSize
    val misaligned = (at(2 downto 0) & ((U(1, 4 bits) |<< header.alignLog2) - 1).resize(3)) =/= 0
    when(!header.native || !atRoot && !table.native) {
      fail(Status.BadDescriptor, position)
    } elsewhen (misaligned) {
      fail(Status.BadAlignment, position)
    } elsewhen (atRoot && rootEnd > argument("fixed_limit").resize(33)) {
      fail(Status.FixedArenaFull, position)
    } elsewhen (enginesIdle && !presence.io.busy) {
      nativeInitializer.io.start := atRoot || nextBegins
      nativeInitializer.io.whole := !atRoot && nextBegins && nextWhole
      nativeInitializer.io.address := at
      nativeInitializer.io.table := loader.io.table.address
      loader.io.take := True
      message := at
      table := loader.io.table
      fresh := atRoot || nextFresh
      list.open := False
      state := Begin
    }
  }

  /** The message around this one goes on with its list. */
  protected def popNative(frame: Frame): Unit = {
    fresh := frame.fresh
    val restored = CombInit(frame.list)
    restored.open.removeAssignments() := frame.list.open && frame.table.native
    list := restored
    when(frame.list.kind === 1) {
      val mask = ((U(1, 4 bits) |<< table.alignLog2) - 1).resize(18)
      list.array := frame.list.array + ((table.objectSize.resize(18) + mask) & ~mask)
      list.kind := 0
    }
  }

  /** Closes the open list. */
  protected def closeNative(): Unit = {
    when(list.moved) {
      list.open := False
      when(list.count =/= list.capacity) { fail(Status.DoesNotFit, position) }
    } otherwise {
      own.valid := True
      own.payload := ObjectWrite.value(list.list, list.count.asBits, countLog2)
      when(own.fire) { list.open := False }
    }
  }

  switch(state) {
    is(Begin) {
      when(!nativeInitializer.io.busy) {
        tableReady := True
        state := Run
      }
      when(nativeInitializer.io.error) { fail(nativeInitializer.io.status, position) }
    }
    is(EnterNative) {
      val known = fresh && !presence.io.seen
      when(list.open) {
        closeNative()
        // nanopb may come back to such a list.
        when(list.moved && list.count =/= list.capacity && !step.native.fixedCount) { fail(Status.Unsupported, position) }
      } elsewhen (step.native.fixedCount && presence.io.seen) {
        fail(Status.Unsupported, position)
      } otherwise {
        list.bit := step.bit
        list.log2Size := step.log2Size
        list.kind := 0
        list.moved := step.native.fixedCount
        list.capacity := step.native.maxCount.resized
        list.list := presenceAddress
        list.array := slot
        list.count := 0
        when(known || step.native.fixedCount) {
          list.open := True
          presence.io.mark := True
          state := Run
        } otherwise {
          nativeReader.io.start := True
          state := Recall
        }
      }
    }
    is(Recall) {
      val count = nativeReader.io.value(15 downto 0)
      val size = step.native.isString ? step.native.elementSize | (U(1, 4 bits) |<< step.log2Size).resize(16)
      when(!nativeReader.io.busy) {
        list.open := True
        presence.io.mark := True
        list.count := nativeReader.io.value
        list.array := slot + count * size
        state := Run
        // Where its elements lie is known by the table of their type only.
        when(step.native.isMessage && nativeReader.io.value =/= 0) { fail(Status.Unsupported, position) }
      }
      when(nativeReader.io.failed) { fail(Status.BusFault, position) }
    }
    is(RecallCase) {
      when(!nativeReader.io.busy) {
        recalled := True
        state := Run
      }
      when(nativeReader.io.failed) { fail(Status.BusFault, position) }
    }
  }
}
