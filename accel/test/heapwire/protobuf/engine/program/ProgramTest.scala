package heapwire.protobuf.engine.program

import heapwire.memory.MemoryParameter
import heapwire.protobuf.EngineParameter
import heapwire.protobuf.engine.Engine
import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Assembler, MicroInstruction}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._

import java.nio.file.{Files, Path}

class ProgramTest extends AnyFunSuite {
  private def instruction(fields: (heapwire.sequencer.MicroField, Int)*): MicroInstruction = {
    val instruction = new MicroInstruction
    for ((field, value) <- fields) instruction(field) = value
    instruction
  }

  test("every event of both models has a place, which leads somewhere") {
    for (fields <- Seq(false, true); views <- Seq(false, true)) {
      val image = Program.assemble(fields, views)
      val last = image.listing.map(_.address).max
      assert(image.all.size == 1 << Micro.Target.width && last < image.all.size)
      for (slot <- Seq(false, true); (event, i) <- Entry.all(slot).zipWithIndex; (name, _) <- event) {
        val place = (if (slot) Entry.Slot else 0) + i * Entry.Words
        val here = image.all.slice(place, place + 2 * Entry.Words)
        assert(here.exists(one => Placement.leaves(one) || one.target.nonEmpty), s"$name does not go on")
      }
      import heapwire.isa.Status.BadDescriptor
      for ((writes, event, failure) <- Seq((false, Action.RunEnd.position, Line.failure(BadDescriptor)),
          (true, ScanStop.List.position, WriteProgram.failure(BadDescriptor)),
          (true, Entry.Keep, Line.failure(BadDescriptor)))) // while a message is read
        assert(image.all(image.address(Entry.label(slot = true, writes, event))).target.contains(failure))
    }
  }

  test("a model's program is the same for all engines") {
    assert(SlotModel.all.map(_.words.head).distinct == Seq(Program.resident) && Program.resident != 0)
    for (model <- SlotModel.all) {
      val words = for (fields <- Seq(false, true); views <- Seq(false, true))
        yield Program.assemble(fields, views, model).words.slice(Entry.Slot, Program.assemble(model = model).end)
      assert(words.distinct.size == 1, s"of ${model.name}")
      assert(model.words.tail.forall(word => (word >> ProgramPart.Width + 2) >= Entry.Slot && word < (BigInt(1) << 31)))
    }
  }

  test("the program of managed objects does not depend on the model in the slot") {
    for (fields <- Seq(false, true)) {
      val programs = SlotModel.all.map(model => Program.assemble(fields, model = model).words.take(Entry.Slot))
      val differs = programs.head.indices.filter(at => programs.exists(_(at) != programs.head(at)))
      assert(differs.isEmpty)
    }
  }

  test("the hardware is the same for all models, but for what its program memory holds at first") {
    for (width <- Seq(128, 32)) {
      val texts = for (model <- SlotModel.all) yield {
        val folder = Files.createTempDirectory("engine").toString
        // The content of memories goes into files of their own.
        SpinalConfig(targetDirectory = folder, defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
          .generateVerilog(Engine(EngineParameter(fields = width == 128), MemoryParameter(dataWidth = width), model))
        Files.readString(Path.of(folder, "Engine.v")).linesIterator.filterNot(_.startsWith("//")).mkString("\n")
      }
      assert(texts.forall(_.contains("readmem")) && texts.distinct.size == 1)
    }
  }

  test("while a program is loaded in the place of another, both doors are closed, or all is that of one program") {
    def image(model: SlotModel) = model.image.words.toArray
    for (before <- SlotModel.all; after <- SlotModel.all if after != before) {
      val (memory, wanted) = (image(before), image(after))
      val closed = for ((at, failure) <- Entry.doors) yield after.image.address(failure) -> at
      def open(at: Int, failure: Int) =
        ((memory(at) & ((1 << Micro.Target.width) - 1)) != failure || (memory(at) >> Micro.Condition.low & 0x7f) !=
          Cond.always.index)
      for (word <- after.words.tail) {
        val (at, part) = ((word >> ProgramPart.Width + 2).toInt, (word >> ProgramPart.Width).toInt & 3)
        val low = part * ProgramPart.Width
        val mask = ((BigInt(1) << ProgramPart.Width) - 1) << low
        memory(at) = memory(at) &~ mask | ((word << low) & mask)
        for ((failure, door) <- closed) {
          // What a door does besides is what it does in one of the programs.
          def rest(words: Array[BigInt]) = words(door) >> ProgramPart.Width
          assert(rest(memory) == rest(image(before)) || rest(memory) == rest(wanted))
          if (open(door, failure)) {
            def equal(words: Array[BigInt]) = (Entry.Slot until after.image.end).forall(i =>
              closed.exists(_._2 == i) || memory(i) == words(i))
            assert(equal(wanted) || equal(image(before)), s"after the word ${word.toString(16)}")
          }
        }
      }
      assert(memory.slice(Entry.Slot, after.image.end).sameElements(wanted.slice(Entry.Slot, after.image.end)))
    }
  }

  test("what is in no program fails") {
    val image = Program.assemble(fields = true)
    assert(image.all.last.target.contains("fail BAD_DESCRIPTOR"))
  }

  test("a program that needs a wait which the hardware does not have is refused") {
    val asked = Seq(Micro.X -> Outside.asked.code, Micro.Source -> Second.X)
    Waits.check(Seq(instruction(asked :+ (Micro.Action -> Act.turn.index): _*)))
    val error = intercept[IllegalArgumentException](
      Waits.check(Seq(instruction(asked :+ (Micro.Action -> Act.setCount.index): _*))))
    assert(error.getMessage.contains("setCount waits for readsGranule"))
    intercept[IllegalArgumentException](
      Waits.check(Seq(instruction(Micro.StoreMode -> Store.Word, Micro.Action -> Act.clear.index))))
  }

  /** A program of a few instructions behind a handler. */
  private class Small(assembler: Assembler, body: Small => Unit) extends EngineProgram(assembler) {
    on(Action.Ignore)
    body(this)
    def set(register: Register): Unit = let(register, 1)
    def take(register: Register): Unit = look(register + 0).act(Act.setCount)
    def when(cond: Cond): Unit = also.on(cond, "there")
    def there(): Unit = label("there")
    def ask(): Unit = look(Register.table + 0).act(Act.askTable)
    def word(): Unit = let(Register.t0, Outside.asked)
    def test(): Unit = also.on(Cond.carry, "there")
    def run(): Unit = also.act(Act.run)
    def end(): Unit = { there(); run() }
  }
  private def check(body: Small => Unit): Unit = {
    val assembler = new Assembler
    new Small(assembler, body)
    assembler.label("fail BAD_DESCRIPTOR")
    assembler.emit(instruction(Micro.Action -> Act.run.index))
    val image = new Placement(assembler,
      Seq(Region(0 until assembler.size, 0 until 256,
          Seq(Some(Entry.label(slot = false, writes = false, 0) -> "fail BAD_DESCRIPTOR"))))).image
    SetOrder.check(new ProgramFlow(image), image)
  }

  test("a program that takes what nothing has set is refused") {
    import Register.{t0, t1}
    check { p => p.set(t0); p.take(t0); p.end() }
    check { p => p.ask(); p.word(); p.end() }
    for (body <- Seq[Small => Unit](
        p => { p.take(t0); p.end() },
        p => { p.when(Cond.repeated); p.set(t0); p.there(); p.take(t0); p.run() },
        p => { p.word(); p.end() },
        p => { p.test(); p.end() },
        p => { p.set(t1); p.take(t0); p.end() }))
      intercept[IllegalArgumentException](check(body))
  }
}
