package heapwire.protobuf.engine

import heapwire.isa.Status
import heapwire.sequencer.Assembler

/** The registers when messages are written. */
object WriteRegister {
  import Register._
  // ---- of the command: objects lie in [bound, objectsEnd), and none of 16 bytes begins behind `last`; the output
  // begins at `output`
  val bound: Register = input
  val objectsEnd: Register = inputEnd
  val last: Register = fixedLimit
  val output: Register = fixedTop
  /** What a message without unknown fields refers to. */
  val noUnknown: Register = stringLimit
  /** Of a fault; of the text that the copier has. */
  val faultAt: Register = foundAt
  val textAt: Register = top
  /** The string of a list that the scanner was told to write. */
  val stringAt: Register = nextAt
  // ---- of the open message: where its bytes end
  val end: Register = messageEnd
  // ---- of the list at hand: where its first element lies, and the one above the next
  val first: Register = array
  val above: Register = unknownEnd
  // ---- of the open message: where the entry of the field that it is lies, where its own ones end
  val enclosing: Register = unknownStart
  val entriesEnd: Register = packedEnd
  // ---- of an array of C structs: bytes from an element to the next, elements that are left
  val stride: Register = listAt
  val left: Register = array
  /** Where it lies, if its strings are behind pointers. */
  val origin: Register = groupNumber
  // ---- while its stride is found out: its elements
  val elements: Register = groupNumber
  // ---- of the table that was looked at last; where the last message of its type may lie, of structs how many bytes
  // one has.
  val knownTable: Register = other0
  val knownKlass: Register = other1
  val knownLast: Register = other2
  val knownSize: Register = other2
  val knownHasbits: Register = flexLimit
  val knownUnknown: Register = other3
  val knownWords: Register = slotAt
}

/** What the parts of the writing program have in common. */
abstract class WriteSteps(assembler: Assembler) extends Microprogram(assembler) {
  import Cond._
  import Outside.{cursor, stacked}
  import Register._
  import WriteRegister._
  protected implicit class Refusing(line: Line) {
    def refuseOn(cond: Cond, status: Status): Line = line.on(cond, WriteProgram.failure(status))
    def refuseUnless(cond: Cond, status: Status): Line = line.unless(cond, WriteProgram.failure(status))
  }
  protected def on(stop: ScanStop.E): Unit = label(WriteProgram.handler(stop))
  // What reads a word that was asked for, or the packer's cursor, waits for it.
  private def await(cond: Cond): Unit = {
    val here = fresh(cond.name)
    label(here)
    also.unless(cond, here)
  }
  /** Waits for the copier and its stream. */
  protected def copied(): Unit = {
    await(copierIdle)
    await(streamIdle)
  }
  /** Waits until all that was put is on its way to memory. */
  protected def settle(): Unit = {
    also.act(Act.settle)
    val here = fresh("settling")
    label(here)
    also.act(Act.settle).unless(packed, here)
  }
  /** The open message or struct ends: t0 is how many bytes it has; of the one around it all but the table and the end
    * is back, and these two are the next words of the stack.
    */
  protected def leaveMessage(): Unit = {
    let(t0, cursor).pop(enclosing)
    let(t0, end - t0).act(Act.leave).on(atRoot, "write finish")
    look(stacked).act(Act.fetchEntry).pop(entriesEnd)
    also.pop(message)
    look(stacked).act(Act.setEntriesEnd).pop(table)
    let(message, stacked).act(Act.setMessage).pop(end)
  }
  protected def times(register: Register, power: Int): Unit =
    for (_ <- 0 until Integer.numberOfTrailingZeros(power)) let(register, register + register)
  protected def walked(): Unit = {
    val here = fresh("walking")
    label(here)
    also.on(scannerBusy, here)
  }
  /** 16 bytes at the reference lie within the bounds; before anything that was asked for there is waited for. */
  protected def check(reference: Register): Unit = {
    look(reference - bound)
    look(last - reference).refuseUnless(carry, Status.BadObject)
    look(reference + 0).refuseUnless(carry, Status.BadObject)
    also.refuseOn(odd8, Status.BadObject)
  }
}
