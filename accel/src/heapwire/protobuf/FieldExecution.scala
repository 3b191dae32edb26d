package heapwire.protobuf

import heapwire.isa._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Carries out the fields of the open message in order: one scalar, or one
  * element of a list that is open, a cycle; other fields start an engine (string
  * copier, list builder, object initializer) or open and close a message.
  */
abstract class FieldExecution(p: ProtobufParameter, m: MemoryParameter) extends OpenMessage(p, m) {
  import ExecutorState._
  val state = RegInit(Idle)
  /** What was under way has been forgotten: until then an engine may still write, though nothing else is. */
  val killed = RegNext(state === Drain) init False

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
  io.flush := (state === Finish || state === Flush || lists.io.flush || reopener.io.flush || nativeReader.io.flush) && io.pathIdle && enginesIdle
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
    "flexible_top" -> (failed ? argument("flexible") | (table.native ? heapTop | lists.io.top)),
    "offset" -> (failed ? errorOffset | argument("length")))
  for ((name, i) <- Operation.ProtobufDeserialize.results.zipWithIndex) io.port.completion.results(i) := results(name).asBits
  io.port.activity.busy := state =/= Idle
  io.port.activity.readStall := (state === Run && !step.valid && (io.starving || io.lookupWaiting)) || loader.io.waiting
  io.port.activity.tableStall := (state === Run && !step.valid && !io.starving && io.lookupWaiting) || loader.io.waiting
  io.port.activity.writeStall := io.write.valid && !io.write.ready || state === Finish

  /** Ends the command. The fault lies at `position`, which may be set in the same cycle, unless said otherwise. */
  protected def fail(code: Bits, at: FaultAt.E = FaultAt.Position): Unit = {
    state := Drain
    status := code
    faultAt := at
  }
  protected def fail(why: Status, at: FaultAt.E): Unit = fail(B(why.code, Status.Width bits), at)
  protected def fail(why: Status): Unit = fail(why, FaultAt.Position)

  /** The input offset behind a field, what its length spans included. */
  val fieldEnd = messageEnd - step.rest
  /** A message that occurs again was looked for; the message that begins is merged into it. */
  val sought = RegInit(False)
  val reopening = RegInit(False)

  /** The number of an enum was looked for, and is declared. */
  val judged = RegInit(False)
  val isDeclared = Reg(Bool())
  val undeclared = step.checkEnum && judged && !isDeclared
  when(step.ready) { judged := False }

  // The open message's list of unknown fields takes the step's place.
  val keeping = state === Keep || state === KeepWait
  when(keeping) {
    presence.io.bit := table.unknownBit
    lists.io.target.bit := table.unknownBit
    lists.io.target.kind := TypeFacts.UnknownFields
    lists.io.target.log2Size := 0
    lists.io.target.slot := message + table.unknownOffset
    lists.io.target.fromMemory := True
    lists.io.target.room := unknown.end - unknown.start
  }
  val endsGroup = step.action === Action.GroupEnd && groups === 0
  val ends = step.action === Action.End || endsGroup
  val keeps = (step.unknown && !endsGroup || step.action === Action.Scalar && undeclared) && table.unknownOffset =/= DescriptorLayout.NoOffset
  /** Unknown fields have to be stored before this step. */
  val keepFirst = unknown.valid && (keeps && unknown.end =/= step.position || ends)

  /** Goes to what the step's reference or value is to be stored in; true once the write is taken. */
  val store = new Area {
    val wanted = False
    val listMissing = step.repeated && !lists.io.ready
    /** A member of a oneof: its case word goes first. */
    val caseWritten = RegInit(False)
    val caseDue = step.inOneof && !caseWritten
    own.valid := wanted && !listMissing && !(step.repeated && lists.io.full)
    when(wanted && step.repeated) {
      ownPlace := lists.io.element
    }
    when(wanted && step.action =/= Action.Scalar) {
      ownWord := fixedTop.asBits
      ownLog2 := 2
    }
    when(wanted && caseDue) { put(message + step.caseOffset, step.number.asBits.resize(32), U(2, 2 bits)) }
    val done = wanted && own.fire && !caseDue
    when(wanted && own.fire) { caseWritten := caseDue }
    when(wanted && listMissing) {
      lists.io.enter := True
      state := Enter
    }
    when(wanted && !listMissing && step.repeated && lists.io.full) { fail(Status.FlexibleArenaFull) }
    when(done) {
      step.ready := True
      lists.io.append := step.repeated
      presence.io.mark := !step.repeated
    }
  }

  /** Takes a step, in state Run. */
  protected def act(): Unit = {
    when(step.valid && !presence.io.busy && keepFirst) {
      state := Keep
    } elsewhen (step.valid && !presence.io.busy) {
      when(keeps) {
        unknown.valid := True
        unknown.end := fieldEnd
        when(!unknown.valid) { unknown.start := step.position }
      }
      position := step.position
      switch(step.action) {
        is(Action.Ignore) { step.ready := True }
        is(Action.SkipBytes) {
          step.ready := True
          io.directive.valid := True
          when(stepLength =/= 0) { io.directive.mode := ParserMode.Skip }
        }
        is(Action.Scalar) {
          when(step.checkEnum && !judged) {
            enums.io.start := True
            state := Judge
          } elsewhen (undeclared) {
            step.ready := True
          } otherwise {
            store.wanted := True
          }
        }
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
              fail(Status.FixedArenaFull)
            } otherwise {
              store.wanted := True
            }
          }
          when(store.done) {
            copier.io.start := True
            checkingUtf8 := step.checkUtf8
            stringPosition := step.position
            fixedTop := end.resized
            io.directive.valid := True
            when(stepLength =/= 0) { io.directive.mode := ParserMode.Bytes }
          }
        }
        is(Action.Message) {
          val merges = sought && reopener.io.found
          when(depth >= depthLimit.resize(p.levelWidth + 1)) {
            fail(Status.DepthExceeded)
          } elsewhen (!step.repeated && presence.io.seen && !sought) {
            reopener.io.find := True
            state := Find
          } elsewhen (merges) {
            step.ready := True
          } otherwise {
            store.wanted := True
          }
          when(store.done || merges) {
            sought := False
            reopening := merges
            outer.remaining := step.group ? U(0) | step.rest
            outer.toInputEnd := step.toInputEnd
            messageEnd := step.group ? messageEnd | fieldEnd
            entersGroup := step.group
            subTable := step.subTable
            tableReady := False
            io.directive.valid := True
            io.directive.frame := !step.group
            state := Push
          }
        }
        is(Action.GroupStart) {
          step.ready := True
          io.directive.valid := True
          groups := groups + 1
          when(depth >= depthLimit.resize(p.levelWidth + 1)) { fail(Status.DepthExceeded) }
        }
        is(Action.GroupEnd) {
          step.ready := True
          io.directive.valid := True
          when(groups === 0 && !group || innermostGroup =/= step.number) { fail(Status.BadGroup) } elsewhen (groups =/= 0) {
            groups := groups - 1
          } otherwise {
            position := fieldEnd
            tableReady := False
            state := Close
          }
        }
        is(Action.End) {
          step.ready := True
          tableReady := False
          state := Close
          io.directive.valid := depthLevel =/= 0
          io.directive.frame := True
          io.directive.remaining := stack.io.top.remaining
          io.directive.toInputEnd := stack.io.top.toInputEnd
          when(groups =/= 0 || group) { fail(Status.BadGroup) }
        }
        is(Action.Fail) { fail(step.status) }
      }
    }
  }

  private val innermostGroup = groupNumbers.readAsync((depth - 1).resize(p.levelWidth), writeFirst)
  groupNumbers.write(depth.resize(p.levelWidth), step.number,
    state === Run && step.valid && (step.action === Action.GroupStart || step.action === Action.Message))
}
