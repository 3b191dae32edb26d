package heapwire.protobuf.engine.program

import heapwire.isa.{FieldInstruction, RuntimeRegister, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The registers of a sequence of field instructions, reading or writing, besides those for writing and for lists. The
  * current slot is in `message`.
  */
object FieldsRegister {
  import Register._
  /** The address that the current instruction is about, where its fault would be reported. When messages are written,
    * programs set it more precisely.
    */
  val at: Register = WriteRegister.faultAt
  /** The end of an output. */
  val outputEnd: Register = mark
  /** Slots lie in [slotsBase, slotsEnd). */
  val slotsBase: Register = other0
  val slotsEnd: Register = other1
  /** Where the input begins. `inputEnd` is its end, and `input` is 0: offsets are addresses. */
  val inputBase: Register = other2
}

/** The microprogram of the field instructions ([[FieldInstruction]]) that set a sequence up, query it and end it. */
class FieldsProgram(assembler: Assembler) extends FieldSteps(assembler) {
  import Cond._
  import FieldInstruction.{Check, Chksuccess, Seroutput, SetUp}
  import FieldsRegister._
  import Flag._
  import Outside._
  import Register._
  import WriteRegister.{bound, last, noUnknown, objectsEnd, output, textAt}

  part("field instructions")

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
  // The window only feeds the copier. No table follows the current field.
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
  // Takes the step with which a command begins.
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
  also.on(toWrite, FieldsProgram.Next)
  look(at - slotsBase)
  look(t1 - slotsEnd).unless(equal, "other slots")
  also.on(equal, FieldsProgram.Next)
  // What was stored must be in memory before the range changes.
  label("other slots")
  flushed()
  look(at + 0).act(Act.setSlots).data(t1).goto("slots")
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

  /** Subroutine: `at` and t1 := the operands, which must be in order; t2 := `at` + 7. */
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
  // The rest of the sequence is dropped, and so is input that was read ahead.
  look(Status.Broken.code).act(Act.fail)
  label(FieldsProgram.Drain)
  also.unless(toWrite, "fault is placed")
  also.unless(faultAtText, "fault is placed")
  let(at, textAt)
  label("fault is placed")
  drained()
  also.lower(live).unless(answerDue, FieldsProgram.Next)
  // Answers all ones, but not if the source address is all ones: an answer equal to the source would mean that the
  // instruction was not taken, and software would repeat it.
  label(FieldsProgram.Failed)
  let(t0, argument(0))
  look(t0 + 1)
  also.on(carry, "answer nothing")
  look(minusOne).act(Act.answer)
  label(FieldsProgram.Next)
  also.act(Act.nextRequest)

  // All writes are to reach memory.
  label(FieldsProgram.Settle)
  also.on(toWrite, "settle output")
  also.callOn(listOpen, "close at end")
  flushed()
  also.raise(settled).goto(FieldsProgram.Next)
  label("settle output")
  let(at, 0).failUnless(atRoot, Status.BadCommand)
  settle()
  also.act(Act.flush)
  await(allIdle)
  also.raise(settled).goto(FieldsProgram.Next)

  // ---- queries ----------------------------------------------------------------------------------------------------
  on(Chksuccess, Check.Length)
  also.unless(live, "answer nothing")
  let(t0, cursor).unless(toWrite, "answer nothing")
  look(outputEnd - t0).act(Act.answer).goto(FieldsProgram.Next)
  on(Chksuccess, Check.FixedTop)
  look(fixedTop + 0).act(Act.answer).goto(FieldsProgram.Next)
  on(Chksuccess, Check.FlexibleTop)
  look(top + 0).act(Act.answer).goto(FieldsProgram.Next)
  // All ones would mean that the instruction was not taken, but a reference may have that value.
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

  // ---- a field is done: its text may still turn out to be invalid, and its bytes not to fit
  // ----------------------------
  label(FieldsProgram.Done)
  also.unless(copierIdle, FieldsProgram.Done)
  await(counted)
  also.on(answerDue, "answer late")
  also.act(Act.nextRequest)
  // The list had to be moved first, and then the step was carried out at once. A reference has no step, and now has
  // room in the list.
  label("answer late")
  also.on(nests, "enter list of reference")
  look(runEnd).act(Act.answer).goto(FieldsProgram.Next)
}

object FieldsProgram {
  /** The index of undefined functions. */
  val Other = 7
  val Entrance = "field instruction"
  val Next = "next field instruction"
  val Done = "field is done"
  val Drain = "sequence drains"
  /** The sequence has failed, or there is none, and an answer is due. */
  val Failed = "answer of what failed"
  /** The sequence is ended by a command, or by another sequence. */
  val Leave = "leave sequence"
  val Settle = "settle sequence"
  /** Returns the label where the program of an instruction begins. `serfield` and `parfield` have one each for all
    * functions.
    */
  def entrance(kind: Int, function: Int): String =
    if (kind == FieldInstruction.Serfield.funct3 || kind == FieldInstruction.Parfield.funct3) s"$Entrance $kind"
    else s"$Entrance $kind $function"
}

/** In an engine without the field instructions: no sequence is ever open. */
class NoFieldsProgram(assembler: Assembler) extends EngineProgram(assembler) {
  label(FieldsProgram.Drain)
  also.goto(CommandProgram.Drain)
}

/** Common parts of the field instructions' programs. */
abstract class FieldSteps(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import FieldsRegister._
  import Outside._
  import Register._
  protected def on(kind: FieldInstruction.Kind, function: Int = 0): Unit =
    label(FieldsProgram.entrance(kind.funct3, function))
  /** Waits until nothing is under way, after a fault. */
  protected def drained(): Unit = {
    await(packed)
    await(allIdle)
  }
  /** Waits until all writes are in memory. */
  protected def flushed(): Unit = await(written, also.act(Act.flush))
  /** Checks that the slot `message`, the previous result, lies within its bounds. The caller must check the carry of
    * the last line.
    */
  protected def lookAtSlot(): Line = {
    look(message - slotsBase).failOn(misaligned, Status.BadAlignment)
    let(t0, alignMask).failUnless(carry, Status.OutOfBounds)
    let(t0, t0 + message)
    look(t0 - slotsEnd)
  }
}
