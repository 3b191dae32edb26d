package heapwire.protobuf.engine

import heapwire.isa.Status
import heapwire.sequencer.Assembler

/** Fields of C structs, as nanopb stores them. */
class NativeProgram(assembler: Assembler) extends Microprogram(assembler) {
  for (action <- Action.elements if action != Action.Fail) label(CommandProgram.handler("native", action.position))
  label("begin struct")
  also.failOn(Cond.always, Status.Unsupported)
}
