package heapwire.protobuf.engine

import heapwire.isa.{DescriptorLayout, RuntimeRegister, Status}
import heapwire.sequencer.Assembler

/** Where the words of an open message lie in the stack, at its level, for when a message in it ends. */
object WriteFrame {
  val Entry = 0
  val EntriesEnd = 1
  val Message = 2
  val Table = 3
  val End = 4
  // If it is an element of a list.
  val List = 5
  val Above = 6
  val First = 7
}

/** Writing: a command begins and ends, messages begin and end. Bytes are written downwards, the last field first. */
class WriteProgram(assembler: Assembler, fields: Boolean) extends WriteSteps(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  import WriteRegister._
  import WriteProgram.Block

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
  let(t3, argument(0))
  look(t3 + -Block).act(Act.fetchAhead)
  let(table, argument(1))
  push(WriteFrame.Table, table)
  let(noUnknown, runtime(RuntimeRegister.UnknownFields.index))
  look(t0 - 16).act(Act.pauseStream)
  let(last, objectsEnd + -16).on(carry, "write any object")
  // There is no place for any managed object.
  let(last, 0)
  label("write any object")
  let(t1, runtime(RuntimeRegister.TableLimit.index))
  let(tablesBase, runtime(RuntimeRegister.TableBase.index))
  look(t1 - DescriptorLayout.HeaderSize)
  let(lastTable, t1 + -DescriptorLayout.HeaderSize).on(carry, "write root")
  // Nor for any table.
  let(tablesBase, -1)
  label("write root")
  let(faultAt, t3 + 0).act(Act.takeCommand)
  also.call("load table")
  also.on(headerNative, "write struct")
  also.goto("table known")

  // ---- subroutine: the header of `table`. It is asked for before it is known to be within the tables, and waited for behind that --
  label("load table")
  look(table + 0).act(Act.askHeader)
  look(table - tablesBase)
  look(lastTable - table).refuseUnless(carry, Status.BadDescriptor)
  look(table + 0).refuseUnless(carry, Status.BadDescriptor)
  also.refuseOn(odd16, Status.BadDescriptor)
  let(knownSize, cached(1).low)
  let(knownKlass, cached(0))
  let(knownHasbits, cached(1).high)
  let(knownWords, cached(3).high)
  let(knownUnknown, cached(3).low)
  let(t1, bytesBefore).refuseOn(headerTooWide, Status.Unsupported)
  let(t2, orderedBytes)
  let(knownEntries, t1 + table)
  let(knownEnd, knownEntries + t2)
  let(knownTable, table)
  also.back

  // ---- a message begins: at t3, of a table that the open one's field knows; what encloses it is in the stack, its block on its way --
  label("write inner")
  let(table, table + entry2).push(WriteFrame.Table)
  look(table - knownTable)
  also.callUnless(equal, "load table")
  also.refuseOn(headerNative, Status.BadDescriptor)
  label("table known")
  look(t3 + 4).act(Act.askObject)
  look(t3 - bound)
  let(t4, objectsEnd - knownSize).refuseUnless(carry, Status.BadObject)
  look(t4 - t3).refuseUnless(carry, Status.BadObject)
  let(message, t3 + 0).act(Act.setMessage).refuseUnless(carry, Status.BadObject)
  push(WriteFrame.Message, t3 + 0)
  let(t0, asked).refuseOn(odd8, Status.BadObject)
  let(t4, message + knownHasbits).act(Act.askObject)
  look(t0 - knownKlass)
  look(knownWords + 0).act(Act.hasbitsBegin).refuseUnless(equal, Status.BadObject)
  push(WriteFrame.EntriesEnd, knownEnd)
  look(asked).act(Act.hasbitsPut)
  look(message + knownUnknown).act(Act.askObject).on(manyHasbits, "hasbits words")
  label("unknown asked")
  look(knownEnd + 0).act(Act.setEntriesEnd)
  look(knownEntries + 0).act(Act.setEntries)
  let(end, cursor).push(WriteFrame.End)
  let(t3, asked)
  look(t3 - noUnknown)
  also.unless(equal, "write unknown")
  label("write fields")
  also.act(Act.scan)

  label("hasbits words")
  let(t2, 1)
  label("hasbits word")
  let(t4, t4 + 4).act(Act.askObject)
  look(t2 + 0).act(Act.hasbitsAt)
  also.act(Act.hasbitsHere)
  look(asked).act(Act.hasbitsPut)
  let(t2, t2 + 1)
  look(t2 - knownWords)
  also.unless(carry, "hasbits word")
  look(message + knownUnknown).act(Act.askObject).goto("unknown asked")

  // The bytes of unknown fields lie behind all others.
  label("write unknown")
  look(t3 - 0)
  look(knownUnknown - 0).on(equal, "write fields")
  also.on(equal, "write fields")
  label("write unknown list")
  also.raise(closing)
  also.call("open list")
  also.on(equal, "unknown copied")
  also.call("copy out")
  label("unknown copied")
  also.lower(closing).goto("write fields")

  // ---- a message or group that is a field -----------------------------------------------------------------
  on(ScanStop.Message)
  let(t3, asked).unless(native, "dive")
  also.goto("write struct field")
  on(ScanStop.NoMessage)
  let(faultAt, message + 0).refuseOn(required, Status.MissingRequired)
  also.on(isGroup, "no group")
  look(0).act(Act.put).goto("write key")
  label("no group")
  also.act(Act.putEnd).goto("write key")

  // ---- of a list: the next element, if any is left
  label("next message")
  look(above - first)
  let(above, above + -4).act(Act.askObject).on(equal, "scan on")
  push(WriteFrame.Above, above)
  let(faultAt, listAt + 0)
  let(t3, asked)
  look(t3 - 0)
  also.refuseOn(equal, Status.BadObject)
  label("dive")
  let(faultAt, t3 + 0).refuseOn(depthFull, Status.DepthExceeded)
  look(t3 + -Block).act(Act.fetchAhead)
  push(WriteFrame.Entry, entryAt)
  also.act(Act.enter).unless(isGroup, "write inner")
  also.act(Act.putEnd).goto("write inner")

  on(ScanStop.End)
  also.act(Act.leave).on(atRoot, "write finish")
  also.pop(WriteFrame.Entry)
  also.pop(WriteFrame.EntriesEnd)
  look(stacked).act(Act.fetchEntry).pop(WriteFrame.Message)
  look(stacked).act(Act.setEntriesEnd).pop(WriteFrame.Table)
  let(message, stacked).act(Act.setMessage).pop(WriteFrame.End)
  let(table, stacked)
  let(t1, stacked)
  let(t0, cursor)
  let(t0, end - t0).on(native, "write struct leave")
  label("fetching entry")
  let(end, t1 + 0).on(scannerBusy, "fetching entry")
  also.on(isGroup, "write key")
  look(t0 + 0).act(Act.put).on(repeated, "next of list")
  label("write key")
  also.on(repeated, "next of list")
  let(faultAt, message + 0).act(Act.putKeyAndScan)
  label("scan on")
  let(faultAt, message + 0).act(Act.scan)
  label("next of list")
  also.act(Act.putKey).pop(WriteFrame.Above)
  also.on(isString, "next string")
  also.pop(WriteFrame.Above)
  also.pop(WriteFrame.First)
  let(above, stacked).pop(WriteFrame.List)
  let(first, stacked)
  let(listAt, stacked).goto("next message")

  // ---- the command ends ---------------------------------------------------------------------------------------
  label("write finish")
  settle()
  look(cursor).act(Act.setResult0)
  let(t0, cursor)
  look(outputEnd - t0).act(Act.setResult1)
  also.act(Act.flush)
  look(0).act(Act.setResult2)
  look(0).act(Act.setResult3)
  label("writing out")
  also.unless(allIdle, "writing out")
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
  if (fields) also.on(inSequence, FieldsProgram.Drain)
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
  /** Of memory. */
  private val Block = 64
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
