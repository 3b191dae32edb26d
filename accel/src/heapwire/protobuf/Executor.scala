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
case class Executor(p: ProtobufParameter, m: MemoryParameter) extends OpenMessage(p, m) {
  object State extends SpinalEnum {
    val Idle, Check, Load, Run, Enter, Push, Close, CloseWait, WriteBits, Pop, Finish, Drain, Complete = newElement()
  }
  import State._
  val state = RegInit(Idle)

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
  io.port.activity.readStall := (state === Run && !step.valid && (io.starving || io.lookupWaiting)) || loader.io.waiting
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
        loader.io.start := True
        loader.io.address := argument("table")
        state := Load
      }
    }
    // ---- a message begins: its table, then its object ----------------------
    is(Push) {
      stack.io.push := True
      presence.io.save := True
      lists.io.push := True
      depthLevel := depthLevel + 1
      loader.io.start := True
      state := Load
    }
    is(Load) {
      val objectEnd = fixedTop +^ loader.io.header.objectSize
      when(loader.io.failed) { fail(loader.io.status, position) }
      when(loader.io.ready) {
        when(objectEnd > fixedLimit.resize(33)) {
          fail(Status.FixedArenaFull, position)
        } elsewhen (!initializer.io.busy && !presence.io.busy) {
          initializer.io.start := True
          loader.io.take := True
          message := fixedTop
          fixedTop := objectEnd.resized
          table := loader.io.table
          tableReady := True
          state := Run
        }
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
              subTable := step.subTable
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
      when(io.pathIdle && io.combinerIdle && io.cacheIdle && io.readersIdle && !initializer.io.busy && !copier.io.busy && !lists.io.busy) {
        state := Complete
      }
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
