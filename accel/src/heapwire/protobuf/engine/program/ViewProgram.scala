package heapwire.protobuf.engine.program

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram of strings that stay in the input: a view of 24 bytes takes the place of a byte string and its
  * array. A text is checked all the same. Other bytes are passed over, and a long run of them is not even read.
  */
class ViewProgram(assembler: Assembler) extends EngineProgram(assembler) {
  import Cond._
  import ObjectLayout.ByteView
  import Outside._
  import Register._
  part("strings")
  on(Action.View)
  let(t1, fixedTop + ByteView.Size)
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  let(t2, number).failUnless(carry, Status.FixedArenaFull)
  store(Store.Word, message + entry1.low, fixedTop).act(Act.mark).unless(presenceDue, "view")
  store(Store.Word, message + entry3.high, t2)
  label("view")
  storeHeader(fixedTop + 0, runtime(RuntimeRegister.ByteView.index))
  let(t3, windowAt)
  let(t0, input + -ObjectLayout.Array.Elements).on(viewsOwned, "view has owner")
  let(t3, input + t3)
  let(t0, 0)
  label("view has owner")
  let(t2, ByteView.Mark)
  store(Store.Word, fixedTop + ByteView.Owner, t0)
  store(Store.Word, fixedTop + ObjectLayout.ByteString.Bytes, t2)
  storePair(fixedTop + ByteView.Offset, t3, value)
  let(fixedTop, t1).unless(checkUtf8, "pass over")
  also.on(isText, "text stays")
  also.goto("pass over")

  on(Action.ViewInList)
  let(t2, element).unless(listReady, "view enters list")
  label("view at hand")
  let(t1, fixedTop + ByteView.Size)
  look(fixedLimit - t1).failOn(carry, Status.FixedArenaFull)
  also.failUnless(carry, Status.FixedArenaFull)
  store(Store.Word, t2 + 0, fixedTop).act(Act.append).goto("view")
  label("view enters list")
  also.call("enter list")
  let(t2, element).failOn(listFull, Status.FlexibleArenaFull)
  also.goto("view at hand")
}
