package heapwire.protobuf.engine.program

import heapwire.isa.Status
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The microprogram of C structs' fields, as nanopb stores them: values behind pointers, strings and bytes, structs. A
  * case that nanopb treats as an error ends the command, and so does one for which nanopb has rules of its own:
  * software then leaves both to nanopb (docs/reference/units/nanopb.md).
  *
  * The hardware stores scalars, and elements of the open array while it has room. Data behind pointers are in the
  * flexible arena, in blocks as nanopb's allocator makes them: 8-byte aligned; the word 8 bytes before a block holds
  * its capacity in bytes.
  */
class NativeProgram(assembler: Assembler) extends EngineProgram(assembler) {
  import Cond._
  import Flag._
  import Outside._
  import Register._
  import NativeProgram.BlockHeader
  override protected def slot = true
  private val packed = Entry.label(slot = false, writes = false, Action.Packed.position)

  /** Writes the has-flag or `which`, if it is due. */
  private def presence(): Unit = {
    val done = fresh("presence")
    also.unless(presenceDue, done)
    storePresence(message + entry3.high)
    label(done)
  }

  part("faults")
  for (action <- Seq(Action.Ignore, Action.SkipBytes, Action.GroupStart, Action.GroupEnd)) on(action)
  also.goto("fail BAD_WIRE_TYPE")
  on(Action.Fail)
  look(0).act(Act.fail).goto("drain")
  part("scalars")
  on(Action.Packed)
  also.unless(fixedCount, packed)
  also.unless(noLength, packed)
  also.goto("fail UNSUPPORTED")

  // ---- a scalar: its array is not open or is full, or the scalar is behind a pointer --------------------------------
  on(Action.Scalar)
  also.on(repeated, "native list")
  presence()

  shared()
  // Allocates a block for the value, the string or the struct.
  label("allocate")
  let(t0, elementBytes).unless(isString, "block size")
  also.on(fixedLength, "block size")
  also.call("string size")
  label("block size")
  let(t0, t0 + 7)
  let(t0, t0 & -8).failOn(carry, Status.FlexibleArenaFull)
  let(t2, top + BlockHeader)
  let(t1, t2 + t0)
  look(flexLimit - t1).failOn(carry, Status.FlexibleArenaFull)
  let(t3, message + entry1.low).failUnless(carry, Status.FlexibleArenaFull)
  store(Store.Word, top + 0, t0).unless(repeated, "refer")
  let(t3, element)
  label("refer")
  store(Store.Word, t3 + 0, t2)
  let(top, t1).on(isMessage, "struct in block")
  let(t1, t2).unless(isString, "scalar in block")
  also.on(fixedLength, "put fixed")
  also.goto("put string")
  label("scalar in block")
  storeValue(t2 + 0).act(Act.mark)
  also.act(Act.acceptAndRun)

  shared()
  // A subroutine: t0 := bytes that the string takes, with its size in front or the zero behind.
  label("string size")
  let(t0, value)
  let(t0, t0 + 1).on(isText, "string sized")
  let(t0, t0 + 1).unless(wideCount, "string sized")
  let(t0, t0 + 2)
  label("string sized")
  also.back

  part("strings")
  for (action <- Seq(Action.Str, Action.StrInList)) on(action)
  also.on(fixedLength, "exactly")
  let(t0, value).on(pointer, "anywhere")
  look(t0 - entry2.low).unless(isText, "bytes within")
  also.failOn(carry, Status.DoesNotFit)
  label("string fits")
  also.on(repeated, "native list")
  presence()
  label("string place")
  let(t1, message + entry1.low).on(referred, "allocate")
  also.on(repeated, "string in array")
  also.on(fixedLength, "put fixed")
  label("put string")
  also.on(isText, "put bytes")
  store(Store.Count, t1 + 0, value)
  let(t1, t1 + 2).unless(wideCount, "put bytes")
  let(t1, t1 + 2)
  label("put bytes")
  look(t1 + 0).act(Act.copyNative).data(value)
  label("string put")
  also.on(repeated, "string counted")
  also.act(Act.mark)
  also.act(Act.acceptAndRun)
  label("string counted")
  let(t0, element)
  look(t0 + elementBytes).act(Act.setElement)
  let(t0, count)
  look(t0 + 1).act(Act.setCount)
  also.act(Act.acceptAndRun)
  label("string in array")
  let(t1, element).unless(fixedLength, "put string")
  label("put fixed")
  also.unless(noLength, "put bytes")
  let(t0, entry2.low)
  look(t1 + 0).act(Act.clear).data(t0)
  also.act(Act.readFields).goto("string put")
  label("exactly")
  let(t0, entry2.low).on(noLength, "string fits")
  look(t0 - value)
  also.on(equal, "string fits")
  also.goto("fail DOES_NOT_FIT")
  label("bytes within")
  also.call("string size")
  let(t1, entry2.low)
  look(t1 - t0)
  also.on(carry, "string fits")
  also.goto("fail DOES_NOT_FIT")
  label("anywhere")
  also.on(isText, "string fits")
  also.on(wideCount, "string fits")
  also.unless(longLength, "string fits")
  also.goto("fail DOES_NOT_FIT")

  part("message begins")
  // A struct inside this one begins, or is continued.
  on(Action.Message)
  also.failOn(depthFull, Status.DepthExceeded)
  also.act(Act.hasbitsOfList).on(repeated, "native list")
  let(nextAt, message + entry1.low).on(inOneof, "struct in oneof")
  also.on(pointer, "struct behind pointer")
  also.unless(freshStruct, "struct known")
  also.on(seen, "struct known")
  also.raise(nextFresh)
  label("struct known")
  presence()
  label("struct alone")
  also.act(Act.mark).goto("struct in")

  label("struct in oneof")
  also.on(pointer, "struct behind pointer")
  also.unless(freshStruct, "recall which")
  also.unless(seen, "other member")
  label("recall which")
  let(t3, message + entry3.high)
  also.call("recall")
  let(t1, number)
  look(t1 - t0)
  also.on(equal, "struct known")
  label("other member")
  also.raise(nextFresh)
  also.raise(nextBegins)
  also.raise(nextWhole).goto("struct known")

  label("struct behind pointer")
  presence()
  also.goto("allocate")
  label("struct in block")
  let(nextAt, t2)
  also.raise(nextFresh)
  also.raise(nextBegins)
  also.raise(nextWhole).goto("struct alone")

  label("struct place")
  let(nextAt, element)
  also.raise(nextFresh)
  also.raise(nextBegins)
  also.raise(elementOpen).unless(pointer, "count struct")
  also.raise(nextWhole)
  label("count struct")
  let(t0, count)
  look(t0 + 1).act(Act.setCount).goto("struct in")
}

object NativeProgram {
  val BlockHeader = 8
  /** The smallest capacity of an array behind a pointer, in bytes. */
  val Smallest = 64
}
