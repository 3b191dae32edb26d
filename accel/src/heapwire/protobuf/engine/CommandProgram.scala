package heapwire.protobuf.engine

import heapwire.isa.{RuntimeRegister, Status}
import heapwire.sequencer.Assembler

/** Where the words of an open message lie in the stack while a message in it is open. */
object Frame {
  val Table = 0
  val Message = 1
  val End = 2
  val State = 3
  val ListAt = 4
  val Array = 5
  val Element = 6
  val Count = 7
  val Limit = 8
  val UnknownStart = 9
  val UnknownEnd = 10
  /** Of a group's level, unknown or not: its number. */
  val Group = 15
}

/** A command begins and ends; messages begin and end in it. */
class CommandProgram(assembler: Assembler) extends Microprogram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  private val HeaderRest = 16

  label("begin")
  also.failOn(badOperation, Status.BadCommand)
  let(table, argument(2))
  look(table + HeaderRest).act(Act.askTable)
  let(input, argument(0))
  let(messageEnd, argument(1))
  let(inputEnd, input + messageEnd)
  look(messageEnd - 0).act(Act.setPosition0)
  also.on(equal, "no input to read")
  look(input + 0).act(Act.startStream).data(inputEnd)
  label("no input to read")
  let(t0, argument(5))
  let(fixed, argument(4)).act(Act.setArena0).data(t0)
  look(t0 - fixed)
  let(fixedTop, fixed + 7).failUnless(carry, Status.OutOfBounds)
  let(fixedTop, fixedTop & -8).failOn(carry, Status.OutOfBounds)
  let(fixedLimit, t0 & -8)
  look(fixedLimit - fixedTop)
  also.on(carry, "flexible arena")
  let(fixedLimit, fixedTop)
  label("flexible arena")
  let(t0, argument(7))
  let(flexible, argument(6)).act(Act.setArena1).data(t0)
  look(t0 - flexible)
  let(top, flexible + 7).failUnless(carry, Status.OutOfBounds)
  let(top, top & -8).failOn(carry, Status.OutOfBounds)
  let(flexLimit, t0 & -8)
  let(noUnknown, runtime(RuntimeRegister.UnknownFields.index))
  look(flexLimit - top)
  let(ones, -1).on(carry, "take command")
  let(flexLimit, top)
  label("take command")
  also.act(Act.takeCommand)

  // ---- a message begins: the second half of its table's header was asked for ------------
  label("load")
  also.unless(cacheReady, "load")
  look(table + 0).act(Act.setContext)
  look(messageEnd + 0).act(Act.readMessage).failOn(headerTooStrict, Status.Unsupported)
  let(t4, cleared).on(headerNative, "begin struct")
  look(table + 0).act(Act.askTable).on(reopening, "reopen")
  let(t4, t4 + -1)
  let(message, fixedTop)
  look(message + 0).act(Act.setMessage)
  label("load object")
  also.unless(cacheReady, "load object")
  let(t0, cached(1).low)
  let(t1, fixedTop + t0).failOn(headerTooWide, Status.Unsupported)
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  look(t4 - t0).failUnless(carry, Status.FixedArenaFull)
  let(fixedTop, t1).on(carry, "clear all")
  let(t0, t4 + 1)
  label("clear all")
  look(message + 0).act(Act.clear).data(t0)
  look(cached(3).high).act(Act.hasbitsBegin)
  // A part that the type does not have lies at 0, and the header goes over it.
  let(t0, cached(3).low)
  store(Store.Word, message + cached(2).low, ones)
  store(Store.Word, message + cached(2).high, ones)
  store(Store.Word, message + cached(3).low, noUnknown)
  look(t0 - 0)
  also.unless(equal, "message header")
  also.raise(noUnknownList)
  label("message header")
  store(Store.Header, message + 0, cached(0)).act(Act.run)

  // ---- a message ends -----------------------------------------------------------------------
  label("message ends")
  look(table + 0).act(Act.askTable).on(listOpen, "close at end")
  label("closed")
  also.lower(closing)
  look(zero).act(Act.hasbitsAt)
  label("awaiting header")
  also.unless(cacheReady, "awaiting header")
  let(t0, cached(1).high)
  let(t0, t0 + message).failOn(missingRequired, Status.MissingRequired)
  let(t1, cached(3).high)
  look(t1 - 0)
  let(t2, 0).on(equal, "ended")
  label("next hasbits")
  store(Store.Word, t0 + 0, hasbits)
  let(t2, t2 + 1)
  look(t2 - t1)
  let(t0, t0 + 4).on(carry, "ended")
  look(t2 + 0).act(Act.hasbitsAt).goto("next hasbits")
  label("ended")
  also.on(atRoot, "finish")
  also.call("leave")
  also.on(onTop, "pop on top")
  label("go on")
  look(messageEnd + 0).act(Act.readMessage)
  also.act(Act.acceptAndRun)
  label("pop on top")
  look(array + 16).on(outerValid, "still on top")
  // The array got slack when one was opened above it.
  also.lower(onTop)
  let(t0, count)
  let(t1, element)
  look(t0 - 4)
  let(t0, t1 - array).on(carry, "slack as much")
  let(t1, t1 + slack)
  look(t1 + 0).act(Act.setLimit).goto("go on")
  label("slack as much")
  let(t0, t0 + -16)
  look(t1 + t0).act(Act.setLimit).goto("go on")
  label("still on top")
  also.lower(outerValid).goto("go on")

  // ---- subroutine: the message around the open one is the open one again; its context is being set -----
  label("leave")
  also.act(Act.leave)
  also.pop(Frame.Table)
  also.pop(Frame.Message)
  let(table, stacked).pop(Frame.End)
  let(message, stacked).pop(Frame.State)
  let(messageEnd, stacked).pop(Frame.ListAt)
  look(stacked).act(Act.setState).pop(Frame.Array)
  let(listAt, stacked).pop(Frame.Element)
  let(array, stacked).pop(Frame.Count)
  look(stacked).act(Act.setElement).pop(Frame.Limit)
  look(stacked).act(Act.setCount).pop(Frame.UnknownStart)
  look(stacked).act(Act.setLimit).pop(Frame.UnknownEnd)
  let(unknownStart, stacked)
  let(unknownEnd, stacked)
  look(table + HeaderRest).act(Act.askTable)
  look(message + 0).act(Act.setMessage)
  label("leaving")
  also.unless(cacheReady, "leaving")
  look(table + 0).act(Act.setContext)
  also.back

  // ---- subroutine: the open message is put aside -----------------------------------------------
  label("put aside")
  push(Frame.Table, table)
  push(Frame.Message, message)
  push(Frame.End, messageEnd)
  let(t0, state)
  push(Frame.State, t0)
  push(Frame.ListAt, listAt)
  push(Frame.Array, array)
  let(t0, element)
  push(Frame.Element, t0)
  let(t0, count)
  push(Frame.Count, t0)
  let(t0, limit)
  push(Frame.Limit, t0)
  push(Frame.UnknownStart, unknownStart)
  push(Frame.UnknownEnd, unknownEnd)
  also.back

  // ---- the command ends ----------------------------------------------------------------------------
  label("finish")
  look(message + 0).act(Act.setResult0)
  look(fixedTop + 0).act(Act.setResult1)
  look(top + 0).act(Act.setResult2)
  look(messageEnd + 0).act(Act.setResult3)
  label("wait for all")
  also.act(Act.flush).unless(allIdle, "wait for all")
  label("complete")
  also.act(Act.complete).unless(completionReady, "complete")
  for (kind <- Seq("managed", "native"); action <- Action.elements.size until CommandProgram.Actions) label(CommandProgram.handler(kind, action))
  also.goto("fail BAD_DESCRIPTOR")
  for (kind <- Seq("managed", "native")) label(CommandProgram.handler(kind, Action.Fail.position))
  look(0).act(Act.fail).goto("drain")
  for (status <- Status.all if status != Status.Ok && status.code < 48) {
    label(Line.failure(status))
    look(status.code).act(Act.fail).goto("drain")
  }
  label("drain")
  also.unless(commandTaken, "take it")
  label("draining")
  also.unless(allIdle, "draining")
  look(zero).act(Act.setResult0)
  look(fixed + 0).act(Act.setResult1)
  look(flexible + 0).act(Act.setResult2).on(faultAtInput, "fault at input")
  also.on(faultAtUnknown, "fault at unknown")
  look(position).act(Act.setResult3).goto("complete")
  label("fault at input")
  look(windowAt).act(Act.setResult3).goto("complete")
  label("fault at unknown")
  look(unknownStart + 0).act(Act.setResult3).goto("complete")
  // It fails before its arenas were looked at.
  label("take it")
  let(fixed, argument(4))
  let(flexible, argument(6))
  also.act(Act.takeCommand).goto("draining")
}

object CommandProgram {
  /** A power of two that the actions of fields fit below. */
  val Actions = 16
  /** Where a field's program begins: "managed" or "native", and the position of its action. */
  def handler(kind: String, action: Int): String = s"$kind $action"
}
