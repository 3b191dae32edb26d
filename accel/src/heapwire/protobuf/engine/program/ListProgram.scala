package heapwire.protobuf.engine.program

import heapwire.isa.{ObjectLayout, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram of lists, of repeated fields and of unknown fields: an array list in the fixed arena, and its array
  * in the flexible arena.
  *
  * Each message has at most one open list. The topmost array of the flexible arena grows in place. When an array is
  * opened above it, its list is closed or, if it belongs to an outer message, suspended with slack for max(4, count)
  * elements. A list that returns is read back from memory. A returning list whose array is full moves to the top. Lists
  * that moved are closed with slack, so that moving costs a constant time per element, also in a message that is merged
  * with others. Every array that is left behind has a valid header, so the arena can be walked.
  */
class ListProgram(assembler: Assembler) extends EngineProgram(assembler) {
  require(ObjectLayout.ArrayList.Array == ObjectLayout.ArrayList.Count + 4, "count and array are written together")
  import Cond._
  import Flag._
  import Outside._
  import Register._
  private val Elements = ObjectLayout.Array.Elements

  /** t0 := t0 elements plus slack for max(4, t0) more; t1 := where these end. On entry, t1 is where the elements of
    * `array` end.
    */
  private def slacken(): Unit = {
    val (double, done) = (fresh("double"), fresh("slack"))
    look(t0 - 4)
    let(t2, t1 - array).on(carry, double)
    let(t0, t0 + 4)
    let(t1, t1 + slack)
    also.failOn(carry, Status.FlexibleArenaFull)
    also.goto(done)
    label(double)
    let(t0, t0 + t0)
    let(t2, t2 + -Elements).failOn(carry, Status.FlexibleArenaFull)
    let(t1, t1 + t2)
    also.failOn(carry, Status.FlexibleArenaFull)
    label(done)
  }
  /** t2 := t1 rounded up to 8; fails if that is outside of the arena. */
  private def end(): Unit = {
    let(t2, t1 + 7)
    let(t2, t2 & -8).failOn(carry, Status.FlexibleArenaFull)
    look(flexLimit - t2)
    also.failUnless(carry, Status.FlexibleArenaFull)
  }
  /** Closes the topmost array: writes its header with the length, and t1 bytes of zeros from t3 to t2, where the array
    * ends.
    */
  private def closeArray(length: Expr): Unit = {
    look(t3 + 0).act(Act.clear).data(t1)
    storeHeader(array + 0, arrayKlass)
    let(top, t2).lower(outerValid)
    length.second match {
      case OfRegister(register) => store(Store.Wide, array + ObjectLayout.Array.Length, register)
      case OfOutside(word) => store(Store.Wide, array + ObjectLayout.Array.Length, word)
      case _ => require(false, "a length is a word")
    }
  }
  /** t1 := address of element t1 of the array. */
  private def place(overflow: Status): Unit = {
    val (second, last) = (fresh("second"), fresh("last"))
    also.unless(wide0, second)
    let(t1, t1 + t1)
    also.failOn(carry, overflow)
    label(second)
    also.unless(wide1, last)
    let(t1, t1 + t1)
    let(t1, t1 + t1).failOn(carry, overflow)
    also.failOn(carry, overflow)
    label(last)
    let(t1, t1 + Elements)
    let(t1, t1 + array).failOn(carry, overflow)
    also.failOn(carry, overflow)
  }

  part("list opens")
  // A subroutine: opens the list of the step or of unknown fields, and makes room in it if there is any.
  // It must not be called from a subroutine.
  label("keep")
  also.raise(keeping).unless(managed, Entry.label(slot = true, writes = true, Entry.Keep))
  look(table + 0).act(Act.askTable)
  let(room, unknownEnd)
  let(room, room - unknownStart)
  let(slotAt, message + cached(3).low)
  also.act(Act.hasbitsOfList).call("next")

  part("unknown fields")
  label("append")
  let(t1, element)
  let(t2, t1 + room)
  look(flexLimit - t2).failOn(carry, Status.FlexibleArenaFull)
  let(t3, input + unknownStart).failUnless(carry, Status.FlexibleArenaFull)
  let(t0, room)
  also.call("copy")
  look(t2 + 0).act(Act.setElement)
  look(t0 + count).act(Act.setCount)
  also.lower(unknownValid)
  also.lower(keeping).goto("resume")

  part("list opens")
  label("enter list")
  let(slotAt, message + entry1.low).act(Act.hasbitsOfList).unless(listOpen, "none open")
  label("list open")
  also.unless(sameList, "close list")
  also.failUnless(sameShape, Status.BadDescriptor)
  let(t0, limit).on(onTop, "entered")
  let(t0, t0 - element).unless(keeping, "is it full")
  look(t0 - room)
  also.unless(carry, "move")
  also.back
  label("is it full")
  also.on(listFull, "move")
  label("entered")
  also.back
  label("next")
  also.on(listOpen, "list open")
  label("none open")
  let(t0, fixedTop + ObjectLayout.ArrayList.Size).unless(newList, "none new")
  look(fixedLimit - t0).failOn(carry, Status.FixedArenaFull)
  let(t1, top + Elements).act(Act.setElement).failUnless(carry, Status.FixedArenaFull)
  look(flexLimit - t1).failOn(carry, Status.FlexibleArenaFull)
  let(listAt, fixedTop).failUnless(carry, Status.FlexibleArenaFull)
  let(array, top).act(Act.openList)
  look(flexLimit + 0).act(Act.setLimit)
  store(Store.Word, slotAt + 0, listAt).act(Act.mark)
  let(fixedTop, t0).back
  label("none new")
  also.on(outerValid, "suspend")
  also.goto("read back")

  part("list closes")
  // A subroutine, called when a message ends.
  label("close at end")
  let(t3, element).unless(onTop, "list at end")
  let(t2, t3 + 7).on(moved, "slack at end")
  label("no slack at end")
  let(t2, t2 & -8)
  let(t1, t2 - t3)
  closeArray(count)
  label("list at end")
  storeHeader(listAt + 0, listKlass).act(listOpen.lower)
  storePair(listAt + ObjectLayout.ArrayList.Count, count, array).back

  // Its message may be merged with others repeatedly, and the list returns each time.
  label("slack at end")
  let(t1, t3).on(atRoot, "no slack at end")
  let(t0, count)
  slacken()
  end()
  let(t1, t2 - t3)
  closeArray(t0)
  also.goto("list at end")

  // ---- closes the open list, because another one is opened. One that moved may return ------------------------------
  label("close list")
  let(t3, element).unless(onTop, "list itself")
  let(t1, t3).on(moved, "close with slack")
  let(t0, count)
  let(t2, t3 + 7)
  let(t2, t2 & -8)
  label("close array")
  let(t1, t2 - t3)
  closeArray(t0)
  label("list itself")
  storeHeader(listAt + 0, listKlass).act(listOpen.lower)
  storePair(listAt + ObjectLayout.ArrayList.Count, count, array).goto("none open")
  label("close with slack")
  let(t0, count)
  slacken()
  end()
  also.goto("close array")

  // ---- the outer message's list is no longer on top: its state goes into the stack, for when its message resumes ---
  label("suspend")
  let(t3, element).pushOuter(keptElement)
  let(t1, t3)
  let(t0, count).pushOuter(keptCount)
  slacken()
  look(t1 + 0).pushOuter(keptLimit)
  end()
  let(t1, t2 - t3)
  closeArray(t0)
  also.goto("none open")

  part("list returns")
  // Checks slot, array list and array; if slots of a malformed table overlap they may hold anything.
  /** Checks that the object at t0 lies in [base, limit). */
  private def check(base: Outside, limit: Register): Unit = {
    look(t0 - base)
    look(t0 + 0).failUnless(carry, Status.BadDescriptor)
    let(t1, t0 + Elements).failOn(odd8, Status.BadDescriptor)
    look(limit - t1).failOn(carry, Status.BadDescriptor)
    also.failUnless(carry, Status.BadDescriptor)
  }
  private def fetch(): Unit = {
    look(t3 + 0).act(Act.askObject)
    let(t0, asked)
  }
  label("read back")
  await(written, also.act(Act.flush))
  also.act(Act.forget)
  let(t3, slotAt)
  fetch()
  also.act(Act.setShape)
  check(fixedBase, fixedTop)
  let(listAt, t0)
  let(t3, t0 + ObjectLayout.ArrayList.Count)
  fetch()
  look(t0 + 0).act(Act.setCount)
  let(t3, t3 + 4)
  fetch()
  check(flexibleBase, top)
  let(array, t0)
  let(t3, t0 + ObjectLayout.Array.Length)
  fetch()
  look(t0 - count)
  let(t1, t0).failUnless(carry, Status.BadDescriptor)
  place(Status.BadDescriptor)
  look(top - t1)
  look(t1 + 0).act(Act.setLimit).failUnless(carry, Status.BadDescriptor)
  let(t1, count)
  place(Status.BadDescriptor)
  look(t1 + 0).act(Act.setElement)
  also.lower(onTop)
  also.raise(moved)
  also.raise(listOpen)
  also.goto("next")

  part("list moves")
  // A full list goes to the top; its old array stays behind with its header.
  label("move")
  let(t1, element)
  let(t0, t1 - array)
  let(t2, top + t0)
  look(flexLimit - t2).failOn(carry, Status.FlexibleArenaFull)
  let(t3, array + Elements).failUnless(carry, Status.FlexibleArenaFull)
  let(t0, t0 + -Elements)
  await(written, also.act(Act.flush))
  let(t4, windowAt).unless(isScalar, "move on")
  let(t4, runEnd)
  label("move on")
  let(t1, top + Elements)
  also.call("copy")
  let(array, top)
  look(t2 + 0).act(Act.setElement)
  look(flexLimit + 0).act(Act.setLimit)
  also.raise(moved)
  also.raise(onTop).unless(isElement, "list moved")
  // Continues with the step, whatever called this.
  also.on(keeping, "append")
  look(packedEnd + 0).act(Act.readPacked)
  also.act(Act.run)
  label("list moved")
  also.on(keeping, "append")

  // The current step has another turn; if the window has run ahead of it, it does so again.
  label("resume")
  also.unless(isScalar, "run")
  also.act(Act.readFields).goto("run")

  shared()
  // The stream copies t0 bytes from t3 to t1, and then continues with the input at offset t4.
  label("copy")
  also.unless(copierIdle, "copy")
  let(t3, t3 + 0).act(Act.pauseStream)
  await(streamIdle)
  look(t0 - 0)
  let(nextAt, t3 + t0).on(equal, "copied")
  look(t3 + 0).act(Act.startStream).data(nextAt)
  look(t1 + 0).act(Act.copyRaw).data(t0)
  await(copierIdle)
  also.act(Act.pauseStream)
  await(streamIdle)
  label("copied")
  let(t3, input + t4)
  look(inputEnd - t3)
  look(t4 + 0).act(Act.setPosition).on(equal, "no input")
  look(t3 + 0).act(Act.startStream).data(inputEnd)
  label("no input")
  also.back
}
