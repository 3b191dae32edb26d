package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode.{Micro, ProgramPart}
import heapwire.sequencer.Assembler

/** An object model whose program goes into the slot. */
sealed abstract class SlotModel(val name: String, val program: Assembler => Unit) {
  /** The words with which software loads the program. It suits all engines. */
  lazy val words: Seq[BigInt] = {
    val image = Program.assemble(model = this)
    for (at <- Entry.Slot until image.end; word <- ProgramPart.words(at, image.words(at))) yield word
  }
}

object SlotModel {
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
  val all: Seq[SlotModel] = Seq(Nanopb, Upb)
}
