package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Assembler, MicroInstruction}

/** The engine's microprogram: all its parts in one address space. */
object Program {
  private def takesOfStep(instruction: MicroInstruction): Boolean = {
    val words = Seq(Outside.value, Outside.entry1, Outside.entry2, Outside.entry3, Outside.number, Outside.position,
      Outside.runEnd, Outside.elementBytes)
    val takesX = instruction(Micro.Source) == Second.X || instruction(Micro.StoreX) == 1
    instruction(Micro.Source) == Second.Hot || instruction(Micro.StoreMode) >= Store.Value ||
    takesX && words.exists(instruction(Micro.X) == _.code)
  }

  def assemble(fields: Boolean = false, views: Boolean = true): Assembler = {
    val assembler = new Assembler
    new CommandProgram(assembler, fields, views)
    new FieldProgram(assembler)
    new ListProgram(assembler)
    if (views) new ViewProgram(assembler)
    new NativeProgram(assembler)
    new NativeStructs(assembler)
    new NativeLists(assembler)
    new WriteProgram(assembler, fields)
    new WriteListProgram(assembler)
    new NativeWriteProgram(assembler)
    new NativeWriteLists(assembler)
    if (fields) {
      new FieldsProgram(assembler)
      new FieldsWriteProgram(assembler)
      new FieldsReadProgram(assembler)
    }
    val torn =
      assembler.all.filter(instruction => instruction.target.nonEmpty && instruction.fields.contains(Micro.Index))
    require(torn.isEmpty, s"what names an index cannot branch to ${torn.flatMap(_.target).mkString(", ")}")
    val late = assembler.all.filter(instruction =>
      instruction.fields.get(Micro.Source).contains(Second.X) &&
        instruction.fields.get(Micro.Action).exists(Seq(Act.put, Act.fail, Act.hasbitsBegin).map(_.index).contains))
    require(late.isEmpty, "what is put, a failure's status and a number of hasbits come out of the adder")
    val early =
      assembler.all.filter(instruction => Kind.accepts.has(instruction) && Kind.waiting.exists(_.has(instruction)))
    require(!early.exists(takesOfStep),
      "an instruction that accepts a step and may wait takes something of that step, which has gone by then")
    require(
      !assembler.all.exists(instruction =>
        instruction(Micro.Keep) == 1 && instruction(Micro.Dest) == Register.allOnes.index),
      s"${Register.allOnes.name} is not written")
    require(!assembler.all.exists(instruction => Kind.runs.has(instruction) && instruction(Micro.Call) == 1),
      "while an instruction waits behind which the program rests, the sequencer does not know what follows it")
    val flow = new ProgramFlow(assembler)
    OutcomeOrder.check(flow)
    StackOrder.check(flow)
    assembler
  }
}

/** Prints address, part and name of the program's labels, for reading a trace; with an argument, for an engine without
  * the field instructions.
  */
object Listing extends App {
  print(Program.assemble(fields = args.isEmpty).text)
}
