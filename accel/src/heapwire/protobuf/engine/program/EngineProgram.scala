package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.Assembler
import spinal.core.{SpinalEnum, SpinalEnumElement}

/** A part of the engine's program that has handlers of events. */
abstract class EngineProgram(assembler: Assembler) extends Microprogram(assembler) {
  /** The program is one of the model in the slot. */
  protected def slot: Boolean = false
  /** Waits in a loop. (An instruction that reads a requested word, or the packer's cursor, waits by itself.) */
  protected def await(cond: Cond, line: => Line = also): Unit = {
    val here = fresh(cond.name)
    label(here)
    line.unless(cond, here)
  }
  protected def times(register: Register, power: Int): Unit =
    for (_ <- 0 until Integer.numberOfTrailingZeros(power)) let(register, register + register)
  /** What follows is the handler of an event. */
  protected def onEvent(event: Int, writes: Boolean = false): Unit = label(Entry.label(slot, writes, event))
  protected def on(event: SpinalEnumElement[_ <: SpinalEnum]): Unit = event match {
    case stop if stop.spinalEnum == ScanStop => onEvent(stop.position, writes = true)
    case action => onEvent(action.position)
  }
}
