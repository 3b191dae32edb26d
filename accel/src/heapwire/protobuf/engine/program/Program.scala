package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Assembler, Image, MicroInstruction}

/** The engine's microprogram: all its parts in one address space. */
object Program {
  private def takesOfStep(instruction: MicroInstruction): Boolean = {
    val words = Seq(Outside.value, Outside.entry1, Outside.entry2, Outside.entry3, Outside.number, Outside.position,
      Outside.runEnd, Outside.elementBytes)
    val takesX = instruction(Micro.Source) == Second.X || instruction(Micro.StoreX) == 1
    instruction(Micro.Source) == Second.Hot || instruction(Micro.StoreMode) >= Store.Value ||
    takesX && words.exists(instruction(Micro.X) == _.code)
  }

  /** Returns whether an engine can carry an act out. */
  def has(fields: Boolean)(act: Act): Boolean =
    !never.contains(act) && (fields || !ofFields.contains(act))
  private val never = Seq(Flag.group.lower, Flag.freshStruct.lower, Flag.declared.lower, Flag.judged.lower,
    Flag.presenceDone.raise, Flag.presenceDone.lower)
  private val ofFields = Flag.ofSequence.flatMap(flag => Seq(flag.raise, flag.lower)) ++
    Seq(Act.setArena1, Act.setSlots, Act.nextRequest, Act.closeSequence, Act.answer, Act.answerStatus, Act.makeEntry,
      Act.scanField, Act.readValue)

  /** Returns the program of an engine: that of managed objects, and that of the model in the slot. */
  def assemble(fields: Boolean = false, views: Boolean = true, model: SlotModel = SlotModel.Nanopb): Image = {
    val assembler = new Assembler
    new CommandProgram(assembler)
    new FieldProgram(assembler)
    new ListProgram(assembler)
    new WriteProgram(assembler)
    new WriteListProgram(assembler)
    // What some engines do not have comes last, so that the program of a model suits all engines.
    if (views) new ViewProgram(assembler)
    if (fields) {
      new FieldsProgram(assembler)
      new FieldsWriteProgram(assembler)
      new FieldsReadProgram(assembler)
    } else new NoFieldsProgram(assembler)
    val managed = 0 until assembler.size
    model.program(assembler)
    val slot = managed.end until assembler.size
    def entries(slot: Boolean) = Entry.all(slot).map(_.map { case (name, writes) => name -> Entry.failure(writes) })
    val image = new Placement(assembler,
      Seq(Region(managed, 0 until Entry.Slot, entries(slot = false)),
        Region(slot, Entry.Slot until 1 << Micro.Target.width, entries(slot = true)))).image
    check(image, has(fields))
    image
  }

  /** A CRC of what the program of a model relies on: the programs that are always there, of all engines, and the numbers
    * of all names. What the names mean in hardware is not in it.
    */
  lazy val resident: BigInt = {
    val crc = new java.util.zip.CRC32
    val names = Seq[Seq[Any]](Act.all, Cond.all, Outside.all, Register.all, Hot.all, Kind.all.map(_.name),
      Action.elements.map(_.getName()).toSeq, ScanStop.elements.map(_.getName()).toSeq)
    val programs = for (fields <- Seq(false, true); views <- Seq(false, true))
      yield assemble(fields, views).words.take(Entry.Slot)
    crc.update((names ++ programs).map(_.mkString(",")).mkString("\n").getBytes("UTF-8"))
    crc.getValue
  }

  private def check(image: Image, has: Act => Boolean): Unit = {
    val program = image.all
    val torn =
      program.filter(instruction => instruction.target.nonEmpty && instruction.fields.contains(Micro.Index))
    require(torn.isEmpty, s"what names an index cannot branch to ${torn.flatMap(_.target).mkString(", ")}")
    val late = program.filter(instruction =>
      instruction.fields.get(Micro.Source).contains(Second.X) &&
        instruction.fields.get(Micro.Action).exists(Seq(Act.put, Act.fail, Act.hasbitsBegin).map(_.index).contains))
    require(late.isEmpty, "what is put, a failure's status and a number of hasbits come out of the adder")
    val early =
      program.filter(instruction => Kind.accepts.has(instruction) && Kind.waiting.exists(_.has(instruction)))
    require(!early.exists(takesOfStep),
      "an instruction that accepts a step and may wait takes something of that step, which has gone by then")
    require(
      !program.exists(instruction =>
        instruction(Micro.Keep) == 1 && instruction(Micro.Dest) == Register.allOnes.index),
      s"${Register.allOnes.name} is not written")
    require(!program.exists(instruction => Kind.runs.has(instruction) && instruction(Micro.Call) == 1),
      "while an instruction waits behind which the program rests, the sequencer does not know what follows it")
    val strange = Act.all.filter(act => act != Act.none && !has(act) && program.exists(_(Micro.Action) == act.index))
    require(strange.isEmpty, s"the engine cannot ${strange.map(_.name).mkString(", ")}")
    Waits.check(program)
    val empty = program.filter(_(Micro.Call) == 1).flatMap(_.target).filter(label =>
      program(image.address(label))(Micro.Return) == 1)
    require(empty.isEmpty, s"a subroutine returns at once: ${empty.mkString(", ")}")
    val flow = new ProgramFlow(image)
    OutcomeOrder.check(flow)
    StackOrder.check(flow)
    SetOrder.check(flow, image)
  }
}

/** Prints address, part and name of the program's labels, for reading a trace; with an argument, for an engine without
  * the field instructions.
  */
object Listing extends App {
  print(Program.assemble(fields = args.isEmpty).text)
}
