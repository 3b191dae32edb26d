package heapwire.protobuf.engine.program

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram that writes C structs as nanopb lays them out: begin and end of structs, strings and bytes. The
  * scanner writes scalars in the struct, and decides whether a field is present.
  */
class NativeWriteProgram(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import Outside._
  import Register._
  import WriteRegister._
  override protected def slot = true

  part("message begins")
  // A subroutine: loads the header of `table`, which must be a struct's.
  label("load struct table")
  look(table + 0).act(Act.askHeader)
  let(knownTable, table + 0).refuseOn(odd16, Status.BadDescriptor)
  let(knownSize, cached(1).low)
  also.refuseUnless(native, Status.BadDescriptor)
  also.back

  onEvent(Entry.Root, writes = true)
  look(output + 0).act(Act.takeWithArenas).data(t0).call("load struct table")
  also.goto("write struct")

  // ---- a struct begins: at t3, of `table`; the enclosing struct is in the stack ------------------------------------
  label("write struct in")
  look(table - knownTable)
  let(enclosing, entryAt).callUnless(equal, "load struct table")
  label("write struct")
  look(t3 - bound)
  let(t4, objectsEnd - knownSize).refuseUnless(carry, Status.BadObject)
  look(t4 - t3).refuseUnless(carry, Status.BadObject)
  let(message, t3 + 0).act(Act.setMessage).refuseUnless(carry, Status.BadObject)
  let(entriesEnd, behindEntries).act(Act.setEntriesEnd).refuseOn(misaligned, Status.BadObject)
  look(firstEntry).act(Act.setEntries)
  let(end, cursor).act(Act.scan)

  part("message ends")
  // The enclosing struct is restored, and the struct's length and key are written.
  on(ScanStop.End)
  leaveMessage()
  let(table, stacked)
  let(end, stacked)
  walked()
  look(t0 + 0).act(Act.put).on(repeated, "write struct of array")
  let(faultAt, message + 0).act(Act.putKeyAndScan)
  label("write struct of array")
  also.act(Act.putKey).pop(above)
  also.pop(left)
  let(above, stacked).pop(stride)
  let(left, stacked)
  let(stride, stacked)
  label("write next struct")
  let(left, left + -1)
  let(above, above - stride).unless(carry, "write struct scan on")
  let(t3, above + 0).goto("write struct dive")

  part("message begins")
  // A struct that is a field, or an element at t3.
  on(ScanStop.Message)
  let(faultAt, element)
  let(t3, asked).on(pointer, "write struct dive")
  let(t3, message + entry1.low)
  label("write struct dive")
  let(faultAt, t3 + 0).refuseOn(depthFull, Status.DepthExceeded)
  let(t1, entry2.signedLow).act(Act.enter)
  times(t1, DescriptorLayout.Alignment)
  let(table, table + t1)
  also.goto("write struct in")

  part("strings")
  // The scanner writes only text behind pointers by itself, and only if it is short and does not begin or end in the
  // first or the last block of the bounds.
  on(ScanStop.Str)
  let(t3, stringAt + 0).on(repeated, "write string of struct")
  let(t3, message + entry1.low).unless(pointer, "write string of struct")
  let(t4, asked).unless(isText, "write bytes behind pointer")
  look(t3 + 0).act(Act.askObject)
  let(t4, asked)
  label("write bytes behind pointer")
  let(t3, t4 + 0)
  label("write string of struct")
  let(faultAt, t3 + 0).on(fixedLength, "write block")
  look(t3 - bound).unless(isText, "write counted bytes")

  // Text: up to its NUL.
  look(t3 - objectsEnd).refuseUnless(carry, Status.BadObject)
  look(t3 + 0).act(Act.setElement).refuseOn(carry, Status.BadObject)
  also.act(Act.findEnd)
  walked()
  let(t4, element)
  let(t0, t4 - t3)
  let(t1, t3 + 0).on(pointer, "write text behind pointer")
  let(t2, entry2.low)
  look(t0 - t2)
  also.refuseOn(carry, Status.DoesNotFit)
  look(t0 - 0).goto("write bytes")
  label("write text behind pointer")
  look(t4 - objectsEnd)
  look(t0 - 0).refuseOn(carry, Status.BadObject)

  // ---- t0 bytes at t1, up to t4; equal: none
  label("write bytes")
  look(t0 - NativeWriteProgram.Long).on(equal, "write no bytes")
  look(t4 + 0).act(Act.setElement).on(carry, "write long bytes")
  look(t0 + 0).act(Act.walkCounted)
  let(faultAt, message + 0)
  walked()
  label("write put length")
  look(t0 + 0).act(Act.put).on(repeated, "write string of array")
  also.act(Act.putKeyAndScan)
  label("write string of array")
  let(faultAt, origin + 0).act(Act.putKey)
  label("write next text")
  let(left, left + -1)
  let(above, above - stride).unless(carry, "write struct scan on")
  let(t3, above + 0).unless(referred, "write string of struct")
  look(t3 + 0).act(Act.askObject)
  let(t3, asked)
  look(t3 - 0)
  let(t0, 0).on(equal, "write put length")
  also.unless(isText, "write string of struct")
  let(stringAt, asked).act(Act.writeText)
  walked()
  also.goto("write next text")
  label("write no bytes")
  also.unless(isImplicit, "write put length")
  label("write struct scan on")
  let(faultAt, message + 0).act(Act.scan)
  label("write long bytes")
  let(t3, message + 0).call("copy out")
  let(faultAt, message + 0).goto("write put length")

  // Bytes with a count, behind the count.
  label("write counted bytes")
  let(t2, 2).refuseUnless(carry, Status.BadObject)
  also.unless(wideCount, "write count of two bytes")
  let(t2, 4)
  label("write count of two bytes")
  let(t1, t2 + -1)
  look(t3 & t1)
  let(t1, t3 + t2).refuseOn(odd8, Status.BadObject)
  look(objectsEnd - t1).refuseOn(carry, Status.BadObject)
  look(t3 + 0).act(Act.askObject).refuseUnless(carry, Status.BadObject)
  let(t0, asked).on(wideCount, "write bytes counted")
  let(t0, asked.low).unless(upperHalf, "write bytes counted")
  let(t0, asked.high)
  label("write bytes counted")
  let(t4, entry2.low).on(pointer, "write bytes fit")
  let(t4, t4 - t2)
  look(t4 - t0)
  also.refuseUnless(carry, Status.DoesNotFit)
  label("write bytes fit")
  let(t4, objectsEnd - t1)
  look(t4 - t0)
  let(t4, t1 + t0).refuseUnless(carry, Status.BadObject)
  look(t0 - 0).goto("write bytes")

  // Bytes of a fixed length.
  label("write block")
  look(t3 - bound)
  let(t4, objectsEnd - t3).refuseUnless(carry, Status.BadObject)
  let(t0, entry2.low).refuseUnless(carry, Status.BadObject)
  look(t4 - t0)
  let(t4, t3 + t0).refuseUnless(carry, Status.BadObject)
  let(t1, t3 + 0)
  look(t0 - 0).goto("write bytes")

  part("faults")
  refusals()
  // ---- no NUL within the bounds
  on(ScanStop.Endless)
  also.refuseOn(pointer, Status.BadObject)
  also.refuseOn(always, Status.DoesNotFit)
}

object NativeWriteProgram {
  /** A string of at least this many bytes goes through the stream and the copier. */
  val Long: Int = 1 << ScannedString.LengthWidth
}
