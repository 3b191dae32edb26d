package heapwire.protobuf.engine.program

import heapwire.isa.Status
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram of upb's arrays, and of unknown fields.
  *
  * An array's struct has the address of its elements, whose low bits say how large they are; their number; and for how
  * many there is room. Each message has at most one open list, whose number of elements is written when it is closed.
  * A full array gets twice the room: in place while it is the topmost one, otherwise at the top. When a list has been
  * made ready, the step has another turn.
  *
  * @param slices the array's struct is in the message, and the address has no size in it. Neither has what is kept of
  *               unknown fields a head: address, number of bytes and room are in the message
  */
class UpbLists(assembler: Assembler, slices: Boolean = false) extends EngineProgram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  import UpbProgram._
  override protected def slot = true
  /** Elements for which a new array has room: a multiple of 8, so that arrays end at such addresses. */
  private val First = 8

  part("list opens")
  label("upb list")
  let(slotAt, message + entry1.low).act(Act.hasbitsOfList).unless(listOpen, "upb open list")
  also.on(sameList, "upb grow")
  also.call("upb close list")
  also.act(Act.hasbitsOfList)
  label("upb open list")
  let(t0, fixedTop + Array).on(seen, "upb reopen list")
  label("upb new list")
  if (slices) {
    also.act(Act.setShape)
    let(listAt, slotAt + 0)
  } else {
    look(fixedLimit - t0).failOn(carry, Status.FixedArenaFull)
    also.act(Act.setShape).failUnless(carry, Status.FixedArenaFull)
    let(listAt, fixedTop)
    let(fixedTop, t0)
  }
  let(t1, slack)
  let(t1, t1 + t1)
  tag(let(array, top))
  also.unless(isString, "upb room")
  let(t1, t1 + t1)
  label("upb room")
  let(t1, array + t1)
  look(flexLimit - t1).failOn(carry, Status.FlexibleArenaFull)
  look(t1 + 0).act(Act.setLimit).failUnless(carry, Status.FlexibleArenaFull)
  let(top, t1)
  if (slices) {
    // A slice lies at any multiple of 4.
    store(Store.Word, slotAt + 0, array).act(Act.mark)
    store(Store.Word, slotAt + 4, zero)
  } else storePair(listAt + 0, t0, zero)
  let(t0, First)
  store(Store.Word, listAt + 8, t0)
  look(array + 0).act(Act.setElement)
  look(zero).act(Act.setCount)
  if (!slices) store(Store.Word, slotAt + 0, listAt).act(Act.mark)
  also.raise(listOpen)
  also.act(Act.run)

  shared()
  /** t0 := what the array's struct has of the elements' address: with their size in it, if it is not a slice. */
  private def tag(line: Line): Unit = if (slices) let(t0, array + 0) else line.call("upb tag")
  if (!slices) {
    // The subroutine.
    label("upb tag")
    let(t0, array + 0).unless(wide1, "upb tagged")
    let(t0, t0 + 1).on(isString, "upb eight bytes each")
    also.unless(wide0, "upb tagged")
    label("upb eight bytes each")
    let(t0, t0 + 1)
    label("upb tagged")
    also.back
  }
  // A subroutine: the number of elements is written.
  label("upb close list")
  also.lower(listOpen)
  store(Store.Word, listAt + 4, count).back

  part("list moves")
  label("upb grow")
  let(t0, element)
  let(t0, t0 - array)
  let(t1, limit)
  look(t1 - top)
  let(t2, top + t0).unless(equal, "upb move")
  look(flexLimit - t2).failOn(carry, Status.FlexibleArenaFull)
  look(t2 + 0).act(Act.setLimit).failUnless(carry, Status.FlexibleArenaFull)
  let(top, t2)
  let(t0, count)
  let(t0, t0 + t0)
  store(Store.Word, listAt + 8, t0)
  also.act(Act.run)
  label("upb move")
  let(t2, t2 + t0).failOn(carry, Status.FlexibleArenaFull)
  look(flexLimit - t2).failOn(carry, Status.FlexibleArenaFull)
  let(t3, array).failUnless(carry, Status.FlexibleArenaFull)
  await(written, also.act(Act.flush))
  let(t4, windowAt).unless(isScalar, "upb move on")
  let(t4, runEnd)
  label("upb move on")
  let(t1, top)
  also.call("copy")
  let(array, t1)
  look(array + t0).act(Act.setElement)
  look(t2 + 0).act(Act.setLimit)
  tag(let(top, t2))
  store(Store.Word, listAt + 0, t0)
  let(t0, count)
  let(t0, t0 + t0)
  store(Store.Word, listAt + 8, t0).unless(isElement, "resume")
  look(packedEnd + 0).act(Act.readPacked)
  also.act(Act.run)

  part("list returns")
  // Checks slot, struct and elements; if slots of a malformed table overlap they may hold anything.
  label("upb reopen list")
  also.act(Act.flush).unless(written, "upb reopen list")
  also.act(Act.forget)
  look(slotAt + 0).act(Act.askObject)
  let(t1, asked)
  look(t1 - 0)
  look(fixedTop + Array).on(equal, "upb new list")
  also.act(Act.setShape)
  if (slices) {
    let(listAt, slotAt + 0)
    look(listAt + 0).act(Act.askObject)
  } else {
    look(t1 - fixedBase)
    let(t2, t1 + Array).failUnless(carry, Status.BadDescriptor)
    look(fixedTop - t2).failOn(carry, Status.BadDescriptor)
    let(listAt, t1 + 0).failUnless(carry, Status.BadDescriptor)
    look(listAt + 0).act(Act.askObject).failOn(odd8, Status.BadDescriptor)
  }
  let(array, asked)
  let(array, array & -8)
  look(listAt + 4).act(Act.askObject)
  let(t2, asked)
  look(listAt + 8).act(Act.askObject)
  let(t3, asked)
  // An array without room would never grow.
  look(t3 - 0)
  look(t2 + 0).act(Act.setCount).failOn(equal, Status.BadDescriptor)
  look(t3 - t2)
  also.failUnless(carry, Status.BadDescriptor)
  also.unless(wide1, "upb four more")
  for (_ <- 0 until 2) twice()
  also.unless(wide0, "upb four more")
  twice()
  label("upb four more")
  also.unless(isString, "upb returns")
  twice()
  label("upb returns")
  look(array - flexibleBase)
  let(t1, array + t3).failUnless(carry, Status.BadDescriptor)
  look(top - t1).failOn(carry, Status.BadDescriptor)
  look(t1 + 0).act(Act.setLimit).failUnless(carry, Status.BadDescriptor)
  look(array + t2).act(Act.setElement)
  also.raise(listOpen)
  also.act(Act.run)
  /** Doubles t2 and t3, of which t3 is not less. */
  private def twice(): Unit = {
    let(t2, t2 + t2)
    let(t3, t3 + t3)
    also.failOn(carry, Status.BadDescriptor)
  }

  part("unknown fields")
  // Input from unknownStart to unknownEnd is kept; then the input continues at t4. t2: where the bytes and their head
  // are.
  private val Unknown = if (slices) 0 else UpbProgram.Unknown
  private val (head, roomAt) = if (slices) (message, 8) else (t2, 0)
  onEvent(Entry.Keep, writes = true)
  let(room, unknownEnd)
  let(room, room - unknownStart)
  also.call("write all")
  look(message + 0).act(Act.askObject)
  let(t2, asked)
  look(t2 - 0)
  let(t0, room + Unknown).on(equal, "upb first unknown")
  look(t2 - flexibleBase)
  let(t1, t2 + Unknown).failUnless(carry, Status.BadDescriptor)
  look(top - t1).failOn(carry, Status.BadDescriptor)
  look(t2 + 0).failUnless(carry, Status.BadDescriptor)
  look(head + roomAt).act(Act.askObject).failOn(odd8, Status.BadDescriptor)
  let(t3, asked)
  look(head + 4).act(Act.askObject)
  let(slotAt, asked)
  // It ends within its room, which ends within the arena.
  look(t3 - slotAt)
  let(t1, t2 + t3).failUnless(carry, Status.BadDescriptor)
  look(top - t1).failOn(carry, Status.BadDescriptor)
  look(slotAt - Unknown).failUnless(carry, Status.BadDescriptor)
  let(t0, slotAt + room).failUnless(carry, Status.BadDescriptor)
  look(t3 - t0)
  let(t1, t2 + slotAt).on(carry, "upb unknown fits")
  let(t0, t0 + t0)
  also.failOn(carry, Status.FlexibleArenaFull)
  also.call("upb block")
  let(t0, slotAt)
  let(t3, t2)
  let(t1, top)
  also.call("copy")
  let(t1, top + slotAt)
  label("upb block is there")
  let(t2, top)
  let(top, top + foundAt)
  store(Store.Word, message + 0, t2)
  store(Store.Word, head + roomAt, foundAt)
  if (!slices) store(Store.Word, t2 + 8, foundAt)
  let(t0, slotAt + room)
  label("upb unknown fits")
  store(Store.Word, head + 4, t0)
  let(t0, room)
  let(t3, input + unknownStart)
  also.call("copy")
  also.lower(unknownValid)
  also.lower(keeping).goto("resume")
  label("upb first unknown")
  also.call("upb block")
  let(slotAt, Unknown)
  let(t1, top + Unknown)
  also.goto("upb block is there")

  shared()
  // A subroutine: foundAt := t0 bytes, rounded up, which fit.
  label("upb block")
  let(t0, t0 + 7)
  let(foundAt, t0 & -8).failOn(carry, Status.FlexibleArenaFull)
  let(t1, top + foundAt)
  look(flexLimit - t1).failOn(carry, Status.FlexibleArenaFull)
  also.failUnless(carry, Status.FlexibleArenaFull)
  also.back
}
