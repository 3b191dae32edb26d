package heapwire.protobuf.execute

import heapwire.sequencer.Assembler

/** The executor's program: all its parts, in one address space. */
object Program {
  def assemble(): Assembler = {
    val assembler = new Assembler
    new CommandProgram(assembler)
    new FieldProgram(assembler)
    new ListProgram(assembler)
    new NativeProgram(assembler)
    for (instruction <- assembler.all if Act.takeStep.exists(_.index == instruction(Micro.Action)))
      require(instruction(Micro.StoreMode) == Store.None, "what takes a step must not wait for a store")
    assembler
  }
}

/** Prints where the program's labels are, for whoever reads a trace. */
object Listing extends App {
  for ((label, address) <- Program.assemble().listing) println(s"$address $label")
}
