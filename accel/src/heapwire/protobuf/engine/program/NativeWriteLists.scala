package heapwire.protobuf.engine.program

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram that writes the arrays of C structs, the last element first. Strings and structs are `stride` bytes
  * apart, unless strings are behind pointers. `above` moves down past `left` elements.
  */
class NativeWriteLists(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import Outside._
  import Register._
  import WriteRegister._
  override protected def slot = true

  // The scanner stops with the count at hand, which is not zero; for a scalar behind a pointer, with the pointer.
  part("lists")
  on(ScanStop.Array)
  let(t3, asked)
  let(t0, 1).unless(repeated, "write array")
  let(t0, entry2.high).on(fixedCount, "write array counted")
  let(t0, asked).on(wideCount, "write array counted")
  let(t0, asked.low).unless(upperHalf, "write array counted")
  let(t0, asked.high)
  label("write array counted")
  let(faultAt, message + 0)
  let(t3, message + entry1.low).on(pointer, "write array behind pointer")
  let(t4, entry2.high)
  look(t4 - t0)
  also.refuseUnless(carry, Status.DoesNotFit)
  also.goto("write array")
  label("write array behind pointer")
  look(t3 + 0).act(Act.askObject)
  let(t3, asked)
  look(t3 - 0)
  also.on(equal, "write struct scan on")

  // ---- t0 elements at t3
  label("write array")
  look(t0 - 0)
  let(faultAt, t3 + 0).on(equal, "write struct scan on")
  also.unless(packable, "write array of strings or structs")
  let(t2, 1).unless(elementWide1, "write scaled by one")
  let(t2, 4)
  let(t0, t0 + t0)
  let(t0, t0 + t0).refuseOn(carry, Status.BadObject)
  also.refuseOn(carry, Status.BadObject)
  label("write scaled by one")
  also.unless(elementWide0, "write elements scaled")
  let(t2, t2 + t2)
  let(t0, t0 + t0)
  also.refuseOn(carry, Status.BadObject)
  label("write elements scaled")
  let(t2, t2 + -1)
  holds()
  look(t3 + 0).act(Act.setLimit)
  look(t4 + 0).act(Act.setElement).unless(asPacked, "write elements with keys")
  let(t2, cursor)
  let(faultAt, message + 0).act(Act.walkPacked)
  walked()
  let(t0, cursor)
  look(t2 - t0).act(Act.put)
  also.act(Act.putKeyAndScan)
  label("write elements with keys")
  let(faultAt, message + 0).act(Act.walkKeyed)
  walked()
  also.act(Act.scan)

  label("write array of strings or structs")
  also.on(referred, "write array of pointers")
  let(t1, constant)
  look(t1 - t0)
  let(stride, entry2.low).refuseUnless(carry, Status.Unsupported)
  also.on(isString, "write stride known")
  // The size of structs is in their table.
  let(t1, entry2.signedLow)
  times(t1, DescriptorLayout.Alignment)
  let(elements, t0 + 0)
  let(t4, table + 0)
  let(table, table + t1)
  look(table - knownTable)
  also.on(equal, "write element known")
  also.call("load struct table")
  label("write element known")
  let(table, t4 + 0)
  let(t1, alignMask)
  let(t0, knownSize + t1)
  let(t2, -1)
  let(t1, t2 - t1)
  let(stride, t0 & t1)
  let(t0, elements + 0)
  label("write stride known")
  // above := t3 + t0 * stride, lowest bit of the count first
  let(above, t3 + 0)
  let(left, t0 + 0)
  let(t1, stride + 0)
  let(t2, 1)
  label("write next bit of count")
  let(t4, t0 & t2)
  look(t4 - t2)
  let(t2, t2 + t2).unless(equal, "write no bit of count")
  let(above, above + t1)
  label("write no bit of count")
  look(t0 - t2)
  let(t1, t1 + t1).on(carry, "write next bit of count")
  also.on(isString, "write next text")
  also.goto("write next struct")

  label("write array of pointers")
  let(origin, t3 + 0)
  let(left, t0 + 0)
  let(t0, t0 + t0)
  let(t0, t0 + t0).refuseOn(carry, Status.BadObject)
  let(t2, 3).refuseOn(carry, Status.BadObject)
  holds()
  let(stride, 4)
  let(above, t4 + 0).goto("write next text")

  /** Checks that t0 bytes at t3, up to t4, lie within the bounds, and that t3 has none of the bits of t2. */
  private def holds(): Unit = {
    look(t3 & t2)
    look(t3 - bound).refuseOn(odd8, Status.BadObject)
    let(t4, objectsEnd - t3).refuseUnless(carry, Status.BadObject)
    look(t4 - t0).refuseUnless(carry, Status.BadObject)
    let(t4, t3 + t0).refuseUnless(carry, Status.BadObject)
  }
}
