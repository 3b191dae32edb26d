package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.MicroInstruction

/** Checks the order of accesses to the stack. The stack's memory must not be read in the cycle in which it is written,
  * which is the one behind the instruction that pushes: so no word may be requested by the instruction right behind the
  * one that pushes it. And `stacked` is the word that was requested two instructions earlier.
  */
private object StackOrder {
  import Micro._

  /** Returns the place in the stack that an instruction writes. */
  private def pushed(instruction: MicroInstruction): Option[BigInt] =
    if (instruction.fields.get(Action).exists(_ == Act.push.index)) Some(instruction(Index))
    else if (instruction(Keep) == 1 && instruction(Dest) >= Register.Stacked) Some(instruction(Dest) - Register.Stacked)
    else None
  private def takes(instruction: MicroInstruction): Boolean =
    instruction(X) == Outside.stacked.code && (instruction(Source) == Second.X || instruction(StoreX) == 1)

  def check(flow: ProgramFlow): Unit = {
    import flow.{before, program, where}
    for (taker <- program.indices if takes(program(taker)); between <- before(taker); asker <- before(between)) {
      require(program(asker).fields.contains(Index),
        s"the instruction at ${where(taker)} takes what the one at ${where(asker)} does not ask of the stack")
      for (pusher <- before(asker) if pushed(program(pusher)).contains(program(asker)(Index)))
        require(false,
          s"the instruction at ${where(asker)} asks for what the one at ${where(pusher)} puts into the stack")
    }
  }
}
