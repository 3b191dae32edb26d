package heapwire.protobuf.engine.program

import heapwire.isa.{ObjectLayout, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram of upb's messages: fields that take more than one write, the begin and the end of messages. A message
  * begins with the address of its unknown fields and 4 unused bytes; bytes of hasbits follow. Strings and bytes stay in
  * the input: the message has their address and length. Messages and the structs of arrays are in the fixed arena,
  * elements and unknown fields in the flexible one.
  *
  * The hasbits that the engine needs beside upb's are in words of their own, behind. When a message occurs again they are
  * all set, which means that memory must be asked.
  *
  * @param slices the messages are Go's structs: unknown fields and arrays are slices in them
  */
class UpbProgram(assembler: Assembler, slices: Boolean = false) extends EngineProgram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  import UpbProgram._
  override protected def slot = true
  private val Hasbits = firstHasbits(slices)
  /** The header of the message that begins has come, and must be of this model; t1 := e. */
  private def checked(e: Expr): Unit =
    if (slices) {
      for (other <- Seq(managed, native)) also.failOn(other, Status.BadDescriptor)
      let(t1, e).failOn(model2, Status.BadDescriptor)
    } else let(t1, e).failUnless(model2, Status.BadDescriptor)

  part("unknown fields")
  for (action <- Seq(Action.Ignore, Action.SkipBytes, Action.GroupStart)) on(action)
  also.goto("unknown")
  part("faults")
  on(Action.Fail)
  look(0).act(Act.fail).goto("drain")

  part("scalars")
  on(Action.Scalar)
  also.unless(checkEnum, "upb value")
  also.unless(judged, "ask for it")
  also.on(declared, "upb value")
  also.failOn(isElement, Status.Unsupported)
  also.failOn(mapEntry, Status.Unsupported)
  also.goto("unknown")
  label("upb value")
  also.on(repeated, "upb list")
  also.act(Act.run)
  on(Action.Packed)
  let(packedEnd, runEnd).on(fixedRun, "upb run")
  also.goto("packed elements")
  label("upb run")
  let(t1, element).unless(listReady, "upb list")
  also.goto("run at hand")

  part("strings")
  for (action <- Seq(Action.Str, Action.View)) on(action)
  let(t3, windowAt).unless(presenceDue, "upb view")
  let(t2, number)
  store(Store.Word, message + entry3.high, t2)
  label("upb view")
  let(t1, message + entry1.low)
  let(t3, input + t3)
  store(Store.Word, t1 + 0, t3).act(Act.mark)
  store(Store.Word, t1 + 4, value)
  label("upb text")
  also.unless(checkUtf8, "pass over")
  also.on(isText, "text stays")
  also.goto("pass over")
  for (action <- Seq(Action.StrInList, Action.ViewInList)) on(action)
  let(t1, element).unless(listReady, "upb list")
  let(t3, windowAt)
  let(t3, input + t3)
  store(Store.Word, t1 + 0, t3)
  store(Store.Word, t1 + 4, value)
  look(t1 + View).act(Act.setElement)
  let(t0, count)
  look(t0 + 1).act(Act.setCount).goto("upb text")

  part("message begins")
  onEvent(Entry.Open)
  also.on(atRoot, "upb begin")
  also.failOn(always, Status.BadDescriptor)
  on(Action.Message)
  let(t3, table + entry2).on(repeated, "upb message in list")
  look(t3 + 0).act(Act.askHeader).failOn(depthFull, Status.DepthExceeded)
  also.act(Act.hasbitsOfList).failOn(odd16, Status.BadDescriptor)
  let(keptState, state).on(seen, "upb find")
  label("upb message once")
  store(Store.Word, message + entry1.low, fixedTop).act(Act.mark).unless(presenceDue, "upb go in")
  let(t2, number)
  store(Store.Word, message + entry3.high, t2)
  label("upb go in")
  also.unless(listOpen, "upb enter")
  aside()
  label("upb enter")
  also.on(isGroup, "upb enter group")
  let(table, t3).act(Act.enterAndRelease)
  let(messageEnd, runEnd).act(Act.readMessage).goto("upb begin")
  label("upb enter group")
  also.act(Act.enter)
  let(groupNumber, number).act(Act.readFields)
  let(messageEnd, messageEnd + 0).act(group.raise)
  let(table, t3).act(Act.release)
  // The header has been requested. The message is allocated and cleared.
  label("upb begin")
  let(t0, cached(1).low)
  checked(fixedTop + t0)
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  look(fixedTop + 0).act(Act.clear).data(cleared).failUnless(carry, Status.FixedArenaFull)
  let(message, fixedTop).act(Act.setMessage).failOn(headerTooStrict, Status.Unsupported)
  let(fixedTop, t1).act(Act.hasbitsOpen).failOn(headerTooWide, Status.Unsupported)
  also.act(Act.accept)
  also.act(Act.run)
  label("upb message in list")
  also.failOn(depthFull, Status.DepthExceeded)
  let(t2, element).unless(listReady, "upb list")
  look(t3 + 0).act(Act.askHeader)
  let(keptState, state).failOn(odd16, Status.BadDescriptor)
  store(Store.Word, t2 + 0, fixedTop).act(Act.append).goto("upb go in")
  /** The open list's state goes into the stack. */
  private def aside(): Unit = {
    let(keptCount, count)
    let(keptElement, element)
    let(keptLimit, limit)
  }

  part("message occurs again")
  label("upb find")
  also.call("write all")
  let(t3, message + entry3.high).unless(inOneof, "upb find slot")
  look(t3 + 0).act(Act.askObject)
  let(t0, asked)
  let(t1, number)
  look(t1 - t0)
  also.on(equal, "upb find slot")
  label("upb not there")
  let(t3, table + entry2).act(Act.askHeader)
  also.goto("upb message once")
  label("upb find slot")
  let(slotAt, message + entry1.low)
  look(slotAt + 0).act(Act.askObject)
  let(foundAt, asked)
  look(foundAt - 0)
  let(t3, table + entry2).on(equal, "upb not there")
  look(t3 + 0).act(Act.askHeader).unless(listOpen, "upb reopen")
  aside()
  // The message must be in the used part of the fixed arena.
  label("upb reopen")
  let(t0, cached(1).low)
  checked(foundAt + t0)
  look(fixedTop - t1).failOn(carry, Status.BadDescriptor)
  look(foundAt - fixedBase).failUnless(carry, Status.BadDescriptor)
  look(foundAt + 0).failUnless(carry, Status.BadDescriptor)
  also.failOn(odd8, Status.BadDescriptor)
  also.failOn(headerTooStrict, Status.Unsupported)
  also.failOn(headerTooWide, Status.Unsupported)
  also.act(Act.enter).on(isGroup, "upb reopen group")
  let(messageEnd, runEnd).act(Act.readMessage)
  label("upb reopened")
  let(table, t3).act(Act.accept)
  let(message, foundAt).act(Act.setMessage)
  let(t1, cached(3).high)
  let(t2, cached(2).low)
  look(t1 + 0).act(Act.hasbitsBegin)
  let(t3, message + Hasbits)
  let(t0, 0)
  let(t4, 0)
  label("upb next word")
  look(t1 - t4)
  look(zero).act(Act.hasbitsAt).on(equal, "run")
  look(t4 + 0).act(Act.hasbitsAt)
  look(t0 - t2)
  let(t0, t0 + 4).on(carry, "upb own word")
  look(t3 + 0).act(Act.askObject)
  let(room, asked)
  also.act(Act.hasbitsHere)
  look(room + 0).act(Act.hasbitsPut).goto("upb word")
  label("upb own word")
  also.act(Act.hasbitsHere)
  look(minusOne).act(Act.hasbitsPut)
  label("upb word")
  let(t3, t3 + 4)
  let(t4, t4 + 1).goto("upb next word")
  label("upb reopen group")
  let(groupNumber, number).act(Act.readFields)
  let(messageEnd, messageEnd + 0).act(group.raise).goto("upb reopened")

  part("message ends")
  on(Action.GroupEnd)
  also.unless(noGroups, "unknown")
  also.on(unknownValid, "keep before")
  also.failUnless(group, Status.BadGroup)
  also.call("right group")
  also.goto("upb ends")
  on(Action.End)
  also.on(unknownValid, "keep before")
  also.failUnless(noGroups, Status.BadGroup)
  also.failOn(group, Status.BadGroup)
  label("upb ends")
  also.callOn(listOpen, "upb close list")
  look(table + 0).act(Act.askTable)
  also.act(Act.hasbitsHere)
  let(t1, message + Hasbits).failOn(missingRequired, Status.MissingRequired)
  let(t0, cached(2).low)
  let(t2, 0)
  // Bytes of hasbits that are left: t0. Fields may begin right behind them.
  label("upb hasbits")
  look(t0 - 4)
  let(t3, hasbits).unless(carry, "upb last hasbits")
  store(Store.Word, t1 + 0, t3)
  let(t0, t0 + -4)
  let(t1, t1 + 4)
  let(t2, t2 + 1)
  look(t0 - 0)
  look(t2 + 0).act(Act.hasbitsAt).on(equal, "ended")
  also.act(Act.hasbitsHere)
  also.goto("upb hasbits")
  label("upb last hasbits")
  look(t0 - 0)
  look(t0 - 1).on(equal, "ended")
  look(t0 - 2).on(equal, "upb last byte")
  store(Store.Half, t1 + 0, t3).on(equal, "ended")
  let(t3, hasbits.high)
  let(t1, t1 + 2)
  label("upb last byte")
  store(Store.Byte, t1 + 0, t3).goto("ended")
  // The message that is resumed has an array open, whose state is here again.
  onEvent(Entry.Resume)
  also.goto("leave to unknown")
}

object UpbProgram {
  /** Where hasbits begin: behind the slice of unknown fields, or the address of these and 4 bytes. */
  def firstHasbits(slices: Boolean): Int = if (slices) 12 else 8
  /** Bytes of a string's address and length; of the struct of an array. */
  val View = 8
  val Array = 16
  /** Bytes of the head of a message's unknown fields: their room, where they end, where extensions begin. */
  val Unknown = 12
}
