package heapwire.protobuf.engine

import heapwire.sequencer.{Assembler, MicroInstruction}

/** The engine's program: all its parts, in one address space. */
object Program {
  private def takesOfStep(instruction: MicroInstruction): Boolean = {
    val words = Seq(Outside.value, Outside.entry1, Outside.entry2, Outside.entry3, Outside.number, Outside.position, Outside.runEnd, Outside.elementBytes)
    val takesX = instruction(Micro.Source) == Second.X || instruction(Micro.StoreX) == 1
    instruction(Micro.Source) == Second.Hot || instruction(Micro.StoreMode) >= Store.Value || takesX && words.exists(instruction(Micro.X) == _.code)
  }

  def assemble(fields: Boolean = false): Assembler = {
    val assembler = new Assembler
    new CommandProgram(assembler, fields)
    new FieldProgram(assembler)
    new ListProgram(assembler)
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
    val torn = assembler.all.filter(instruction => instruction.target.nonEmpty && instruction.fields.contains(Micro.Index))
    require(torn.isEmpty, s"what names an index cannot branch to ${torn.flatMap(_.target).mkString(", ")}")
    val late = assembler.all.filter(instruction => instruction.fields.get(Micro.Source).contains(Second.X) &&
      instruction.fields.get(Micro.Action).exists(Seq(Act.put, Act.fail, Act.hasbitsBegin).map(_.index).contains))
    require(late.isEmpty, "what is put, a failure's status and a number of hasbits come out of the adder")
    val early = assembler.all.filter(instruction => Kind.accepts.has(instruction) && Kind.waiting.exists(_.has(instruction)))
    require(!early.exists(takesOfStep), "an instruction that accepts a step and may wait takes something of that step, which has gone by then")
    require(!assembler.all.exists(instruction => instruction(Micro.Keep) == 1 && instruction(Micro.Dest) == Register.allOnes.index), s"${Register.allOnes.name} is not written")
    StackOrder.check(assembler)
    assembler
  }
}

/** The stack's memory may not be read in the cycle in which it is written, which is the one behind the instruction that pushes: so no word is
  * asked for by the instruction behind the one that pushes it. And what takes `stacked` takes what the instruction two before it asked for.
  */
private object StackOrder {
  import Micro._

  /** The place in the stack that an instruction writes. */
  private def pushed(instruction: MicroInstruction): Option[BigInt] =
    if (instruction.fields.get(Action).exists(_ == Act.push.index)) Some(instruction(Index))
    else if (instruction(Keep) == 1 && instruction(Dest) >= Register.Stacked) Some(instruction(Dest) - Register.Stacked)
    else None
  /** Nothing follows them in the program. */
  private val rests: Set[BigInt] = Seq(Act.run, Act.acceptAndRun, Act.resume, Act.scan, Act.putKeyAndScan, Act.hasbitsPutAndScan, Act.scanField, Act.nextRequest, Act.closeSequence).map(act => BigInt(act.index)).toSet
  private def takes(instruction: MicroInstruction): Boolean =
    instruction(X) == Outside.stacked.code && (instruction(Source) == Second.X || instruction(StoreX) == 1)

  def check(assembler: Assembler): Unit = {
    val program = assembler.all
    val names = assembler.listing
    def where(at: Int): String = names.takeWhile(_._2 <= at).lastOption.fold(s"$at")(label => s"$at, behind ${label._1}")
    /** From which instructions each is reached: a `back` may lead behind every call. */
    val before: Map[Int, Seq[Int]] = {
      val returns = program.indices.filter(i => program(i)(Call) == 1).map(_ + 1)
      val edges = program.indices.flatMap { at =>
        val instruction = program(at)
        val leaves = instruction(Condition) == Cond.always.index && instruction(Invert) == 0 || instruction.fields.get(Action).exists(rests)
        val next = if (leaves) Nil else Seq(at + 1)
        val branch = if (instruction(Return) == 1) returns else instruction.target.map(assembler.address).toSeq
        (next ++ branch).map(_ -> at)
      }
      edges.groupBy(_._1).map { case (to, from) => to -> from.map(_._2) }.withDefaultValue(Nil)
    }
    for (taker <- program.indices if takes(program(taker)); between <- before(taker); asker <- before(between)) {
      require(program(asker).fields.contains(Index), s"the instruction at ${where(taker)} takes what the one at ${where(asker)} does not ask of the stack")
      for (pusher <- before(asker) if pushed(program(pusher)).contains(program(asker)(Index)))
        require(false, s"the instruction at ${where(asker)} asks for what the one at ${where(pusher)} puts into the stack")
    }
  }
}

/** Prints where the program's labels are, for whoever reads a trace; with an argument, of an engine without the field instructions. */
object Listing extends App {
  for ((label, address) <- Program.assemble(fields = args.isEmpty).listing) println(s"$address $label")
}
