package heapwire.protobuf.engine.program

import heapwire.isa.{FieldInstruction, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** `parfield`: the window cuts out the value, and the resulting step is carried out like that of a message's field,
  * with the slot in the place of the message.
  */
class FieldsReadProgram(assembler: Assembler) extends FieldSteps(assembler) {
  import Cond._
  import FieldsRegister._
  import Flag._
  import Outside._
  import Register._
  /** The most bytes of input that are skipped; beyond that, the input is read anew from the new place. */
  private val SkippedBytes = 64

  // The value is read from the window's position before it is known whether that position is right. If not, the input
  // continues elsewhere.
  on(FieldInstruction.Parfield)
  let(t3, argument(0)).act(Act.makeEntry)
  let(t1, argument(1)).lower(settled)
  let(t2, windowAt).on(nests, "reference")
  let(at, t3 + 0).act(Act.readValue).on(illegal, "illegal parfield")
  let(t0, at - t2).on(repeated, "value of list")
  look(t0 - SkippedBytes).unless(carry, "seek")
  look(inputEnd - at).on(carry, "seek")
  let(message, t1).act(Act.setMessage).unless(carry, "outside of input")
  label("slot of value")
  lookAtSlot().on(isString, "single string")
  also.failOn(carry, Status.OutOfBounds)
  awaitValue()
  label("give answer")
  look(runEnd).act(Act.answer)
  also.act(Act.run)
  on(Action.RunEnd)
  also.act(Act.release)
  also.act(Act.accept).goto(FieldsProgram.Next)

  label("single string")
  also.failOn(carry, Status.OutOfBounds)
  awaitValue()
  label("string to be placed")
  let(t1, fixedTop + value)
  look(stringLimit - t1).failOn(carry, Status.FixedArenaFull)
  also.failUnless(carry, Status.FixedArenaFull)
  look(runEnd).act(Act.answer)
  also.act(Act.run)

  // ---- the value of a list: bit 0 of its slot address says that the list exists; `slotAt` is the slot of the list
  // entered last
  label("value of list")
  look(t0 - SkippedBytes).unless(carry, "seek")
  look(inputEnd - at).on(carry, "seek")
  look(t1 & 1).unless(carry, "outside of input")
  label("list is there?")
  look(minusOne).act(Act.hasbitsPut).on(odd8, "slot of list")
  look(zero).act(Act.hasbitsPut)
  label("slot of list")
  let(message, t1 & -2).act(Act.setMessage)
  look(message - slotAt)
  also.unless(equal, "other list")
  look(message + 0).lower(elsewhere).on(sameShape, "slot of element")
  label("other list")
  look(message + 0).raise(elsewhere)
  label("slot of element")
  lookAtSlot().on(nests, "append reference")
  also.failOn(carry, Status.OutOfBounds)
  awaitValue()
  also.on(asPacked, "give answer")
  also.call("enter list")
  also.failOn(listFull, Status.FlexibleArenaFull)
  also.on(isString, "string to be placed")
  also.goto("give answer")

  // A message; its reference is an operand.
  label("reference")
  let(at, t3).on(illegal, "illegal parfield")
  also.act(Act.release)
  look(t1 & 1).goto("list is there?")
  label("append reference")
  also.failOn(carry, Status.OutOfBounds)
  label("enter list of reference")
  also.call("enter list")
  let(t2, element).failOn(listFull, Status.FlexibleArenaFull)
  store(Store.Word, t2 + 0, at).act(Act.append)
  look(at + 1).act(Act.answer).goto(FieldsProgram.Next)

  // ---- the input continues elsewhere --------------------------------------------------------------------------------
  label("seek")
  look(at - inputBase).act(Act.pauseStream)
  look(inputEnd - at).unless(carry, "outside of input")
  also.unless(carry, "outside of input")
  await(streamIdle)
  look(inputEnd - at)
  look(at + 0).act(Act.setPosition).on(equal, "sought")
  look(at + 0).act(Act.startStream).data(inputEnd)
  label("sought")
  look(at + 0).act(Act.readValue)
  look(t1 & 1).on(repeated, "list is there?")
  let(message, t1).act(Act.setMessage).goto("slot of value")

  // ---- faults: a misaligned slot has priority over a source that is outside of the input ---------------------------
  label("outside of input")
  also.unless(repeated, "slot outside of input")
  let(t1, t1 & -2)
  label("slot outside of input")
  look(t1 + 0)
  also.failOn(misaligned, Status.BadAlignment)
  also.goto(Line.failure(Status.OutOfBounds))
  label("illegal parfield")
  also.on(toWrite, "out of place")
  also.goto(Line.failure(Status.BadCommand))

  /** Waits for the step, and checks that it is not a fault. */
  private def awaitValue(): Unit = {
    val here = fresh("await value")
    label(here)
    also.unless(stepReady, here)
    also.on(stepFails, "step fails")
  }
}
