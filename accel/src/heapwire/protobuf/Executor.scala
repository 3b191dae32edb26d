package heapwire.protobuf

import heapwire.isa._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Carries out a command: checks it, begins and ends messages, drains everything
  * and completes. Owns the fixed arena, the open message and the stack of those
  * around it.
  */
case class Executor(p: ProtobufParameter, m: MemoryParameter) extends NativeExecution(p, m) {
  import ExecutorState._

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
      messageEnd := argument("length")
      group := False
      unknown.valid := False
      store.caseWritten := False
      sought := False
      judged := False
      reopening := False
      status := Status.Ok.code
      faultAt := FaultAt.Position
      presence.io.clear := True
      lists.io.reset := True
      tableReady := False
      atRoot := True
      list.open := False
      presenceWritten := False
      pointed := False
      written := 0
      heapTop := ((argument("flexible") + 7) >> 3) << 3
      recalled := False
      fixedTop := ((argument("fixed") + 7) >> 3) << 3
      val asked = argument("max_depth")
      depthLimit := (asked === 0 || asked > p.maxDepth) ? U(p.maxDepth, p.levelWidth bits) | asked.resize(p.levelWidth)
      when(operation =/= Operation.ProtobufDeserialize.code) {
        fail(Status.BadCommand)
      } elsewhen (argument("fixed") > argument("fixed_limit") || argument("flexible") > argument("flexible_limit") ||
        argument("fixed") > U(0xfffffff8L, 32 bits) || argument("flexible") > U(0xfffffff8L, 32 bits)) {
        fail(Status.OutOfBounds)
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
      atRoot := False
      presence.io.save := True
      lists.io.push := True
      depthLevel := depthLevel + 1
      group := entersGroup
      unknown.valid := False
      loader.io.start := True
      state := Load
    }
    is(Load) {
      val objectEnd = fixedTop +^ loader.io.header.objectSize
      when(loader.io.failed) { fail(loader.io.status) }
      when(loader.io.ready) {
        when(loader.io.header.native || table.native && !atRoot) {
          beginNative()
        } elsewhen (reopening) {
          when(!initializer.io.busy && !presence.io.busy) {
            reopener.io.open := True
            state := Reopen
          }
        } elsewhen(objectEnd > fixedLimit.resize(33)) {
          fail(Status.FixedArenaFull)
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
    is(Reopen) {
      reopening := False
      when(!reopener.io.busy) {
        loader.io.take := True
        message := reopener.io.address
        table := loader.io.table
        tableReady := True
        state := Run
      }
      when(reopener.io.error) { fail(reopener.io.status) }
    }
    // ---- fields -------------------------------------------------------------
    is(Run) { when(table.native) { actNative() } otherwise { act() } }
    is(Enter) {
      presence.io.mark := lists.io.opened
      when(lists.io.allocate) { fixedTop := fixedTop + ObjectLayout.ArrayList.Size }
      when(!lists.io.busy) { state := Run }
      when(lists.io.error) { fail(lists.io.status) }
    }
    is(Find) {
      sought := True
      when(!reopener.io.busy) { state := Run }
      when(reopener.io.error) { fail(reopener.io.status) }
    }
    is(Judge) {
      judged := True
      isDeclared := enums.io.declared
      when(!enums.io.busy) {
        state := Run
        io.declared.valid := enums.io.declared
        when(!enums.io.declared && (step.element || table.mapEntry)) { fail(Status.Unsupported) }
      }
      when(enums.io.error) { fail(enums.io.status) }
    }
    // ---- unknown fields go to their list ------------------------------------
    is(Keep) {
      lists.io.enter := True
      state := KeepWait
    }
    is(KeepWait) {
      presence.io.mark := lists.io.opened
      when(lists.io.allocate) { fixedTop := fixedTop + ObjectLayout.ArrayList.Size }
      when(!lists.io.busy) {
        unknown.valid := False
        state := Run
      }
      when(lists.io.error) { fail(lists.io.status, FaultAt.Unknown) }
    }
    // ---- a message ends -----------------------------------------------------
    is(Close) {
      when(table.native && list.open) {
        closeNative()
      } otherwise {
        lists.io.close := lists.io.state.open
        wordsLeft := presence.io.marked & ((U(1, 17 bits) |<< table.hasbitsWords) - 1).resize(16).asBits
        state := CloseWait
      }
    }
    is(CloseWait) {
      presence.io.readIndex := 0
      when(!lists.io.busy) {
        state := WriteBits
        when((~presence.io.hasbits & requiredMask).orR) { fail(Status.MissingRequired) }
      }
      when(lists.io.error) { fail(lists.io.status) }
    }
    is(WriteBits) {
      own.valid := wordsLeft.orR
      put(message + table.hasbitsOffset + (presence.io.readIndex << 2), presence.io.hasbits, U(2, 2 bits))
      when(own.fire) { wordsLeft := wordsLeft & ~UIntToOh(presence.io.readIndex, 16) }
      when(!wordsLeft.orR) { state := (depthLevel === 0) ? Finish | Pop }
    }
    is(Pop) {
      val frame = stack.io.top
      depthLevel := depthLevel - 1
      message := frame.address
      messageEnd := messageEnd + frame.remaining
      group := frame.group
      unknown := frame.unknown
      table := frame.table
      tableReady := True
      presence.io.restore := True
      presence.io.level := depthLevel - 1
      lists.io.pop := !frame.table.native
      popNative(frame)
      state := Run
    }
    // ---- the command ends ---------------------------------------------------
    is(Finish) {
      when(io.pathIdle && io.combinerIdle && io.cacheIdle && io.readersIdle && enginesIdle) { state := Complete }
    }
    is(Drain) {
      tableReady := False
      when(killed && io.pathIdle && io.combinerIdle && io.cacheIdle && io.readersIdle && enginesIdle && !lists.io.busy) {
        state := Complete
      }
    }
    is(Complete) {
      when(io.port.completion.ready) { state := Idle }
    }
  }
  val frame = Frame()
  frame.address := message
  frame.table := table
  frame.remaining := outer.remaining
  frame.toInputEnd := outer.toInputEnd
  frame.group := group
  frame.unknown := unknown
  frame.list := lists.io.state
  when(table.native) { frame.list := list }
  frame.fresh := fresh
  frame.block := block
  frame.presence := presence.io.marked
  stack.io.frame := frame

  val running = state =/= Idle && state =/= Check && state =/= Drain && state =/= Complete
  when(running) {
    when(io.violation) { fail(Status.OutOfBounds) }
    when(io.readFault) { fail(Status.BusFault, FaultAt.Input) }
    when(utf8.io.error) { fail(Status.InvalidUtf8, FaultAt.Text) }
    when(io.writeFault) { fail(Status.BusFault) }
  }
}
