package heapwire.protobuf.engine

import heapwire.isa.{FieldInstruction, Status}
import heapwire.sequencer.Assembler

/** `parfield`: the window cuts out the value, and the step that comes of it is carried out as that of a field of a message is, with the slot in
  * the place of the message.
  */
class FieldsReadProgram(assembler: Assembler) extends FieldSteps(assembler) {
  import Cond._
  import FieldsRegister._
  import Flag._
  import Outside._
  import Register._
  /** Input that is skipped rather than read again from further on. */
  private val SkippedBytes = 64

  on(FieldInstruction.Parfield)
  let(t1, argument(1)).lower(settled)
  let(t3, argument(0)).act(Act.makeEntry)
  let(t2, windowAt).unless(live, FieldsProgram.Failed)
  let(at, t3).on(nests, "reference")
  look(inputEnd - at).on(illegal, "illegal parfield")
  let(t0, at - t2).unless(carry, "outside of input")
  look(t0 - SkippedBytes).unless(carry, "seek")
  look(at + 0).act(Act.readValue).on(carry, "seek")
  label("value is to come")
  let(message, t1).act(Act.setMessage).on(repeated, "slot of list")
  label("slot of value")
  lookAtSlot().on(nests, "append reference")
  also.failOn(carry, Status.OutOfBounds)
  label("await value")
  also.unless(stepReady, "await value")
  also.on(stepFails, "step fails")
  also.on(asPacked, "give answer")
  also.unless(repeated, "single value")
  also.call("enter list")
  also.failOn(listFull, Status.FlexibleArenaFull)
  label("single value")
  let(t1, fixedTop + value).unless(isString, "give answer")
  look(stringLimit - t1).failOn(carry, Status.FixedArenaFull)
  also.failUnless(carry, Status.FixedArenaFull)
  label("give answer")
  look(runEnd).act(Act.answer)
  also.act(Act.run)
  label(CommandProgram.handler("managed", Action.RunEnd.position))
  also.act(Act.release)
  also.act(Act.accept).goto(FieldsProgram.Next)

  // ---- the input goes on elsewhere ------------------------------------------------------------------------------------
  label("seek")
  look(at - inputBase).act(Act.pauseStream)
  also.unless(carry, "outside of input")
  label("stopping to seek")
  also.unless(streamIdle, "stopping to seek")
  look(inputEnd - at)
  look(at + 0).act(Act.setPosition).on(equal, "sought")
  look(at + 0).act(Act.startStream).data(inputEnd)
  label("sought")
  look(at + 0).act(Act.readValue).goto("value is to come")

  label("outside of input")
  also.unless(repeated, "slot outside of input")
  let(t1, t1 & -2)
  label("slot outside of input")
  look(t1 + 0)
  also.failOn(misaligned, Status.BadAlignment)
  also.goto(Line.failure(Status.OutOfBounds))

  // ---- a list: bit 0 of its slot says that it is there; `slotAt` is the slot of the one that was entered last -------
  label("reference")
  also.on(illegal, "illegal parfield")
  also.act(Act.release)
  label("slot of list")
  look(t1 & 1)
  look(minusOne).act(Act.hasbitsPut).on(odd8, "list is there")
  look(zero).act(Act.hasbitsPut)
  label("list is there")
  let(message, t1 & -2).act(Act.setMessage)
  look(message - slotAt)
  also.unless(equal, "other list")
  look(message + 0).lower(elsewhere).on(sameShape, "slot of value")
  label("other list")
  look(message + 0).raise(elsewhere).goto("slot of value")

  // A message, whose reference is an operand.
  label("append reference")
  also.failOn(carry, Status.OutOfBounds)
  label("enter list of reference")
  also.call("enter list")
  let(t2, element).failOn(listFull, Status.FlexibleArenaFull)
  store(Store.Word, t2 + 0, at).act(Act.append)
  look(at + 1).act(Act.answer).goto(FieldsProgram.Next)

  label("illegal parfield")
  also.on(toWrite, "out of place")
  also.goto(Line.failure(Status.BadCommand))
}
