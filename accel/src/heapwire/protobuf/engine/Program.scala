package heapwire.protobuf.engine

import heapwire.sequencer.Assembler

/** The engine's program: all its parts, in one address space. */
object Program {
  def assemble(writes: Boolean = true, fields: Boolean = false): Assembler = {
    val assembler = new Assembler
    new CommandProgram(assembler, fields)
    new FieldProgram(assembler)
    new ListProgram(assembler)
    new NativeProgram(assembler)
    new NativeStructs(assembler)
    new NativeLists(assembler)
    if (writes) {
      new WriteProgram(assembler, fields)
      new WriteListProgram(assembler)
      new NativeWriteProgram(assembler)
      new NativeWriteLists(assembler)
    }
    if (fields) {
      new FieldsProgram(assembler)
      new FieldsWriteProgram(assembler)
      new FieldsReadProgram(assembler)
    }
    val torn = assembler.all.filter(instruction => instruction.target.nonEmpty && instruction.fields.contains(Micro.Index))
    require(torn.isEmpty, s"what names an index cannot branch to ${torn.flatMap(_.target).mkString(", ")}")
    val late = assembler.all.filter(instruction => instruction.fields.get(Micro.Source).contains(Second.X) &&
      instruction.fields.get(Micro.Action).exists(Seq(Act.put, Act.fail, Act.hasbitsBegin).map(_.index).contains))
    require(late.isEmpty, "what is put, a failure's status and a number of hasbits come out of the adder")
    assembler
  }
}

/** Prints where the program's labels are, for whoever reads a trace; with an argument, of an engine without the field instructions. */
object Listing extends App {
  for ((label, address) <- Program.assemble(fields = args.isEmpty).listing) println(s"$address $label")
}
