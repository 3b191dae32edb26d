package heapwire.protobuf.engine.program

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram of reading commands: begins and ends commands, and the messages in them. */
class CommandProgram(assembler: Assembler) extends EngineProgram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._

  part("command begins")
  label(CommandProgram.Begin)
  let(messageEnd, argument(1)).act(Act.setPosition0)
  let(input, argument(0))
  look(messageEnd - 0).failOn(badOperation, Status.BadCommand)
  let(inputEnd, input + messageEnd).on(equal, "no input to read")
  look(input + 0).act(Act.startStream).data(inputEnd).failOn(carry, Status.OutOfBounds)
  label("no input to read")
  let(table, argument(2))
  look(table + 0).act(Act.askHeader)
  let(mark, runtime(RuntimeRegister.MarkPrototype.index))
  // It stays there for a struct at the root.
  let(nextAt, argument(5))
  let(t1, argument(4))
  look(nextAt - t1).failOn(odd16, Status.BadDescriptor)
  let(fixedTop, t1 + 7).failUnless(carry, Status.OutOfBounds)
  let(fixedLimit, nextAt & -8).failOn(carry, Status.OutOfBounds)
  look(fixedLimit - fixedTop)
  look(messageEnd + 0).act(Act.readMessage).on(carry, "flexible arena")
  let(fixedLimit, fixedTop)
  label("flexible arena")
  let(t0, argument(7))
  let(t2, argument(6))
  look(t0 - t2)
  let(top, t2 + 7).failUnless(carry, Status.OutOfBounds)
  let(top, top & -8).failOn(carry, Status.OutOfBounds)
  let(flexLimit, t0 & -8)
  look(flexLimit - top)
  let(stringLimit, fixedLimit + -Strings.Size).on(carry, "take command")
  let(flexLimit, top)
  let(stringLimit, fixedLimit + -Strings.Size)
  // Here the command waits for the end of the one before.
  label("take command")
  look(t1 + 0).act(Act.setArena0).data(nextAt).on(carry, "own arenas")
  let(stringLimit, 0)
  label("own arenas")
  look(t2 + 0).act(Act.takeWithArena1).data(t0)

  part("message begins")
  // Its header has been requested; its object is allocated and cleared.
  // Clearing starts before it is known that the object fits. If it does not, the command has failed before the first
  // zero would be written.
  label("begin object")
  let(t0, cached(1).low)
  let(t1, fixedTop + t0).unless(usualType, "unusual object")
  look(fixedTop + 0).act(Act.clear).data(cleared)
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  let(message, fixedTop).act(Act.setMessage).failUnless(carry, Status.FixedArenaFull)
  let(fixedTop, t1).act(Act.hasbitsOpen)
  storeHeader(message + 0, cached(0)).act(Act.accept)
  // The first memo is written with the hasbits.
  storePair(message + UsualObject.Second, allOnes, runtime(RuntimeRegister.UnknownFields.index)).act(Act.run)
  label("unusual object")
  also.unless(managed, Entry.label(slot = true, writes = false, Entry.Open))
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  look(fixedTop + 0).act(Act.clear).data(cleared).failUnless(carry, Status.FixedArenaFull)
  let(message, fixedTop).act(Act.setMessage).failOn(headerTooStrict, Status.Unsupported)
  let(fixedTop, t1).act(Act.hasbitsOpen).failOn(headerTooWide, Status.Unsupported)
  // A part that the type does not have is at offset 0, and the header overwrites it.
  store(Store.Word, message + cached(2).low, minusOne).act(Act.accept)
  store(Store.Word, message + cached(2).high, minusOne)
  store(Store.Word, message + cached(3).low, runtime(RuntimeRegister.UnknownFields.index))
  storeHeader(message + 0, cached(0)).act(Act.run)

  part("message ends")
  label("message ends")
  also.callOn(listOpen, "close at end")
  also.act(Act.hasbitsHere)
  label("closed otherwise")
  also.unless(usualType, "unusual end")
  storePair(message + UsualObject.Hasbits, hasbits, allOnes).failOn(missingRequired, Status.MissingRequired)
  label("ended")
  also.act(Act.leave).on(atRoot, "finish")
  label("leave")
  also.act(Act.accept).pop(table)
  also.pop(keptState)
  goOn()
  label("closed")
  storePair(message + UsualObject.Hasbits, hasbits, allOnes).act(Act.accept).popOuter(table)
  also.act(Act.leave).popOuter(keptState)
  goOn()
  /** Continues with the enclosing message. Its table and its state have been requested from the stack. */
  private def goOn(): Unit = {
    let(table, stacked).act(Act.askHeader).pop(messageEnd)
    look(stacked).act(Act.setState).pop(message)
    let(messageEnd, stacked).act(Act.readMessage).unless(plainLeave, "leave to more")
    let(message, stacked).act(Act.resume)
  }
  label("leave to more")
  let(message, stacked).act(Act.setMessage).unless(listOpen, "leave to unknown")
  also.on(stillOnTop, "leave to unknown")
  also.pop(listAt)
  also.pop(array)
  let(listAt, stacked).pop(keptCount)
  let(array, stacked).pop(keptElement)
  look(stacked).act(Act.setCount).pop(keptLimit)
  look(stacked).act(Act.setElement)
  look(stacked).act(Act.setLimit).unless(managed, Entry.label(slot = true, writes = false, Entry.Resume))
  also.act(onTop.lower)
  label("leave to unknown")
  also.unless(unknownValid, "left")
  also.pop(unknownStart)
  also.pop(unknownEnd)
  let(unknownStart, stacked)
  let(unknownEnd, stacked)
  label("left")
  also.act(Act.run)
  label("unusual end")
  let(t0, hasbitsOffset).unless(oneHasbitsWord, "other hasbits")
  store(Store.Word, message + t0, hasbits).failOn(missingRequired, Status.MissingRequired)
  also.goto("ended")
  label("other hasbits")
  let(t4, message + t0).failOn(missingRequired, Status.MissingRequired)
  also.on(noHasbits, "ended")
  look(table + 0).act(Act.askTable)
  store(Store.Word, t4 + 0, hasbits)
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

  part("command ends")
  label("finish")
  look(message + 0).act(Act.setResult0)
  look(fixedTop + 0).act(Act.setResult1)
  look(top + 0).act(Act.setResult2)
  label("finishing")
  look(messageEnd + 0).act(Act.setResult3).unless(copierIdle, "finishing")
  also.unless(streamIdle, "finishing")
  also.act(Act.handOver)
  label("complete")
  also.act(Act.complete).unless(completionReady, "complete")
  part("faults")
  on(Action.Fail)
  // The position of an element of a field instruction. The programs of other field instructions have checked before
  // what can fail.
  let(FieldsRegister.at, position)
  label("step fails")
  look(0).act(Act.fail).goto("drain")
  for (status <- Status.all if status != Status.Ok && status.code < 48) {
    label(Line.failure(status))
    // Field instructions have no descriptors: a bad list is the object's error.
    if (status == Status.BadDescriptor) also.failOn(inSequence, Status.BadObject)
    look(status.code).act(Act.fail).goto("drain")
  }
  label(CommandProgram.Drain)
  also.on(inSequence, FieldsProgram.Drain)
  also.unless(commandTaken, "take it")
  label("draining")
  also.unless(allIdle, "draining")
  look(zero).act(Act.setResult0)
  look(zero).act(Act.setResult1)
  look(zero).act(Act.setResult2).on(faultAtInput, "fault at input")
  also.on(faultAtUnknown, "fault at unknown")
  look(position).act(Act.setResult3).goto("complete")
  label("fault at input")
  look(windowAt).act(Act.setResult3).goto("complete")
  label("fault at unknown")
  look(unknownStart + 0).act(Act.setResult3).goto("complete")
  // The command fails, perhaps before its arenas were read.
  label("take it")
  let(t0, argument(5))
  look(argument(4)).act(Act.setArena0).data(t0)
  let(t0, argument(7))
  look(argument(6)).act(Act.takeWithArena1).data(t0)
  also.goto("draining")
}

object CommandProgram {
  val Begin = "begin"
  /** A fault ended the command. */
  val Drain = "drain"
}
