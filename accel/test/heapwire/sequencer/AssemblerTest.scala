package heapwire.sequencer

import org.scalatest.funsuite.AnyFunSuite

class AssemblerTest extends AnyFunSuite {
  test("an assembler refuses labels that are there twice or not at all, and fields that are said twice or do not fit") {
    val field = MicroField("target", 0, 2)
    val assembler = new Assembler
    assembler.label("here")
    intercept[IllegalArgumentException](assembler.label("here"))
    val instruction = new MicroInstruction
    instruction(field) = 1
    intercept[IllegalArgumentException] { instruction(field) = 2 }
    intercept[IllegalArgumentException] { (new MicroInstruction).update(field, 4) }
    intercept[IllegalArgumentException](
      new Image(IndexedSeq(new MicroInstruction(target = Some("nowhere"))), Nil, field, end = 1))
  }
}
