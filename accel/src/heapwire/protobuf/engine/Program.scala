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
    val flow = new ProgramFlow(assembler)
    OutcomeOrder.check(flow)
    StackOrder.check(flow)
    assembler
  }
}

/** From which instructions each instruction is reached. */
private class ProgramFlow(assembler: Assembler) {
  import Micro._
  val program: Seq[MicroInstruction] = assembler.all
  private val names = assembler.listing
  /** Nothing follows them in the program. */
  private val rests: Set[BigInt] = Seq(Act.run, Act.acceptAndRun, Act.resume, Act.scan, Act.putKeyAndScan, Act.hasbitsPutAndScan, Act.scanField, Act.nextRequest, Act.closeSequence).map(act => BigInt(act.index)).toSet
  def where(at: Int): String = names.takeWhile(_._2 <= at).lastOption.fold(s"$at")(label => s"$at, behind ${label._1}")
  def does(at: Int, act: Act): Boolean = program(at).fields.get(Action).contains(BigInt(act.index))
  def rests(at: Int): Boolean = program(at).fields.get(Action).exists(rests)
  private def leaves(at: Int) = program(at)(Condition) == Cond.always.index && program(at)(Invert) == 0 || rests(at)
  private def next(at: Int): Seq[Int] = (if (leaves(at)) Nil else Seq(at + 1)) ++ program(at).target.map(assembler.address)
  /** Where the subroutine that begins at `entry` returns: subroutines call none. */
  private def returns(entry: Int): Seq[Int] = {
    val seen = scala.collection.mutable.Set.empty[Int]
    def from(at: Int): Seq[Int] = if (at < program.size && seen.add(at)) (if (program(at)(Return) == 1) Seq(at) else Nil) ++ next(at).flatMap(from) else Nil
    from(entry)
  }
  val before: Map[Int, Seq[Int]] = {
    val calls = program.indices.filter(program(_)(Call) == 1)
    val ends = calls.flatMap(program(_).target).distinct.map(label => label -> returns(assembler.address(label))).toMap
    val edges = program.indices.flatMap(at => next(at).map(_ -> at)) ++ calls.flatMap(at => ends(program(at).target.get).map(at + 1 -> _))
    edges.groupBy(_._1).map { case (to, from) => to -> from.map(_._2) }.withDefaultValue(Nil)
  }
  /** The nearest of those before `at`, on each way to it. */
  def nearest(at: Int)(of: Int => Boolean): Set[Int] = {
    val seen = scala.collection.mutable.Set.empty[Int]
    def from(at: Int): Set[Int] = before(at).toSet.filter(seen.add).flatMap((earlier: Int) => if (of(earlier)) Set(earlier) else from(earlier))
    from(at)
  }
}

/** Branches on what was found out find what is meant, and the scanner finds what was asked for. */
private object OutcomeOrder {
  import Micro._
  private val scans = Seq(Act.scan, Act.putKeyAndScan, Act.hasbitsPutAndScan, Act.scanField)

  def check(flow: ProgramFlow): Unit = {
    import flow.{nearest, program, where}
    def branches(at: Int, conds: Cond*) = program(at).target.nonEmpty && conds.exists(_.index == program(at)(Condition))
    /** It leaves a carry. */
    def computes(at: Int) = program(at)(Source) != Second.X && !(program(at)(Source) == Second.Hot && program(at)(Compute) == Alu.Pass)
    for (at <- program.indices) {
      if (branches(at, Cond.carry, Cond.equal)) for (maker <- nearest(at)(computes))
        require(program(maker)(Compute) != Alu.Pass, s"the instruction at ${where(at)} branches on what ${where(maker)} computes, which is S alone")
      if (branches(at, Cond.matches)) for (taker <- nearest(at)(i => Kind.readsGranule.has(program(i))))
        require(!Kind.namesWord.has(program(taker)), s"the instruction at ${where(at)} branches on a match with a word that ${where(taker)} names: only one that was asked for is meant")
      // While the program rests the kinds are those of the instruction behind.
      if (scans.exists(flow.does(at, _))) require(program.lift(at + 1).forall(!Kind.namesWord.has(_)), s"the scanner would take the word that the instruction behind ${where(at)} names")
    }
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
  private def takes(instruction: MicroInstruction): Boolean =
    instruction(X) == Outside.stacked.code && (instruction(Source) == Second.X || instruction(StoreX) == 1)

  def check(flow: ProgramFlow): Unit = {
    import flow.{before, program, where}
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
