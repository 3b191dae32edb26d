package heapwire.protobuf.engine

import heapwire.isa.{FieldInstruction, RuntimeRegister, Status}
import heapwire.sequencer.Assembler

/** The registers of a sequence of field instructions, of either kind, besides those of writing and of lists. The slot at hand is `message`. */
object FieldsRegister {
  import Register._
  /** What the instruction at hand is about, and where its fault would be; when messages are written, programs say better. */
  val at: Register = WriteRegister.faultAt
  /** Of an output. */
  val outputEnd: Register = mark
  /** Slots lie in [slotsBase, slotsEnd). */
  val slotsBase: Register = other0
  val slotsEnd: Register = other1
  /** Where the input begins; `inputEnd` is its end, and `input` is 0: offsets are addresses. */
  val inputBase: Register = other2
}

/** The field instructions ([[FieldInstruction]]): what sets a sequence up, asks about it and ends it. */
class FieldsProgram(assembler: Assembler) extends FieldSteps(assembler) {
  import Cond._
  import FieldInstruction.{Check, Chksuccess, Seroutput, SetUp}
  import FieldsRegister._
  import Flag._
  import Outside._
  import Register._
  import WriteRegister.{bound, last, noUnknown, objectsEnd, output, textAt}

  // ---- a sequence opens -------------------------------------------------------------------------------------------
  on(Seroutput, SetUp.Output)
  also.unless(begun, FieldsProgram.Leave)
  let(at, argument(0))
  let(output, argument(0))
  let(t0, argument(1))
  let(outputEnd, output + t0)
  look(output + 0).act(Act.setArena0).data(outputEnd).failOn(carry, Status.OutOfBounds)
  look(output + 0).act(Act.setArena1).data(outputEnd)
  look(outputEnd + 0).act(Act.startPacker).data(output)
  // The window gives bytes to the copier alone; no table follows the field at hand.
  also.act(Act.pauseStream)
  look(zero).act(Act.setEntriesEnd)
  look(zero).act(Act.setEntries)
  let(noUnknown, runtime(RuntimeRegister.UnknownFields.index))
  label("no slots")
  let(slotsBase, 0)
  let(slotsEnd, 0)
  also.raise(live).goto(FieldsProgram.Next)

  on(Seroutput, SetUp.Input)
  also.unless(begun, FieldsProgram.Leave)
  // The step that a command begins with.
  let(at, argument(0)).act(Act.accept)
  let(inputEnd, argument(1))
  look(inputEnd - at)
  look(inputEnd + 0).act(Act.setPosition0).failUnless(carry, Status.OutOfBounds)
  look(inputEnd + 0).act(Act.readMessage)
  look(at + 0).act(Act.setPosition)
  look(inputEnd - at)
  also.on(equal, "no bytes")
  look(at + 0).act(Act.startStream).data(inputEnd)
  label("no bytes")
  let(inputBase, at)
  let(mark, runtime(RuntimeRegister.MarkPrototype.index))
  let(input, 0)
  look(zero).act(Act.setArena0).data(input)
  look(zero).act(Act.setArena1).data(input)
  for (register <- Seq(fixedTop, fixedLimit, stringLimit, top, flexLimit)) let(register, 0)
  look(1).act(Act.hasbitsBegin).goto("no slots")

  // ---- its bounds -------------------------------------------------------------------------------------------------
  on(Seroutput, SetUp.Heap)
  also.call("bounds")
  also.unless(toWrite, FieldsProgram.Next)
  let(bound, at)
  let(objectsEnd, t1)
  look(at + 0).act(Act.setObjects).data(t1)
  let(t0, t1 - at)
  look(t0 - 16)
  let(last, t1 + -16).on(carry, "slots")
  let(last, 0)
  label("slots")
  let(slotsBase, at)
  let(slotsEnd, t1).goto(FieldsProgram.Next)
  on(Seroutput, SetUp.Destination)
  also.call("bounds")
  also.unless(toWrite, "slots")
  also.goto(FieldsProgram.Next)
  on(Seroutput, SetUp.Fixed)
  also.call("bounds")
  also.on(toWrite, FieldsProgram.Next)
  flushed()
  look(at + 0).act(Act.setArena0).data(t1)
  let(mark, runtime(RuntimeRegister.MarkPrototype.index))
  let(fixedTop, t2 & -8)
  let(fixedLimit, t1 & -8)
  let(stringLimit, fixedLimit + -Strings.Size)
  also.on(carry, FieldsProgram.Next)
  let(stringLimit, 0).goto(FieldsProgram.Next)
  on(Seroutput, SetUp.Flexible)
  also.call("bounds")
  also.on(toWrite, FieldsProgram.Next)
  flushed()
  look(at + 0).act(Act.setArena1).data(t1)
  let(top, t2 & -8)
  let(flexLimit, t1 & -8).goto(FieldsProgram.Next)
  on(Seroutput, FieldsProgram.Other)
  also.call("bounds")
  let(at, 0).goto(Line.failure(Status.BadCommand))

  /** Subroutine: `at` and t1 are the operands, which are in order; t2 is `at` + 7. */
  label("bounds")
  also.unless(live, FieldsProgram.Next)
  let(at, argument(0))
  let(t1, argument(1))
  let(t2, at + 7)
  look(t1 - at).failOn(carry, Status.OutOfBounds)
  also.failUnless(carry, Status.OutOfBounds)
  also.back

  // ---- it ends ------------------------------------------------------------------------------------------------------
  on(Seroutput, SetUp.Break)
  also.on(begun, FieldsProgram.Next)
  label(FieldsProgram.Leave)
  look(Status.Broken.code).act(Act.fail)
  drained()
  also.act(Act.closeSequence)

  on(Chksuccess, Check.Status)
  also.act(Act.answerStatus)
  // Nothing is left of it; input that was read ahead is dropped.
  look(Status.Broken.code).act(Act.fail)
  label(FieldsProgram.Drain)
  also.unless(toWrite, "fault is placed")
  also.unless(faultAtText, "fault is placed")
  let(at, textAt)
  label("fault is placed")
  drained()
  also.lower(live).unless(answerDue, FieldsProgram.Next)
  // All ones, but for a source of all ones: what answers its source was not taken, and is repeated.
  label(FieldsProgram.Failed)
  let(t0, argument(0))
  look(t0 + 1)
  also.on(carry, "answer nothing")
  look(minusOne).act(Act.answer)
  label(FieldsProgram.Next)
  also.act(Act.nextRequest)

  // All of it is to be in memory.
  label(FieldsProgram.Settle)
  also.on(toWrite, "settle output")
  also.callOn(listOpen, "close at end")
  flushed()
  also.raise(settled).goto(FieldsProgram.Next)
  label("settle output")
  let(at, 0).failUnless(atRoot, Status.BadCommand)
  settle()
  also.act(Act.flush)
  label("output to memory")
  also.unless(allIdle, "output to memory")
  also.raise(settled).goto(FieldsProgram.Next)

  // ---- questions ------------------------------------------------------------------------------------------------------
  on(Chksuccess, Check.Length)
  also.unless(live, "answer nothing")
  let(t0, cursor).unless(toWrite, "answer nothing")
  look(outputEnd - t0).act(Act.answer).goto(FieldsProgram.Next)
  on(Chksuccess, Check.FixedTop)
  look(fixedTop + 0).act(Act.answer).goto(FieldsProgram.Next)
  on(Chksuccess, Check.FlexibleTop)
  look(top + 0).act(Act.answer).goto(FieldsProgram.Next)
  // All ones say that an instruction was not taken; a reference may be that.
  on(Chksuccess, Check.At)
  look(at + 1)
  also.on(carry, "at all ones")
  look(at + 0).act(Act.answer).goto(FieldsProgram.Next)
  label("at all ones")
  look(at + -1).act(Act.answer).goto(FieldsProgram.Next)
  for (function <- Seq(6, FieldsProgram.Other)) on(Chksuccess, function)
  label("answer nothing")
  look(0).act(Act.answer).goto(FieldsProgram.Next)

  on(Chksuccess, Check.Take)
  also.unless(live, "answer nothing")
  let(t0, argument(0))
  let(t0, t0 + 7).on(toWrite, "no arena")
  let(t0, t0 & -8).on(carry, "no room to take")
  let(t1, fixedTop + t0)
  look(fixedLimit - t1).on(carry, "no room to take")
  also.unless(carry, "no room to take")
  look(fixedTop + 0).act(Act.answer)
  let(fixedTop, t1).goto(FieldsProgram.Next)
  label("no room to take")
  let(at, fixedTop)
  look(0).act(Act.answer).goto(Line.failure(Status.FixedArenaFull))
  label("no arena")
  look(0).act(Act.answer)
  label("out of place")
  let(at, 0).goto(Line.failure(Status.BadCommand))

  // ---- a field is done: its text may still turn out to be wrong, and its bytes not to fit -----------------------------
  label(FieldsProgram.Done)
  also.unless(copierIdle, FieldsProgram.Done)
  label("field is placed")
  also.unless(counted, "field is placed")
  also.on(answerDue, "answer late")
  also.act(Act.nextRequest)
  // The list had to move first, and then the step was carried out at once; a reference has none, and finds room now.
  label("answer late")
  also.on(nests, "enter list of reference")
  look(runEnd).act(Act.answer).goto(FieldsProgram.Next)
}

object FieldsProgram {
  /** A function that there is not. */
  val Other = 7
  val Next = "next field instruction"
  val Done = "field is done"
  val Drain = "sequence drains"
  /** It has failed, or there is none, and an answer is due. */
  val Failed = "answer of what failed"
  /** The sequence gives way to a command, or to another one. */
  val Leave = "leave sequence"
  val Settle = "settle sequence"
  /** Where the program of an instruction begins: of those of one kind there is one for any function. */
  def entrance(kind: Int, function: Int): String =
    if (kind == FieldInstruction.Serfield.funct3 || kind == FieldInstruction.Parfield.funct3) s"field instruction $kind" else s"field instruction $kind $function"
}

/** What the parts of the field instructions' program have in common. */
abstract class FieldSteps(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import FieldsRegister._
  import Outside._
  import Register._
  protected def on(kind: FieldInstruction.Kind, function: Int = 0): Unit = label(FieldsProgram.entrance(kind.funct3, function))
  private def loop(cond: Cond)(line: => Line): Unit = {
    val here = fresh(cond.name)
    label(here)
    line.unless(cond, here)
  }
  /** Nothing is under way any more, after a fault. */
  protected def drained(): Unit = {
    loop(packed)(also)
    loop(allIdle)(also)
  }
  /** All that was written is in memory. */
  protected def flushed(): Unit = loop(written)(also.act(Act.flush))
  /** The slot `message`, which was the result before, lies within its bounds, as far as the carry of the last line. */
  protected def lookAtSlot(): Line = {
    look(message - slotsBase).failOn(misaligned, Status.BadAlignment)
    let(t0, alignMask).failUnless(carry, Status.OutOfBounds)
    let(t0, t0 + message)
    look(t0 - slotsEnd)
  }
}
