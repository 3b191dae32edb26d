package heapwire.protobuf.engine.program

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram that writes messages: begin and end of commands and of messages. Bytes are written downwards, the
  * last field first.
  */
class WriteProgram(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  import WriteRegister._

  part("command begins")
  // The root's header is fetched while everything else is checked.
  label(WriteProgram.Begin)
  let(table, argument(1)).act(Act.askHeader)
  let(faultAt, 0)
  let(objectsEnd, argument(6))
  let(bound, argument(5)).act(Act.setObjects).data(objectsEnd)
  let(t3, argument(0)).act(Act.fetchAhead)
  let(t0, argument(4))
  let(output, argument(3))
  look(t0 - output)
  look(objectsEnd - bound).refuseUnless(carry, Status.OutOfBounds)
  look(t0 + 0).act(Act.startPacker).data(output).refuseUnless(carry, Status.OutOfBounds)
  let(last, objectsEnd + -16).act(Act.pauseStream)
  let(noUnknown, runtime(RuntimeRegister.UnknownFields.index))
  let(knownTable, table + 0)
  let(faultAt, t3 + 0).refuseOn(odd16, Status.BadDescriptor)
  let(knownKlass, cached(0))
  look(t3 - bound).unless(managed, Entry.label(slot = true, writes = true, Entry.Root))
  look(last - t3).refuseUnless(carry, Status.BadObject)
  let(message, t3 + 0).act(Act.setMessage).refuseUnless(carry, Status.BadObject)
  let(end, cursor).refuseOn(odd8, Status.BadObject)
  // Here the command waits for the end of the one before.
  look(output + 0).act(Act.takeWithArenas).data(t0).goto("header here")

  part("message begins")
  on(ScanStop.Message)
  let(faultAt, element)
  let(t1, table + entry2).unless(isGroup, "dive")
  also.act(Act.putEnd).goto("dive")
  on(ScanStop.NoMessage)
  let(faultAt, message + 0).refuseOn(required, Status.MissingRequired)
  also.on(isGroup, "no group")
  look(0).act(Act.put).goto("write key")
  label("no group")
  also.act(Act.putEnd).goto("write key")

  // ---- in a list: the next element, if any is left. The element below may be in the other half of the requested word.
  label("next message")
  look(above - first).unless(managed, Entry.label(slot = true, writes = true, Entry.Next))
  let(above, above + -4).act(Act.askObject).on(equal, "scan on")
  label("message asked")
  let(t1, table + entry2).on(isGroup, "group of list")
  label("element of list")
  look(t1 - knownTable)
  let(faultAt, asked).act(Act.turn).unless(equal, "element of another type")
  look(asked).act(Act.fetchAhead)
  look(faultAt + ObjectLayout.Header.Klass).act(Act.askObject)
  look(faultAt - bound).on(depthFull, "too deep")
  label("of known type")
  let(table, t1 + 0).act(Act.enter).unless(carry, "no message")

  // ---- a message begins: at `faultAt`, with a known table; its klass word has been requested. The enclosing message
  // is in the stack.
  let(message, faultAt + 0).act(Act.setMessage)
  look(knownLast - message).refuseOn(odd8, Status.BadObject)
  let(end, cursor).refuseUnless(carry, Status.BadObject)
  let(enclosing, entryAt)
  look(asked).data(knownKlass).unless(usualType, "unusual klass")
  label("usual klass")
  look(message + (UsualObject.Second + 4)).act(Act.askObject).refuseUnless(matches, Status.BadObject)
  look(firstEntry).act(Act.setEntries)
  let(entriesEnd, behindEntries).act(Act.setEntriesEnd)
  let(t3, asked).data(noUnknown)
  look(message + UsualObject.Hasbits).act(Act.askObject)
  look(1).act(Act.hasbitsBegin).unless(matches, "usual with unknown")
  look(asked).act(Act.hasbitsPutAndScan)

  label("group of list")
  also.act(Act.putEnd).goto("element of list")

  label("element of another type")
  look(asked).act(Act.fetchAhead)
  look(faultAt + ObjectLayout.Header.Klass).act(Act.askObject)
  label("dive")
  look(t1 - knownTable).on(depthFull, "too deep")
  look(faultAt - bound).on(equal, "of known type")

  // The same, but the header is fetched first.
  let(table, t1 + 0).act(Act.enterAndAsk).unless(carry, "no message")
  let(message, faultAt + 0).act(Act.setMessage)
  let(knownTable, table + 0).refuseOn(odd8, Status.BadObject)
  let(end, cursor).refuseOn(odd16, Status.BadDescriptor)
  let(knownKlass, cached(0))
  label("header here")
  let(t0, cached(1).low)
  let(knownLast, objectsEnd - t0).unless(usualType, "unusual type")
  look(message + ObjectLayout.Header.Klass).act(Act.askObject).refuseUnless(carry, Status.BadObject)
  look(knownLast - message)
  let(enclosing, entryAt).refuseUnless(carry, Status.BadObject)
  look(asked).data(knownKlass).goto("usual klass")

  // ---- the object's first words lie elsewhere, or it has any number of words of hasbits
  label("unusual type")
  let(knownHasbits, cached(1).high)
  let(knownWords, cached(3).high)
  let(knownUnknown, cached(3).low)
  look(message + ObjectLayout.Header.Klass).act(Act.askObject).refuseOn(headerTooWide, Status.Unsupported)
  let(knownLast, objectsEnd - t0).refuseUnless(managed, Status.BadDescriptor)
  look(knownLast - message).refuseUnless(carry, Status.BadObject)
  let(enclosing, entryAt).refuseUnless(carry, Status.BadObject)
  look(asked).data(knownKlass)
  label("unusual klass")
  look(knownWords + 0).act(Act.hasbitsBegin).refuseUnless(matches, Status.BadObject)
  look(message + knownUnknown).act(Act.askObject)
  let(t3, asked).data(noUnknown)
  look(message + knownHasbits).act(Act.askObject)
  look(firstEntry).act(Act.setEntries).unless(matches, "write unknown")
  label("no unknown")
  let(entriesEnd, behindEntries).act(Act.setEntriesEnd).on(manyHasbits, "hasbits words")
  look(asked).act(Act.hasbitsPutAndScan)
  label("usual with unknown")
  let(knownUnknown, UsualObject.Second + 4)
  let(knownHasbits, UsualObject.Hasbits).goto("write unknown")

  // The message is not within the bounds. If there is no element at all, the list is at fault.
  label("too deep")
  look(faultAt - 0)
  let(t4, Status.DepthExceeded.code).unless(equal, "write fails")
  also.act(Act.enter)
  label("no message")
  look(faultAt - 0)
  also.refuseUnless(equal, Status.BadObject)
  also.refuseUnless(repeated, Status.BadObject)
  also.popOuter(listAt)
  also
  let(faultAt, stacked).refuseOn(always, Status.BadObject)

  label("hasbits words")
  look(asked).act(Act.hasbitsPut)
  let(t4, message + knownHasbits)
  let(t2, 1)
  label("hasbits word")
  let(t4, t4 + 4).act(Act.askObject)
  look(t2 + 0).act(Act.hasbitsAt)
  also.act(Act.hasbitsHere)
  look(asked).act(Act.hasbitsPut)
  let(t2, t2 + 1)
  look(t2 - knownWords)
  also.unless(carry, "hasbits word")
  also.act(Act.scan)

  part("unknown fields")
  // The bytes of unknown fields come last in the message, so they are written first.
  label("write unknown")
  look(t3 - 0)
  look(knownUnknown - 0).on(equal, "no unknown")
  also.on(equal, "no unknown")
  also.raise(closing)
  also.call("open list")
  also.on(equal, "unknown copied")
  also.call("copy out")
  label("unknown copied")
  look(message + knownHasbits).act(Act.askObject)
  also.lower(closing).goto("no unknown")

  part("message ends")
  // The enclosing one is restored, and the message's length and key are written in front.
  on(ScanStop.End)
  leaveMessage()
  let(table, stacked).on(scannerBusy, "entry comes late")
  let(end, stacked).on(isGroup, "key of group")
  label("write length")
  look(t0 + 0).act(Act.put).on(repeated, "next of list")
  let(faultAt, message + 0).act(Act.putKeyAndScan)
  label("entry comes late")
  let(end, stacked)
  label("fetching entry")
  also.on(scannerBusy, "fetching entry")
  also.unless(isGroup, "write length")
  label("key of group")
  also.on(repeated, "next of list")
  let(faultAt, message + 0).act(Act.putKeyAndScan)
  label("next of list")
  also.act(Act.putKey).pop(above)
  also.pop(first)
  let(above, stacked)
  let(first, stacked).goto("next message")

  shared()
  label("write key")
  also.on(repeated, "key of string")
  let(faultAt, message + 0).act(Act.putKeyAndScan)
  label("scan on")
  let(faultAt, message + 0).act(Act.scan)
  label("key of string")
  also.act(Act.putKey).goto("next string")

  part("command ends")
  label("write finish")
  also.act(Act.finishOutput)
  look(t0 + 0).act(Act.setResult1)
  look(cursor).act(Act.setResult0)
  look(0).act(Act.setResult2)
  look(0).act(Act.setResult3)
  label("writing out")
  also.unless(packed, "writing out")
  also.unless(copierIdle, "writing out")
  also.unless(streamIdle, "writing out")
  also
  also.act(Act.handOver)

  part("faults")
  // The first fault in the order of writing counts.
  refusals()
  for (status <- Seq(Status.OutOfBounds, Status.BadObject, Status.BadDescriptor, Status.MissingRequired,
      Status.Unsupported, Status.DepthExceeded, Status.DoesNotFit, Status.InvalidUtf8)) {
    label(WriteProgram.failure(status))
    let(t4, status.code).goto("write fails")
  }
  label(WriteProgram.Full)
  let(faultAt, 0)
  let(t4, Status.OutputFull.code)
  label("write fails")
  also.unless(copierIdle, "write fails")
  // The copied text may turn out to be invalid a few cycles later, and what was put may not fit.
  also
  also
  also
  await(packed)
  also
  look(t4 + 0).act(Act.fail)
  label(WriteProgram.Drain)
  also.on(inSequence, FieldsProgram.Drain)
  also.on(commandTaken, "write drains")
  also.act(Act.takeCommand)
  label("write drains")
  also.unless(packed, "write drains")
  label("draining writes")
  also.unless(allIdle, "draining writes")
  look(zero).act(Act.setResult0)
  look(zero).act(Act.setResult1)
  look(zero).act(Act.setResult3)
  look(faultAt + 0).act(Act.setResult2).unless(faultAtText, "complete")
  look(textAt + 0).act(Act.setResult2).goto("complete")
}

object WriteProgram {
  val Begin = "write begin"
  /** `Full`: what was put did not fit. `Drain`: a fault ended the command. */
  val Full = "write full"
  val Drain = "write drain"
  /** The current bytes are those of unknown fields. */
  val OfUnknown: Flag = Flag.closing
  /** A text that does not fit is still checked, and nothing is written any more. */
  val Dry: Flag = Flag.outerValid
  def failure(status: Status): String = s"refuse ${status.name}"
}
