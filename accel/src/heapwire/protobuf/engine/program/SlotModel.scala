package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode.{Cond, Micro, ProgramPart}
import heapwire.sequencer.{Assembler, Image, MicroInstruction}

/** An object model whose program goes into the slot. */
sealed abstract class SlotModel(val name: String, val program: Assembler => Unit) {
  private[program] lazy val image = Program.assemble(model = this)
  /** What software loads: [[Program.resident]], then the words to write, in their order. It suits all engines. Commands
    * come to the program through two doors alone. Both are closed by the first two words and opened by the last two, so
    * what has been loaded in part is not entered.
    */
  lazy val words: Seq[BigInt] = {
    val doors = Entry.doors.map { case (at, failure) => ProgramPart.words(at, SlotModel.door(image, at, failure)).head }
    val (opened, body) = (for (at <- Entry.Slot until image.end; word <- ProgramPart.words(at, image.words(at)))
      yield word).partition(word => doors.exists(door => (door ^ word) >> ProgramPart.Width == 0))
    Program.resident +: (doors ++ body ++ opened)
  }
}

object SlotModel {
  /** Returns the instruction at a door, closed. It differs from the open one only in the word that a door's first quarter
    * is; for that, the doors of all models do the same but for whether and where they branch.
    */
  private def door(image: Image, at: Int, failure: String): BigInt = {
    def same(instruction: MicroInstruction) =
      instruction.fields.filter { case (field, value) => value != 0 && field != Micro.Condition && field != Micro.Call }
    require(Micro.Invert.low == ProgramPart.Width && image.all(at)(Micro.Invert) == 0,
      "a door's condition and target are a word")
    require(same(image.all(at)) == same(Nanopb.image.all(at)), s"the door at $at does what nanopb's does not")
    image.words(at) >> ProgramPart.Width << ProgramPart.Width | BigInt(Cond.always.index) << Micro.Condition.low |
      image.address(failure)
  }
  /** nanopb's C structs, which are in the slot from the start. */
  case object Nanopb extends SlotModel("nanopb",
        assembler => {
          new NativeProgram(assembler)
          new NativeStructs(assembler)
          new NativeLists(assembler)
          new NativeWriteProgram(assembler)
          new NativeWriteLists(assembler)
        })
  /** The messages of upb, Google's C core. */
  case object Upb extends SlotModel("upb",
        assembler => {
          new UpbProgram(assembler)
          new UpbLists(assembler)
          new UpbWriteProgram(assembler)
        })
  /** Structs of Go. */
  case object Go extends SlotModel("go",
        assembler => {
          new UpbProgram(assembler, slices = true)
          new UpbLists(assembler, slices = true)
          new UpbWriteProgram(assembler, slices = true)
        })
  val all: Seq[SlotModel] = Seq(Nanopb, Upb, Go)
}
