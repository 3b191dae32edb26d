package heapwire.protobuf.engine.program

import heapwire.isa.{FieldInstruction, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** `serfield`: the scanner writes the field like one of a message, with an entry that is made of the instruction. */
class FieldsWriteProgram(assembler: Assembler) extends FieldSteps(assembler) {
  import Cond._
  import FieldsRegister._
  import Flag._
  import Outside._
  import Register._
  import WriteRegister.{end, noUnknown}

  on(FieldInstruction.Serfield)
  let(t1, argument(1))
  look(t1 + 0).act(Act.makeEntry)
  let(message, argument(0)).act(Act.setMessage)
  let(at, message).on(illegal, "illegal serfield")
  look(t1 - 0).on(nests, "around fields")
  also.on(equal, "field of number 0")
  label("field of a number")
  look(message + 0).failOn(numberTooLarge, Status.BadCommand)
  lookAtSlot()
  also.failOn(carry, Status.OutOfBounds)
  also.on(isRaw, "raw list")
  also.act(Act.scanField)
  label("field of number 0")
  also.on(isRaw, "field of a number")
  label("number 0")
  also.goto(Line.failure(Status.FieldNumberZero))
  label("illegal serfield")
  also.on(settled, "out of place")
  also.failOn(toWrite, Status.BadCommand)
  also.goto("out of place")

  // Copies the bytes of a list as they are; for a message without unknown fields there are none.
  label("raw list")
  look(message + 0).act(Act.askObject)
  let(t3, asked)
  look(t3 - 0)
  look(t3 - noUnknown).on(equal, FieldsProgram.Done)
  also.on(equal, FieldsProgram.Done)
  also.raise(closing)
  also.call("open list")
  also.on(equal, "raw is copied")
  also.call("copy out")
  label("raw is copied")
  also.lower(closing).goto(FieldsProgram.Done)

  // ---- a message or group: its end comes first ---------------------------------------------------------------------
  label("around fields")
  also.on(equal, "around number 0")
  also.failOn(numberTooLarge, Status.BadCommand)
  also.on(isGroup, "around group")
  also.on(asPacked, "message begins at its end")
  also.failOn(atRoot, Status.BadCommand)
  also.pop(end)
  let(t0, cursor)
  let(t2, stacked)
  look(t2 - t0).act(Act.put)
  also.act(Act.leave)
  also.act(Act.putKeyAndScan)
  label("message begins at its end")
  also.failOn(depthFull, Status.DepthExceeded)
  also.act(Act.enter)
  let(end, cursor)
  also.goto(FieldsProgram.Done)
  label("around group")
  also.on(asPacked, "group begins at its end")
  also.act(Act.putKeyAndScan)
  label("group begins at its end")
  also.act(Act.putEnd).goto(FieldsProgram.Done)
  // The end of a message that never began is the fault with the higher priority.
  label("around number 0")
  also.on(isGroup, "number 0")
  also.on(asPacked, "number 0")
  also.failOn(atRoot, Status.BadCommand)
  also.goto("number 0")
}
