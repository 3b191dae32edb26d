package heapwire.protobuf.engine

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.sequencer.Assembler

/** A command begins and ends; messages begin and end in it. */
class CommandProgram(assembler: Assembler) extends Microprogram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._

  label("begin")
  let(ones, -1).failOn(badOperation, Status.BadCommand)
  let(input, argument(0))
  let(messageEnd, argument(1))
  let(table, argument(2))
  look(messageEnd - 0).act(Act.setPosition0)
  let(inputEnd, input + messageEnd).on(equal, "no input to read")
  look(input + 0).act(Act.startStream).data(inputEnd)
  label("no input to read")
  look(table + 0).act(Act.askHeader)
  let(t1, argument(4))
  // It stays there for a struct at the root.
  let(nextAt, argument(5))
  look(nextAt - t1).failOn(odd16, Status.BadDescriptor)
  let(fixedTop, t1 + 7).failUnless(carry, Status.OutOfBounds)
  let(fixedTop, fixedTop & -8).failOn(carry, Status.OutOfBounds)
  let(fixedLimit, nextAt & -8)
  look(fixedLimit - fixedTop)
  look(messageEnd + 0).act(Act.readMessage).on(carry, "flexible arena")
  let(fixedLimit, fixedTop)
  label("flexible arena")
  let(t1, argument(6))
  let(t0, argument(7))
  look(t0 - t1)
  let(top, t1 + 7).failUnless(carry, Status.OutOfBounds)
  let(top, top & -8).failOn(carry, Status.OutOfBounds)
  let(flexLimit, t0 & -8)
  look(flexLimit - top)
  let(stringLimit, fixedLimit + -Strings.Size).on(carry, "take command")
  let(flexLimit, top)
  let(stringLimit, fixedLimit + -Strings.Size)
  label("take command")
  also.act(Act.takeCommand).on(carry, "begin object")
  let(stringLimit, 0)

  // ---- a message begins: its header was asked for, and its object gets its room and is cleared ---------------
  label("begin object")
  also.unless(cacheReady, "begin object")
  let(t0, cached(1).low)
  let(t1, fixedTop + t0).on(headerNative, "begin struct")
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  look(fixedTop + 0).act(Act.clear).data(cleared).failUnless(carry, Status.FixedArenaFull)
  let(message, fixedTop).act(Act.setMessage).failOn(headerTooStrict, Status.Unsupported)
  look(cached(3).high).act(Act.hasbitsBegin)
  let(fixedTop, t1).failOn(headerTooWide, Status.Unsupported)
  // A part that the type does not have lies at 0, and the header goes over it.
  store(Store.Word, message + cached(2).low, minusOne).act(Act.accept)
  store(Store.Word, message + cached(2).high, minusOne)
  store(Store.Word, message + cached(3).low, runtime(RuntimeRegister.UnknownFields.index))
  store(Store.Header, message + 0, cached(0)).act(Act.run)

  // ---- a message ends -----------------------------------------------------------------------
  label("message ends")
  look(zero).act(Act.hasbitsAt).on(listOpen, "close at end")
  label("closed")
  also.act(Act.hasbitsHere)
  let(t0, hasbitsOffset).failOn(missingRequired, Status.MissingRequired)
  also.on(noHasbits, "ended")
  store(Store.Word, message + t0, hasbits).on(manyHasbits, "more hasbits")
  label("ended")
  also.act(Act.leave).on(atRoot, "finish")
  // The message around it goes on: first its input, then its table, then the rest.
  label("leave")
  also.pop(messageEnd)
  also.pop(keptState)
  let(messageEnd, stacked).act(Act.readMessage).pop(table)
  look(stacked).act(Act.setState).pop(message)
  let(table, stacked).act(Act.askHeader).pop(listAt)
  let(message, stacked).act(Act.setMessage).unless(plainLeave, "leave to more")
  label("left")
  also.act(Act.acceptAndRun)
  label("leave to more")
  let(listAt, stacked).unless(listOpen, "leave to unknown")
  also.pop(array)
  also.pop(keptElement)
  let(array, stacked).pop(keptCount)
  look(stacked).act(Act.setElement).pop(keptLimit)
  look(stacked).act(Act.setCount)
  look(stacked).act(Act.setLimit).on(stillOnTop, "still on top")
  also.on(native, "leave to array")
  also.unless(onTop, "leave to unknown")
  also.on(outerValid, "on top with unknown")
  // The array got slack when one was opened above it.
  also.lower(onTop)
  let(t0, count)
  let(t1, element)
  look(t0 - 4)
  let(t0, t1 - array).on(carry, "slack as much")
  look(t1 + slack).act(Act.setLimit).goto("leave to unknown")
  label("slack as much")
  let(t0, t0 + -ObjectLayout.Array.Elements)
  look(t1 + t0).act(Act.setLimit).goto("leave to unknown")
  label("still on top")
  also.lower(outerValid).goto("left")
  label("on top with unknown")
  also.lower(outerValid)
  label("leave to unknown")
  also.unless(unknownValid, "left")
  also.pop(unknownStart)
  also.pop(unknownEnd)
  let(unknownStart, stacked)
  let(unknownEnd, stacked).act(Act.acceptAndRun)
  // A struct was an element of t4 bytes.
  label("leave to array")
  let(t0, element).unless(elementOpen, "left")
  look(t0 + t4).act(Act.setElement)
  also.lower(elementOpen).goto("left")

  label("more hasbits")
  look(table + 0).act(Act.askTable)
  let(t4, message + t0)
  label("awaiting header")
  also.unless(cacheReady, "awaiting header")
  let(t1, cached(3).high)
  let(t0, t4 + 4)
  let(t2, 1)
  label("next hasbits")
  look(t2 + 0).act(Act.hasbitsAt)
  also.act(Act.hasbitsHere)
  store(Store.Word, t0 + 0, hasbits)
  let(t2, t2 + 1)
  look(t2 - t1)
  let(t0, t0 + 4).unless(carry, "next hasbits")
  also.goto("ended")

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
  // It fails before its arenas were looked at.
  label("take it")
  also.act(Act.takeCommand).goto("draining")
}

object CommandProgram {
  /** A power of two that the actions of fields fit below. */
  val Actions = 16
  /** Where a field's program begins: "managed" or "native", and the position of its action. */
  def handler(kind: String, action: Int): String = s"$kind $action"
}
