package heapwire.protobuf.engine

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.sequencer.Assembler

/** Where the words of an open message lie in the stack while a message in it is open. */
object Frame {
  val Table = 0
  val State = 1
  val Message = 2
  val End = 3
  val BitsAt = 4
  // If a list is open.
  val ListAt = 5
  val Array = 6
  val Element = 7
  val Count = 8
  val Limit = 9
  // If unknown fields are to be kept.
  val UnknownStart = 10
  val UnknownEnd = 11
  /** Of a group's level, unknown or not: its number. */
  val Group = 15
}

/** A command begins and ends; messages begin and end in it. */
class CommandProgram(assembler: Assembler) extends Microprogram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._

  label("begin")
  also.failOn(badOperation, Status.BadCommand)
  let(t3, argument(2))
  let(messageEnd, argument(1))
  look(t3 + 0).act(Act.askHeader)
  also.failOn(odd16, Status.BadDescriptor)
  let(input, argument(0))
  let(inputEnd, input + messageEnd)
  look(messageEnd - 0).act(Act.setPosition0)
  also.on(equal, "no input to read")
  look(input + 0).act(Act.startStream).data(inputEnd)
  label("no input to read")
  // It stays there for a struct at the root.
  let(nextAt, argument(5))
  let(t1, argument(4)).act(Act.setArena0).data(nextAt)
  look(nextAt - t1)
  let(fixedTop, t1 + 7).failUnless(carry, Status.OutOfBounds)
  let(fixedTop, fixedTop & -8).failOn(carry, Status.OutOfBounds)
  let(fixedLimit, nextAt & -8)
  look(fixedLimit - fixedTop)
  look(messageEnd + 0).act(Act.readMessage).on(carry, "flexible arena")
  let(fixedLimit, fixedTop)
  label("flexible arena")
  let(t0, argument(7))
  let(t1, argument(6)).act(Act.setArena1).data(t0)
  look(t0 - t1)
  let(top, t1 + 7).failUnless(carry, Status.OutOfBounds)
  let(top, top & -8).failOn(carry, Status.OutOfBounds)
  let(flexLimit, t0 & -8)
  look(flexLimit - top)
  let(ones, -1).on(carry, "take command")
  let(flexLimit, top)
  label("take command")
  also.act(Act.takeCommand)
  also.call("make room")
  also.on(headerNative, "begin struct")
  also.goto("begin object")

  // ---- subroutine: an object of the table at t3, whose header was asked for, gets its room, up to t1, and is being cleared --------
  label("make room")
  also.unless(cacheReady, "make room")
  let(t0, cached(1).low)
  let(t1, fixedTop + t0).on(headerNative, "room made")
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  let(t2, cleared).failUnless(carry, Status.FixedArenaFull)
  look(t2 - t0).failOn(headerTooStrict, Status.Unsupported)
  also.on(carry, "clear all")
  let(t0, t2)
  label("clear all")
  look(fixedTop + 0).act(Act.clear).data(t0).failOn(headerTooWide, Status.Unsupported)
  label("room made")
  also.back

  // ---- a message begins: its object is being cleared -----------------------------------------
  label("begin object")
  let(message, fixedTop).act(Act.setMessage)
  look(cached(3).high).act(Act.hasbitsBegin)
  let(fixedTop, t1)
  let(table, t3)
  let(t2, cached(3).low)
  let(bitsAt, message + cached(1).high)
  // A part that the type does not have lies at 0, and the header goes over it.
  store(Store.Word, message + cached(2).low, minusOne)
  store(Store.Word, message + cached(2).high, minusOne)
  store(Store.Word, message + cached(3).low, runtime(RuntimeRegister.UnknownFields.index))
  look(t2 - 0)
  store(Store.Header, message + 0, cached(0))
  also.unless(equal, "run")
  also.raise(noUnknownList)
  also.act(Act.run)

  // ---- a message ends -----------------------------------------------------------------------
  label("message ends")
  look(zero).act(Act.hasbitsAt).on(listOpen, "close at end")
  label("closed")
  also.act(Act.hasbitsHere)
  also.failOn(missingRequired, Status.MissingRequired)
  also.on(noHasbits, "ended")
  store(Store.Word, bitsAt + 0, hasbits).on(manyHasbits, "more hasbits")
  label("ended")
  also.on(atRoot, "finish")
  label("leave")
  also.act(Act.leave)
  also.pop(Frame.Table)
  also.pop(Frame.State)
  let(table, stacked).pop(Frame.Message)
  look(stacked).act(Act.setState).pop(Frame.End)
  let(message, stacked).act(Act.setMessage).pop(Frame.BitsAt)
  let(messageEnd, stacked)
  let(bitsAt, stacked).on(listOpen, "leave to list")
  label("left")
  look(table + 0).act(Act.askHeader)
  look(messageEnd + 0).act(Act.readMessage).on(unknownValid, "leave to unknown")
  also.act(Act.acceptAndRun)
  label("leave to unknown")
  also.pop(Frame.UnknownStart)
  also.pop(Frame.UnknownEnd)
  let(unknownStart, stacked)
  let(unknownEnd, stacked).act(Act.acceptAndRun)
  label("leave to list")
  also.pop(Frame.ListAt)
  also.pop(Frame.Array)
  let(listAt, stacked).pop(Frame.Element)
  let(array, stacked).pop(Frame.Count)
  look(stacked).act(Act.setElement).pop(Frame.Limit)
  look(stacked).act(Act.setCount)
  look(stacked).act(Act.setLimit).on(native, "leave to array")
  also.unless(onTop, "left")
  also.on(outerValid, "still on top")
  // The array got slack when one was opened above it.
  also.lower(onTop)
  let(t0, count)
  let(t1, element)
  look(t0 - 4)
  let(t0, t1 - array).on(carry, "slack as much")
  look(t1 + slack).act(Act.setLimit).goto("left")
  label("slack as much")
  let(t0, t0 + -ObjectLayout.Array.Elements)
  look(t1 + t0).act(Act.setLimit).goto("left")
  label("still on top")
  also.lower(outerValid).goto("left")
  // A struct was an element of t4 bytes.
  label("leave to array")
  let(t0, element).unless(elementOpen, "left")
  look(t0 + t4).act(Act.setElement)
  also.lower(elementOpen).goto("left")

  label("more hasbits")
  look(table + 0).act(Act.askTable)
  label("awaiting header")
  also.unless(cacheReady, "awaiting header")
  let(t1, cached(3).high)
  let(t0, bitsAt + 4)
  let(t2, 1)
  label("next hasbits")
  look(t2 + 0).act(Act.hasbitsAt)
  also.act(Act.hasbitsHere)
  store(Store.Word, t0 + 0, hasbits)
  let(t2, t2 + 1)
  look(t2 - t1)
  let(t0, t0 + 4).unless(carry, "next hasbits")
  also.goto("ended")

  // ---- subroutine: the open message is put aside ----------------------------------------------
  label("put aside")
  push(Frame.Table, table)
  let(t0, state)
  push(Frame.State, t0)
  push(Frame.Message, message)
  push(Frame.End, messageEnd)
  push(Frame.BitsAt, bitsAt)
  also.on(listOpen, "put list aside")
  label("list aside")
  also.on(unknownValid, "put unknown aside")
  also.back
  label("put unknown aside")
  push(Frame.UnknownStart, unknownStart)
  push(Frame.UnknownEnd, unknownEnd)
  also.back
  label("put list aside")
  push(Frame.ListAt, listAt)
  push(Frame.Array, array)
  let(t0, element)
  push(Frame.Element, t0)
  let(t0, count)
  push(Frame.Count, t0)
  let(t0, limit)
  push(Frame.Limit, t0)
  also.unless(onTop, "list aside")
  also.on(native, "list aside")
  let(outerArray, array).raise(outerValid)
  let(outerElement, element)
  let(outerCount, count)
  let(outerKlass, arrayKlass)
  let(outerSlack, slack).goto("list aside")

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
  look(fixedBase).act(Act.setResult1)
  look(flexibleBase).act(Act.setResult2).on(faultAtInput, "fault at input")
  also.on(faultAtUnknown, "fault at unknown")
  look(position).act(Act.setResult3).goto("complete")
  label("fault at input")
  look(windowAt).act(Act.setResult3).goto("complete")
  label("fault at unknown")
  look(unknownStart + 0).act(Act.setResult3).goto("complete")
  // It fails, perhaps before its arenas were looked at.
  label("take it")
  let(t0, argument(5))
  look(argument(4)).act(Act.setArena0).data(t0)
  let(t0, argument(7))
  look(argument(6)).act(Act.setArena1).data(t0)
  also.act(Act.takeCommand).goto("draining")
}

object CommandProgram {
  /** A power of two that the actions of fields fit below. */
  val Actions = 16
  /** Where a field's program begins: "managed" or "native", and the position of its action. */
  def handler(kind: String, action: Int): String = s"$kind $action"
}
