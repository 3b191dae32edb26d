package heapwire.core

import heapwire.isa.{FieldInstruction, Instruction}
import spinal.core._
import spinal.lib._
import vexriscv.plugin._
import vexriscv.{DecoderService, Stageable, VexRiscv}

/** Hands the custom-0 instructions (see [[heapwire.isa.Instruction]]) to the command front end, each exactly once, and
  * with `fields` also the custom-1 instructions ([[heapwire.isa.FieldInstruction]]). They are legal from reset and need
  * no CSR.
  *
  * An instruction is issued from the execute stage once every older instruction has left the pipeline, so no branch,
  * exception or cache replay can cancel it, and no younger instruction can flush it. Interrupts stop instructions in
  * decode and let execute finish. The debugger holds execute before the issue, and lets an issued instruction finish.
  * Only other such instructions may be older and still in the pipeline: they cannot branch, trap or replay. At most the
  * predictor takes one for a branch, and then what was fetched behind it is flushed. So a row of `stage` instructions
  * flows at one per cycle.
  *
  * `stage` is posted, and so is `release` with x0 for rd: a posted instruction leaves execute as it is issued, and its
  * rd is 0. Every other instruction stalls execute until the front end answers.
  */
class CommandPlugin(fields: Boolean) extends Plugin[VexRiscv] {
  var port: CommandPort = null

  object IS_COMMAND extends Stageable(Bool())
  object IS_FIELD extends Stageable(Bool())
  object IS_POSTED extends Stageable(Bool())

  override def setup(pipeline: VexRiscv): Unit = {
    import pipeline.config._
    port = master(CommandPort()).setName("command")
    val decoder = pipeline.service(classOf[DecoderService])
    decoder.addDefault(IS_COMMAND, False)
    decoder.addDefault(IS_FIELD, False)
    def key(opcode: Int) = MaskedLiteral("-" * 25 + f"${opcode.toBinaryString.toInt}%07d")
    for (field <- Seq(false) ++ Option.when(fields)(true)) decoder.add(
      key(if (field) FieldInstruction.Opcode else Instruction.Opcode),
      List(
        IS_FIELD -> Bool(field),
        IS_COMMAND -> True,
        REGFILE_WRITE_VALID -> True,
        BYPASSABLE_EXECUTE_STAGE -> True,
        BYPASSABLE_MEMORY_STAGE -> True,
        RS1_USE -> True,
        RS2_USE -> True,
        HAS_SIDE_EFFECT -> True))
  }

  override def build(pipeline: VexRiscv): Unit = {
    import pipeline._
    import pipeline.config._
    val csr = pipeline.service(classOf[CsrPlugin])

    port.trap := RegNext(csr.isContextSwitching) init False
    port.interrupt := RegNext(csr.interruptSpecs.map(_.cond).orR || csr.thirdPartyWake) init False

    decode plug new Area {
      import decode._
      val kind = input(INSTRUCTION)(14 downto 12)
      insert(IS_POSTED) := !input(IS_FIELD) &&
        (kind === Instruction.Stage.funct3 ||
          kind === Instruction.Release.funct3 && input(INSTRUCTION)(11 downto 7) === 0)
    }

    execute plug new Area {
      import execute._
      val here = arbitration.isValid && input(IS_COMMAND)
      val older = stagesFromExecute.tail.map(s => s.arbitration.isValid && !s.input(IS_COMMAND)).orR
      val posted = input(IS_POSTED)
      val issued, answered = RegInit(False)

      port.request.valid := here && !issued && !older && !arbitration.isStuckByOthers && !memory.arbitration.flushNext
      port.request.field := input(IS_FIELD)
      port.request.posted := posted
      port.request.kind := input(INSTRUCTION)(14 downto 12)
      port.request.function := input(INSTRUCTION)(31 downto 25)
      port.request.rs1 := input(RS1)
      port.request.rs2 := input(RS2)

      issued setWhen (port.request.valid && !posted)
      port.reading := here && !issued && !input(IS_FIELD) && port.request.kind === Instruction.Result.funct3

      answered setWhen port.response.valid
      arbitration.haltItself setWhen (here && (posted ? older | !(answered || port.response.valid)))
      when(here) { output(REGFILE_WRITE_DATA) := port.response.payload.andMask(!posted) }
      when(!arbitration.isStuck) {
        issued := False
        answered := False
      }

      assert(!(issued && !here), "an issued instruction left the execute stage without its answer", FAILURE)
    }
  }
}
