package heapwire.protobuf

import heapwire.isa.Status
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Carries out the fields of a message that is a C struct, as nanopb does. What
  * nanopb calls an error ends the command, and so does what it has rules of its
  * own for: software lets nanopb do both (docs/units/nanopb.md).
  */
abstract class NativeExecution(p: ProtobufParameter, m: MemoryParameter) extends NativeHeap(p, m) {
  import ExecutorState._

  /** The command's own message begins. */
  val atRoot = RegInit(False)
  /** The message that begins: where, how it is begun, and what is known of it. */
  val nextMessage = Reg(UInt(32 bits))
  val nextBegins, nextWhole, nextFresh = Reg(Bool())

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
          when(placed && !nativeCopier.io.busy) {
            own.valid := True
            ownPlace := place
            when(own.fire) {
              step.ready := True
              advance(elementBytes.resize(32))
            }
          }
        }
        is(Action.Packed) {
          step.ready := True
          io.directive.valid := True
          when(stepLength =/= 0) { io.directive.mode := step.packedMode }
          when(stepLength === 0 && step.native.fixedCount) { fail(Status.Unsupported) }
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
        is(Action.Fail) { fail(step.status) }
        default { fail(Status.BadWireType) }
      }
    }
  }

  private def string(): Unit = {
    prepare()
    nativeCopier.io.start.valid := placed && text.fits && !nativeCopier.io.busy
    when(!text.fits) { fail(Status.DoesNotFit) }
    when(nativeCopier.io.start.valid) {
      step.ready := True
      checkingUtf8 := False
      advance(elementBytes.resize(32))
      io.directive.valid := True
      when(stepLength =/= 0) { io.directive.mode := ParserMode.Bytes }
    }
  }

  private def enterMessage(): Unit = {
    /** Whether a oneof holds this message already: if nothing of it has been stored, it does not. */
    val unsure = step.inOneof && !(fresh && !presence.io.seen) && !recalled
    val again = recalled && nativeReader.io.value === step.number.resize(32)
    when(depth >= depthLimit.resize(p.levelWidth + 1)) {
      fail(Status.DepthExceeded)
    } elsewhen (unsure && !step.native.pointer) {
      nativeReader.io.start := True
      state := RecallCase
    } otherwise {
      prepare()
      when(placed) {
        step.ready := True
        presence.io.mark := !step.repeated
        nextMessage := place
        nextBegins := step.repeated || step.native.pointer || step.inOneof && !again
        nextWhole := step.inOneof || step.native.pointer
        nextFresh := step.repeated || step.native.pointer || (step.inOneof ? !again | (fresh && !presence.io.seen))
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
      fail(Status.BadDescriptor)
    } elsewhen (misaligned) {
      fail(Status.BadAlignment)
    } elsewhen (atRoot && rootEnd > argument("fixed_limit").resize(33)) {
      fail(Status.FixedArenaFull)
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
    block := frame.block
    val restored = CombInit(frame.list)
    restored.open.removeAssignments() := frame.list.open && frame.table.native
    list := restored
    when(frame.list.kind === 1) {
      val mask = ((U(1, 4 bits) |<< table.alignLog2) - 1).resize(18)
      list.array := frame.list.array + ((table.objectSize.resize(18) + mask) & ~mask)
      list.kind := 0
    }
  }

  switch(state) {
    is(Begin) {
      when(!nativeInitializer.io.busy) {
        tableReady := True
        state := Run
      }
      when(nativeInitializer.io.error) { fail(nativeInitializer.io.status) }
    }
  }
}
