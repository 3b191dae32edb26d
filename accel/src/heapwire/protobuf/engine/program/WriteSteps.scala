package heapwire.protobuf.engine.program

import heapwire.isa.Status
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler

/** The registers while messages are written. */
object WriteRegister {
  import Register._
  // ---- of the command: objects lie in [bound, objectsEnd), and no 16 bytes begin behind `last`; the output begins at
  // `output`
  val bound: Register = input
  val objectsEnd: Register = inputEnd
  val last: Register = fixedLimit
  val output: Register = fixedTop
  /** The reference that a message without unknown fields holds. */
  val noUnknown: Register = stringLimit
  /** Address of the object at fault; address of the text that is being copied. */
  val faultAt: Register = foundAt
  val textAt: Register = top
  /** The string of a list that the scanner is to write. */
  val stringAt: Register = nextAt
  // ---- of the open message: where its bytes end
  val end: Register = messageEnd
  // ---- of the current list: address of its first element; the address above the next element
  val first: Register = array
  val above: Register = unknownEnd
  // ---- of the open message: address of the entry in the enclosing message; where its own entries end
  val enclosing: Register = unknownStart
  val entriesEnd: Register = packedEnd
  // ---- of an array of C structs: distance of elements in bytes; number of elements that are left
  val stride: Register = listAt
  val left: Register = array
  /** Address of the array, if its strings are behind pointers. */
  val origin: Register = groupNumber
  // ---- while the stride is determined: the number of elements
  val elements: Register = groupNumber
  // ---- of the table that was used last: the last possible address of a message of its type; for structs, the bytes of
  // one
  val knownTable: Register = other0
  val knownKlass: Register = other1
  val knownLast: Register = other2
  val knownSize: Register = other2
  val knownHasbits: Register = flexLimit
  val knownUnknown: Register = other3
  val knownWords: Register = slotAt
}

/** Common parts of the writing programs. */
abstract class WriteSteps(assembler: Assembler) extends EngineProgram(assembler) {
  import Cond._
  import Outside.{cursor, stacked}
  import Register._
  import WriteRegister._
  protected implicit class Refusing(line: Line) {
    def refuseOn(cond: Cond, status: Status): Line = line.on(cond, WriteProgram.failure(status))
    def refuseUnless(cond: Cond, status: Status): Line = line.unless(cond, WriteProgram.failure(status))
  }
  /** The handlers of fields that are not written. */
  protected def refusals(): Unit =
    for ((stop, status) <- Seq(ScanStop.Missing -> Status.MissingRequired, ScanStop.Unsupported -> Status.Unsupported,
        ScanStop.Malformed -> Status.BadDescriptor)) {
      on(stop)
      let(faultAt, message + 0).refuseOn(always, status)
    }
  /** Waits for the copier and its stream. */
  protected def copied(): Unit = {
    await(copierIdle)
    await(streamIdle)
  }
  /** Waits until all that was put is on its way to memory. */
  protected def settle(): Unit = {
    also.act(Act.settle)
    await(packed, also.act(Act.settle))
  }
  /** Ends the open message or struct: t0 := the number of its bytes. The enclosing message is restored, except its
    * table and its end, which are the next words of the stack.
    */
  protected def leaveMessage(): Unit = {
    let(t0, cursor).pop(enclosing)
    let(t0, end - t0).act(Act.leave).on(atRoot, "write finish")
    look(stacked).act(Act.fetchEntry).pop(entriesEnd)
    also.pop(message)
    look(stacked).act(Act.setEntriesEnd).pop(table)
    let(message, stacked).act(Act.setMessage).pop(end)
  }
  protected def walked(): Unit = {
    val here = fresh("walking")
    label(here)
    also.on(scannerBusy, here)
  }
  /** Checks that 16 bytes at the reference lie within the bounds. It precedes any wait for data that were requested
    * there.
    */
  protected def check(reference: Register): Unit = {
    look(reference - bound)
    look(last - reference).refuseUnless(carry, Status.BadObject)
    look(reference + 0).refuseUnless(carry, Status.BadObject)
    also.refuseOn(odd8, Status.BadObject)
  }
}
