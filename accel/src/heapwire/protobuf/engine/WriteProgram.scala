package heapwire.protobuf.engine

import heapwire.isa.{RuntimeRegister, Status}
import heapwire.sequencer.Assembler

/** Where the words of an open message lie in the stack while a message in it is open. */
object WriteFrame {
  val Entry = 0
  val EntriesEnd = 1
  val Message = 2
  val Table = 3
  val End = 4
  val List = 5
  val Above = 6
  val First = 7
}

/** Writing: a command begins and ends, messages begin and end. Bytes are written downwards, the last field first. */
class WriteProgram(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  import WriteRegister._

  label(WriteProgram.Begin)
  let(faultAt, 0)
  let(t0, argument(4))
  let(output, argument(3)).act(Act.setArena0).data(t0)
  look(output + 0).act(Act.setArena1).data(t0)
  look(t0 - output)
  let(outputEnd, t0 + 0).refuseUnless(carry, Status.OutOfBounds)
  let(objectsEnd, argument(6))
  let(bound, argument(5)).act(Act.setObjects).data(objectsEnd)
  look(objectsEnd - bound)
  let(t0, objectsEnd - bound).refuseUnless(carry, Status.OutOfBounds)
  look(outputEnd + 0).act(Act.startPacker).data(output)
  let(table, argument(1))
  let(t3, argument(0))
  let(noUnknown, runtime(RuntimeRegister.UnknownFields.index))
  look(t0 - 16).act(Act.pauseStream)
  let(last, objectsEnd + -16).on(carry, "write root")
  // There is no place for any managed object.
  let(last, 0)
  label("write root")
  let(faultAt, t3 + 0).act(Act.takeCommand)
  also.call("load table")
  also.unless(headerNative, "table known")
  also.goto("write struct")

  // ---- subroutine: the header of `table` -----------------------------------------------------------------
  label("load table")
  let(t0, runtime(RuntimeRegister.TableBase.index))
  let(t1, runtime(RuntimeRegister.TableLimit.index))
  look(table - t0)
  let(t0, t1 - table).refuseUnless(carry, Status.BadDescriptor)
  let(t0, t0 + -32).refuseUnless(carry, Status.BadDescriptor)
  look(table + 0).act(Act.askHeader).refuseUnless(carry, Status.BadDescriptor)
  also.refuseOn(odd16, Status.BadDescriptor)
  arrived()
  let(t1, hashedBytes)
  let(t2, orderedBytes)
  let(t1, t1 + table)
  let(knownEntries, t1 + 32)
  let(knownEnd, knownEntries + t2)
  let(knownTable, table)
  let(knownSize, cached(1).low)
  also.on(headerNative, "table loaded")
  let(knownKlass, cached(0))
  let(knownHasbits, cached(1).high)
  let(knownWords, cached(3).high)
  let(knownUnknown, cached(3).low)
  also.refuseOn(headerTooWide, Status.Unsupported)
  label("table loaded")
  also.back

  // ---- a message begins: at t3, of `table`; what encloses it is in the stack ----------------------------
  label("write message")
  look(table - knownTable)
  let(faultAt, t3 + 0).on(equal, "table known")
  also.call("load table")
  also.refuseOn(headerNative, Status.BadDescriptor)
  label("table known")
  look(t3 + 4).act(Act.askObject)
  look(t3 - bound)
  let(t4, objectsEnd - knownSize).refuseUnless(carry, Status.BadObject)
  look(t4 - t3).refuseUnless(carry, Status.BadObject)
  let(message, t3 + 0).act(Act.setMessage).refuseUnless(carry, Status.BadObject)
  let(t4, message + knownHasbits).refuseOn(odd8, Status.BadObject)
  arrived()
  let(t0, asked)
  look(t4 + 0).act(Act.askObject)
  look(t0 - knownKlass)
  look(knownWords + 0).act(Act.hasbitsBegin).refuseUnless(equal, Status.BadObject)
  let(t3, message + knownUnknown)
  look(knownEntries + 0).act(Act.setEntries)
  arrived()
  look(asked).act(Act.hasbitsPut)
  look(t3 + 0).act(Act.askObject)
  look(knownWords - 2)
  let(entriesEnd, knownEnd + 0).act(Act.setEntriesEnd).on(carry, "hasbits words")
  label("unknown asked")
  counts()
  let(end, cursor)
  arrived()
  let(t3, asked)
  look(t3 - noUnknown)
  also.unless(equal, "write unknown")
  label("write fields")
  also.act(Act.scan)

  label("hasbits words")
  let(t2, 1)
  label("hasbits word")
  let(t4, t4 + 4).act(Act.askObject)
  arrived()
  look(t2 + 0).act(Act.hasbitsAt)
  also.act(Act.hasbitsHere)
  look(asked).act(Act.hasbitsPut)
  let(t2, t2 + 1)
  look(t2 - knownWords)
  also.unless(carry, "hasbits word")
  look(t3 + 0).act(Act.askObject).goto("unknown asked")

  // The bytes of unknown fields lie behind all others.
  label("write unknown")
  look(t3 - 0)
  look(knownUnknown - 0).on(equal, "write fields")
  also.on(equal, "write fields")
  also.raise(closing)
  also.call("open list")
  look(t0 - 0)
  also.on(equal, "unknown copied")
  also.call("copy out")
  label("unknown copied")
  also.lower(closing).goto("write fields")

  // ---- a message or group that is a field -----------------------------------------------------------------
  on(ScanStop.Message)
  let(t3, asked).on(native, "write struct field")
  look(t3 - 0)
  also.unless(equal, "dive")
  let(faultAt, message + 0).refuseOn(required, Status.MissingRequired)
  also.on(isGroup, "no group")
  look(zero).act(Act.put).goto("write key")
  label("no group")
  also.act(Act.putEnd).goto("write key")

  // ---- of a list: the next element, if any is left
  label("next message")
  look(above - first)
  also.on(equal, "scan on")
  let(above, above + -4)
  look(above + 0).act(Act.askObject)
  let(faultAt, listAt + 0)
  arrived()
  let(t3, asked)
  look(t3 - 0)
  also.refuseOn(equal, Status.BadObject)
  label("dive")
  let(faultAt, t3 + 0).refuseOn(depthFull, Status.DepthExceeded)
  let(t0, nextEntry)
  let(t0, t0 + -16)
  push(WriteFrame.Entry, t0)
  push(WriteFrame.EntriesEnd, entriesEnd)
  push(WriteFrame.Message, message)
  push(WriteFrame.Table, table)
  push(WriteFrame.End, end)
  let(table, table + entry2).unless(repeated, "dived")
  push(WriteFrame.List, listAt)
  push(WriteFrame.Above, above)
  push(WriteFrame.First, first)
  label("dived")
  also.act(Act.enter).unless(isGroup, "write message")
  also.act(Act.putEnd).goto("write message")

  on(ScanStop.End)
  also.on(atRoot, "write finish")
  also.act(Act.leave)
  also.pop(WriteFrame.Entry)
  also.pop(WriteFrame.EntriesEnd)
  look(stacked).act(Act.fetchEntry).pop(WriteFrame.Message)
  let(entriesEnd, stacked).act(Act.setEntriesEnd).pop(WriteFrame.Table)
  let(message, stacked).act(Act.setMessage).pop(WriteFrame.End)
  let(table, stacked).pop(WriteFrame.List)
  let(t1, stacked).pop(WriteFrame.Above)
  let(listAt, stacked).pop(WriteFrame.First)
  let(above, stacked)
  let(first, stacked)
  counts()
  let(t0, cursor).on(native, "write struct leave")
  let(t0, end - t0)
  let(end, t1 + 0)
  label("fetching entry")
  also.on(scannerBusy, "fetching entry")
  also.on(isGroup, "write key")
  look(t0 + 0).act(Act.put)
  label("write key")
  also.act(Act.putKey).on(repeated, "next of list")
  label("scan on")
  let(faultAt, message + 0).act(Act.scan)
  label("next of list")
  also.on(isString, "next string")
  also.goto("next message")

  // ---- the command ends ---------------------------------------------------------------------------------------
  label("write finish")
  settle()
  look(cursor).act(Act.setResult0)
  let(t0, cursor)
  look(outputEnd - t0).act(Act.setResult1)
  look(0).act(Act.setResult2)
  look(0).act(Act.setResult3)
  label("writing out")
  also.act(Act.flush).unless(allIdle, "writing out")
  also.goto("complete")

  // ---- faults: of those that were found, the one that is the first in the order of writing counts -----------------
  on(ScanStop.Missing)
  let(faultAt, message + 0).refuseOn(always, Status.MissingRequired)
  on(ScanStop.Unsupported)
  let(faultAt, message + 0).refuseOn(always, Status.Unsupported)
  on(ScanStop.Malformed)
  let(faultAt, message + 0).refuseOn(always, Status.BadDescriptor)
  for (status <- Seq(Status.OutOfBounds, Status.BadObject, Status.BadDescriptor, Status.MissingRequired, Status.Unsupported, Status.DepthExceeded, Status.DoesNotFit)) {
    label(WriteProgram.failure(status))
    let(t4, status.code).goto("write fails")
  }
  label(WriteProgram.Full)
  let(faultAt, 0)
  let(t4, Status.OutputFull.code)
  label("write fails")
  also.unless(copierIdle, "write fails")
  // The text that was copied may turn out to be wrong a few cycles later; and what was put may not have fit.
  also
  also
  also
  label("packing")
  also.unless(packed, "packing")
  also
  look(t4 + 0).act(Act.fail)
  label(WriteProgram.Drain)
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
  /** What was put did not fit; a fault ended the command. */
  val Full = "write full"
  val Drain = "write drain"
  /** The bytes of unknown fields are at hand. */
  val OfUnknown: Flag = Flag.closing
  /** A text that has no room is looked at, and nothing is written any more. */
  val Dry: Flag = Flag.outerValid
  /** Where the program goes on when the scanner stops. */
  def handler(stop: ScanStop.E): String = s"write stop ${stop.position}"
  def failure(status: Status): String = s"refuse ${status.name}"
}
