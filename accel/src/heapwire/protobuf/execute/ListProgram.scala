package heapwire.protobuf.execute

import heapwire.isa.{ObjectLayout, Status}
import heapwire.sequencer.Assembler

/** The lists of repeated fields and of unknown fields: an array list in the fixed arena, and its array in the flexible one.
  *
  * One list a message is open. The topmost array of the flexible arena grows in place. When an array is opened above it, its
  * list is closed, or, if it belongs to an outer message, suspended with slack for max(4, count) elements. A list that returns
  * is read back from memory; one whose array is full moves to the top. Lists that moved are closed with slack, so that moving
  * costs a constant an element. Every array left behind has a valid header, so the arena can be walked.
  */
class ListProgram(assembler: Assembler) extends Microprogram(assembler) {
  require(ObjectLayout.ArrayList.Array == ObjectLayout.ArrayList.Count + 4, "count and array are written together")
  import Act._
  import Cond._
  import Flag._
  import Operand._
  private val Elements = ObjectLayout.Array.Elements

  /** t0 := count, and slack for max(4, count) more; t1 := where they end. */
  private def slacken(count: Operand, element: Operand, array: Operand, four: Operand): Unit = {
    val (double, done) = (s"double ${assembler.size}", s"slack ${assembler.size}")
    look(count - 4).on(carry, double)
    let(t0, count + 4)
    let(t1, element + four).failOn(carry, Status.FlexibleArenaFull)
    also.goto(done)
    label(double)
    let(t0, count + count).failOn(carry, Status.FlexibleArenaFull)
    let(t1, element - array)
    let(t1, t1 + element).failOn(carry, Status.FlexibleArenaFull)
    let(t1, t1 + -Elements)
    label(done)
  }
  /** to := where element `index` of the array lies. */
  private def place(to: Operand, index: Operand, array: Operand, once: Cond, twice: Cond, overflow: Status): Unit = {
    val (second, last) = (s"second ${assembler.size}", s"last ${assembler.size}")
    let(to, index)
    also.unless(once, second)
    let(to, to + to).failOn(carry, overflow)
    label(second)
    also.unless(twice, last)
    let(to, to + to).failOn(carry, overflow)
    let(to, to + to).failOn(carry, overflow)
    label(last)
    let(to, to + Elements).failOn(carry, overflow)
    let(to, to + array).failOn(carry, overflow)
  }
  /** t2 := the address of t1 rounded up, which lies in the arena. */
  private def end(): Unit = {
    let(t2, t1 + 7).failOn(carry, Status.FlexibleArenaFull)
    let(t2, t2 & -8)
    look(flexLimit - t2).failUnless(carry, Status.FlexibleArenaFull)
  }

  // ---- the step's list, or that of unknown fields, is made ready ----------------
  label("keep")
  let(slotAt, message + unknownOffset).raise(keeping)
  let(room, unknownEnd - unknownStart).goto("enter")
  label("enter list")
  let(slotAt, slot).act(hasbitsAt).goto("next")
  label("enter")
  also.act(hasbitsAt)
  label("next")
  also.on(isNewList, "new list")
  also.unless(listOpen, "none open")
  also.unless(sameList, "close list")
  also.failUnless(sameShape, Status.BadDescriptor)
  also.on(onTop, "entered")
  also.unless(keeping, "out of room")
  let(t0, limit - count)
  look(t0 - room).on(carry, "entered")
  label("out of room")
  also.unless(outerValid, "move")
  also.goto("suspend")
  label("none open")
  also.on(seen, "read back")
  also.goto("suspend")
  label("new list")
  let(t0, fixedTop + ObjectLayout.ArrayList.Size).failOn(carry, Status.FixedArenaFull)
  look(fixedLimit - t0).failUnless(carry, Status.FixedArenaFull)
  let(element, top + Elements).act(newList).failOn(carry, Status.FlexibleArenaFull)
  look(flexLimit - element).failUnless(carry, Status.FlexibleArenaFull)
  let(fixedTop, t0)
  store(Store.Word, slotAt, 0, listAt).act(mark).on(keeping, "append")
  also.act(run)
  label("entered")
  also.on(keeping, "append")
  also.act(run)

  // ---- unknown fields go to their list -------------------------------------------
  label("append")
  let(t0, element + room).on(carry, "append where")
  let(readAt, inputArgument + unknownStart).unless(onTop, "append here")
  look(flexLimit - t0).failUnless(carry, Status.FlexibleArenaFull)
  label("append here")
  let(t1, readAt & 7)
  let(length, t1 + room)
  look(element - t1).act(copy)
  awaitRead()
  let(element, t0)
  let(count, count + room).lower(unknownValid)
  also.lower(keeping).act(run)
  label("append where")
  also.goto("fail FLEXIBLE_ARENA_FULL")

  // ---- the open list is closed: the message ends, or another list is opened --------
  label("close list")
  also.unless(onTop, "list itself")
  let(t0, count)
  let(t1, element).unless(moved, "close array")
  also.on(closing, "close array")
  slacken(count, element, array, slack)
  label("close array")
  end()
  let(length, t2 - element).on(equal, "cleared")
  look(element).act(clear)
  label("cleared")
  store(Store.Header, array, 0, arrayKlass)
  store(Store.Wide, array, ObjectLayout.Array.Length, t0)
  let(top, t2).lower(onTop)
  label("list itself")
  store(Store.Header, listAt, 0, listKlass)
  store(Store.Pair, listAt, ObjectLayout.ArrayList.Count, count).lower(listOpen).on(closing, "closed")
  also.goto("next")

  // ---- the outer message's list loses its place on top -------------------------------
  label("suspend")
  slacken(outerCount, outerElement, outerArray, outerSlack)
  end()
  let(length, t2 - outerElement)
  look(outerElement).act(clear)
  store(Store.Header, outerArray, 0, outerArrayKlass)
  store(Store.Wide, outerArray, ObjectLayout.Array.Length, t0)
  let(top, t2).lower(outerValid).goto("next")

  // ---- a list returns: slot, array list, array; slots that overlap in a malformed table could hold anything ----
  /** The object at `at` lies in [base, limit). */
  private def check(at: Operand, base: Operand, limit: Operand): Unit = {
    let(t0, base)
    look(at - t0).failUnless(carry, Status.BadDescriptor)
    look(at + 0).failOn(odd8, Status.BadDescriptor)
    let(t0, at + Elements).failOn(carry, Status.BadDescriptor)
    look(limit - t0).failUnless(carry, Status.BadDescriptor)
  }
  label("read back")
  awaitFlush()
  let(readAt, slotAt).act(load)
  awaitRead()
  let(listAt, loaded).act(oldList)
  check(listAt, fixedArgument, fixedTop)
  let(readAt, listAt + ObjectLayout.ArrayList.Count).act(load)
  awaitRead()
  let(count, loaded)
  let(array, loadedHigh)
  check(array, flexibleArgument, top)
  let(readAt, array + ObjectLayout.Array.Length).act(load)
  awaitRead()
  let(limit, loaded)
  look(limit - count).failUnless(carry, Status.BadDescriptor)
  place(t1, limit, array, wide0, wide1, Status.BadDescriptor)
  look(top - t1).failUnless(carry, Status.BadDescriptor)
  place(t1, count, array, wide0, wide1, Status.BadDescriptor)
  let(element, t1).goto("next")

  // ---- a list that is full moves to the top; its old array stays behind with its header ----
  label("move")
  let(t0, element - array)
  let(t1, top + t0).failOn(carry, Status.FlexibleArenaFull)
  look(flexLimit - t1).failUnless(carry, Status.FlexibleArenaFull)
  awaitFlush()
  let(readAt, array + Elements)
  let(length, t0 + -Elements)
  look(length - 0).on(equal, "moved")
  look(top + Elements).act(copy)
  awaitRead()
  label("moved")
  let(array, top)
  let(element, t1).raise(onTop)
  let(limit, flexLimit).raise(moved).goto("entered")
}
