package heapwire.protobuf.execute

import heapwire.isa.Status
import heapwire.protobuf.Action
import heapwire.sequencer.Assembler

/** A command begins and ends; messages begin and end in it. */
class CommandProgram(assembler: Assembler) extends Microprogram(assembler) {
  import Act._
  import Cond._
  import Flag._
  import Operand._

  /** The address of an argument's arena, rounded up. */
  private def arena(from: Operand, to: Operand, rounded: Operand): Unit = {
    let(t0, from + 7).failOn(carry, Status.OutOfBounds)
    let(rounded, t0 & -8)
    let(t1, from)
    look(to - t1).failUnless(carry, Status.OutOfBounds)
  }
  label("begin")
  look(tableArgument).act(loadTable).failOn(badOperation, Status.BadCommand)
  also.act(Act.begin).raise(starting)
  also.raise(atRoot)
  arena(fixedArgument, fixedLimitArgument, fixedTop)
  arena(flexibleArgument, flexibleLimitArgument, top)
  let(messageEnd, lengthArgument).lower(starting)

  // ---- a message begins: its table, then its object ------------------------
  label("load")
  also.on(loaderPlain, "load object")
  also.on(loaderReady, "loaded specially")
  also.unless(loaderFailed, "load")
  also.goto("fail loader")
  label("load object")
  let(message, fixedTop).act(takeTable).lower(atRoot)
  let(fixedTop, fixedTop + objectSize).raise(tableReady).failOn(carry, Status.FixedArenaFull)
  look(fixedLimit - fixedTop).failUnless(carry, Status.FixedArenaFull)
  look(message).act(clearObject)
  // A part that the type does not have lies at 0, and the header goes over it.
  put(Store.Ones, message + memo)
  put(Store.Ones, message + otherMemo)
  put(Store.NoUnknown, message + unknownOffset)
  store(Store.Header, message, 0, klassWord).act(run)
  label("loaded specially")
  also.unless(special, "load object") // the table was ready after all
  also.on(headerNative, "begin struct")
  also.on(reopening, "reopen")
  also.goto("fail BAD_DESCRIPTOR")

  // ---- a message ends ------------------------------------------------------
  label("close")
  also.unless(listOpen, "closed").raise(closing)
  also.goto("close list")
  label("message ends")
  also.act(goOut).lower(tableReady).on(listOpen, "close")
  label("closed")
  also.act(hasbitsZero).failOn(missingRequired, Status.MissingRequired).lower(closing)
  also.unless(marked, "ended")
  label("next marked")
  put(Store.Hasbits, message + hasbitsPlace).act(hasbitsFirst).unless(markedMore, "ended")
  also.goto("next marked") // hasbits' first is late by a cycle
  label("ended")
  also.on(atLevelZero, "finish")
  also.act(pop).raise(tableReady).on(popsOnTop, "pop on top")
  let(messageEnd, messageEnd + remaining).act(run)
  label("pop on top")
  let(messageEnd, messageEnd + remaining).unless(outerValid, "got slack")
  also.act(run).lower(outerValid)
  // The array got slack when one was opened above it.
  label("got slack")
  also.lower(onTop)
  look(count - 4).on(carry, "double slack")
  let(limit, count + 4).act(run)
  label("double slack")
  let(limit, count + count).act(run)
  label("run")
  also.act(run)

  // ---- the command ends ----------------------------------------------------
  label("finish")
  also.act(finish)
  look(message).act(setRoot)
  look(fixedTop).act(setFixed)
  look(top).act(setFlexible)
  look(lengthArgument).act(setOffset)
  label("wait for all")
  also.unless(allIdle, "wait for all")
  label("complete")
  also.act(complete).unless(completionReady, "complete")
  for (kind <- Seq("managed", "native"); action <- Action.elements.size until CommandProgram.Actions) label(CommandProgram.handler(kind, action))
  also.goto("fail BAD_DESCRIPTOR")
  for (kind <- Seq("managed", "native")) label(CommandProgram.handler(kind, Action.Fail.position))
  look(0).act(fail).goto("drain")
  label("fail loader")
  look(CommandProgram.LoaderStatus).act(fail).goto("drain")
  for (status <- Status.all if status != Status.Ok) {
    label(Line.failure(status))
    look(status.code).act(fail).goto("drain")
  }
  label("drain")
  also.unless(killed, "drain")
  label("wait for drain")
  also.unless(allIdle, "wait for drain")
  look(0).act(setRoot)
  look(fixedArgument).act(setFixed)
  look(flexibleArgument).act(setFlexible).on(faultAtInput, "fault at input")
  also.on(faultAtText, "fault at text")
  also.on(faultAtUnknown, "fault at unknown")
  look(position).act(setOffset).goto("complete")
  label("fault at input")
  look(inputPosition).act(setOffset).goto("complete")
  label("fault at text")
  look(textPosition).act(setOffset).goto("complete")
  label("fault at unknown")
  look(unknownStart).act(setOffset).goto("complete")
}

object CommandProgram {
  /** A power of two that the actions of steps fit below. */
  val Actions = 16
  /** Where a step's program begins: "managed" or "native", and the position of its action. */
  def handler(kind: String, action: Int): String = s"$kind $action"
  /** Instead of a status code: that of the table loader; 0 is that of the step. */
  val LoaderStatus = 255
}
