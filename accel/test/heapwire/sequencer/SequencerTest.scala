package heapwire.sequencer

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class SequencerTest extends AnyFunSuite {
  private val AddressBits = 6
  private def target(word: BigInt): Int = (word & ((1 << AddressBits) - 1)).toInt

  test("instructions follow one another in every cycle, branches taken or not, whatever stalls, halts and jumps do") {
    val dice = new Random(1)
    val program = Seq.tabulate(60)(i => BigInt(i) << AddressBits | dice.nextInt(60))
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC)))
      .compile(Sequencer(program, 12)).doSim(seed = 1) { dut =>
        dut.io.jump.valid #= false
        dut.io.stall #= false
        dut.io.taken #= false
        dut.io.halt #= false
        dut.clockDomain.forkStimulus(10)
        // What is carried out, and how many cycles it is until something will be; None: nothing will.
        var at: Option[Int] = None
        var wait = 0
        var carriedOut = 0
        for (_ <- 0 until 20000) {
          val stall, halt, jump = dice.nextInt(100)
          dut.io.stall #= stall < 30
          dut.io.halt #= halt < 3
          dut.io.jump.valid #= jump < 5
          dut.io.jump.payload #= dice.nextInt(50)
          dut.io.taken #= dice.nextInt(100) < 30
          sleep(1)
          val valid = at.isDefined && wait == 0
          assert(dut.io.valid.toBoolean == valid)
          if (valid) assert(dut.io.instruction.toBigInt == program.lift(at.get).getOrElse(BigInt(0)))
          if (wait > 0) wait -= 1
          if (valid && stall >= 30) {
            carriedOut += 1
            val next = if (dut.io.taken.toBoolean) target(dut.io.instruction.toBigInt) else (at.get + 1) % (1 << AddressBits)
            at = if (halt < 3) None else Some(next)
          }
          if (jump < 5) {
            at = Some(dut.io.jump.payload.toInt)
            wait = 1
          }
          dut.clockDomain.waitSampling()
        }
        assert(carriedOut > 5000)
      }
  }

  test("an assembler refuses labels that are there twice or not at all, and fields that are said twice or do not fit") {
    val field = MicroField("target", 0, 2)
    val assembler = new Assembler
    assembler.label("here")
    intercept[IllegalArgumentException](assembler.label("here"))
    val instruction = new MicroInstruction
    instruction(field) = 1
    intercept[IllegalArgumentException](instruction(field) = 2)
    intercept[IllegalArgumentException](new MicroInstruction()(field) = 4)
    assembler.emit(new MicroInstruction(target = Some("nowhere")))
    intercept[IllegalArgumentException](assembler.words(field))
  }
}
