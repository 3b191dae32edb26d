package heapwire.protobuf.engine

import heapwire.isa.{ObjectLayout, Status}
import heapwire.sequencer.Assembler

/** Writing: strings and lists. */
class WriteListProgram(assembler: Assembler) extends WriteSteps(assembler) {
  import Cond._
  import Outside._
  import Register._
  import WriteRegister._
  require(ObjectLayout.ArrayList.Array == ObjectLayout.ArrayList.Count + 4, "count and array are read together")
  /** Of memory. */
  private val Block = 64
  private val Elements = ObjectLayout.Array.Elements

  // ---- strings ---------------------------------------------------------------------------------------------
  // One that the scanner did not take: it is longer, or not where it should be, or begins or ends where the bounds do; or it has been
  // written and is to be checked.
  on(ScanStop.Str)
  also.on(native, "write struct string")
  also.on(repeated, "string of list")
  let(t3, message + entry1.low)
  look(t3 + 0).act(Act.askObject)
  let(t3, asked).goto("string at t3")
  label("string of list")
  look(stringAt - 0)
  let(t3, stringAt + 0).refuseOn(equal, Status.BadObject)
  label("string at t3")
  look(t3 + ObjectLayout.ByteString.Bytes).act(Act.askObject)
  let(faultAt, t3 + 0)
  check(t3)
  let(t4, asked)
  look(t4 + ObjectLayout.Array.Length).act(Act.askObject)
  check(t4)
  let(t1, t4 + Elements)
  let(t2, objectsEnd - t1)
  let(t0, asked)
  look(t2 - t0)
  look(t0 - 0).refuseUnless(carry, Status.BadObject)
  let(t4, t1 + t0).on(equal, "empty string")
  also.on(toCheck, "check string")
  also.call("copy out")
  look(t0 + 0).act(Act.put).goto("write key")
  // It is written already, and is copied over itself.
  label("check string")
  settle()
  copied()
  let(t2, cursor)
  let(textAt, t3 + 0)
  look(t1 + 0).act(Act.startStream).data(t4)
  look(t2 + 0).act(Act.copyOut).data(t0)
  look(t0 + 0).act(Act.put).goto("write key")

  label("empty string")
  also.on(isImplicit, "scan on")
  look(0).act(Act.put).goto("write key")

  label("string written")
  also.on(scannerBusy, "string written")
  label("next string")
  look(above - first)
  let(above, above + -4).act(Act.askObject).on(equal, "scan on")
  let(faultAt, listAt + 0)
  let(stringAt, asked).act(Act.writeText).goto("string written")

  // ---- subroutine: t0 bytes at t1, up to t4, of the text at t3 or of unknown fields, go before what was put ---------------
  label("copy out")
  settle()
  copied()
  let(textAt, t3 + 0)
  let(t2, cursor)
  let(t2, t2 - output)
  look(t2 - t0)
  let(t2, cursor).unless(carry, "no room")
  let(t2, t2 - t0)
  look(t1 + 0).act(Act.startStream).data(t4)
  look(t2 + 0).act(Act.copyOut).data(t0)
  look(t2 + 0).act(Act.seek)
  also.back
  label("no room")
  also.on(WriteProgram.OfUnknown.is, WriteProgram.Full)
  also.unless(checkUtf8, WriteProgram.Full)
  also.raise(WriteProgram.Dry)
  look(t1 + 0).act(Act.startStream).data(t4)
  look(output + 0).act(Act.copyOut).data(t0)
  also.goto(WriteProgram.Full)

  // ---- lists ----------------------------------------------------------------------------------------------------
  // The list at hand lies within the bounds.
  on(ScanStop.References)
  let(t4, asked).act(Act.turn)
  let(t0, asked)
  look(t4 + ObjectLayout.Array.Length).act(Act.askObject)
  let(listAt, element)
  look(t0 - 0)
  // What was made when its elements were lies behind it.
  look(listAt + Block).act(Act.fetchAhead).on(equal, "scan on")
  look(t4 - bound)
  look(last - t4).unless(carry, "bad list")
  let(t1, t4 + Elements).unless(carry, "bad list")
  let(first, t1 + 0).on(odd8, "bad list")
  let(t2, asked)
  look(t2 - t0)
  let(t4, objectsEnd - t1).unless(carry, "bad list")
  let(t2, t2 + t2)
  let(t0, t0 + t0).on(carry, "bad list")
  let(t2, t2 + t2)
  let(t0, t0 + t0).on(carry, "bad list")
  look(t4 - t2)
  let(above, t1 + t0).unless(carry, "bad list")
  also.unless(isString, "next message")
  also.goto("next string")
  label("bad list")
  let(faultAt, listAt + 0).refuseOn(always, Status.BadObject)

  on(ScanStop.List)
  let(t3, element)
  also.call("open list")
  let(above, t4 + 0).on(equal, "scan on")
  let(first, t1 + 0).on(packable, "walk scalars")
  also.unless(isString, "next message")
  also.goto("next string")

  on(ScanStop.Scalars)
  let(t4, asked).act(Act.turn)
  let(t0, asked)
  let(faultAt, element)
  also.call("open array")
  label("walk scalars")
  look(t1 + 0).act(Act.setLimit).on(equal, "scan on")
  look(t4 + 0).act(Act.setElement).unless(asPacked, "with keys")
  let(t2, cursor).on(asBytes, "as bytes")
  also.act(Act.walkPacked).goto("walk")
  label("as bytes")
  also.act(Act.walkBytes)
  label("walk")
  walked()
  let(t0, cursor)
  look(t2 - t0).act(Act.put)
  also.act(Act.putKeyAndScan)
  label("with keys")
  also.act(Act.walkKeyed)
  walked()
  also.act(Act.scan)

  // ---- subroutine: the list at t3 has t0 bytes of elements, from t1 up to t4; equal: it has none --------------------------
  label("open list")
  look(t3 + ObjectLayout.ArrayList.Array).act(Act.askObject)
  let(faultAt, t3 + 0)
  // What was made when its elements were lies behind it.
  look(t3 + Block).act(Act.fetchAhead)
  let(listAt, t3 + 0)
  check(t3)
  let(t4, asked).act(Act.turn)
  let(t0, asked)
  // ---- the same of the array at t4, of which t0 elements count
  label("open array")
  look(t0 - 0)
  also.on(equal, "open")
  look(t4 + ObjectLayout.Array.Length).act(Act.askObject)
  check(t4)
  let(t2, asked)
  look(t2 - t0)
  let(t1, t4 + Elements).refuseUnless(carry, Status.BadObject)
  also.on(WriteProgram.OfUnknown.is, "scaled")
  also.unless(elementWide1, "scaled")
  let(t2, t2 + t2)
  let(t0, t0 + t0).refuseOn(carry, Status.BadObject)
  let(t2, t2 + t2)
  let(t0, t0 + t0).refuseOn(carry, Status.BadObject)
  also.unless(elementWide0, "scaled")
  let(t2, t2 + t2)
  let(t0, t0 + t0).refuseOn(carry, Status.BadObject)
  label("scaled")
  let(t4, objectsEnd - t1)
  look(t4 - t2)
  let(t4, t1 + t0).refuseUnless(carry, Status.BadObject)
  label("open")
  look(t0 - 0).back
}
