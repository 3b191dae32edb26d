package heapwire.protobuf.engine.microcode

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class MicroSequencerTest extends AnyFunSuite {
  private val Size = 60
  private def bit(word: BigInt, field: heapwire.sequencer.MicroField): Boolean = word.testBit(field.low)
  private def field(word: BigInt, field: heapwire.sequencer.MicroField): Int =
    (word >> field.low & ((BigInt(1) << field.width) - 1)).toInt
  private def target(word: BigInt): Int = ((word >> Micro.Target.low) & ((1 << Micro.Target.width) - 1)).toInt

  test(
    "an instruction leaves every cycle, branches, calls and returns whatever stalls, halts and jumps do") {
    val dice = new Random(1)
    // Instructions differ in fields that are not part of a branch.
    val program = Seq.tabulate(Size)(i =>
      BigInt(i) << Micro.Immediate.low | BigInt(dice.nextInt(128)) << Micro.Action.low |
        BigInt(dice.nextInt(16)) << Micro.StoreMode.low | BigInt(dice.nextInt(32)) << Micro.X.low |
        BigInt(dice.nextInt(Size)) << Micro.Target.low |
        BigInt(if (dice.nextInt(4) == 0) 1 else 0) <<
        (if (dice.nextBoolean()) Micro.Call.low else Micro.Return.low))
    // Half of the instructions are others at first. They are loaded a part at a time, in random order, and before that
    // with wrong parts.
    val loaded = dice.shuffle((0 until Size).toList).take(Size / 2)
    val first = program.indices.map(i => if (loaded.contains(i)) program((i + 1) % Size) else program(i))
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC)))
      .compile(MicroSequencer(first, Kind.all)).doSim(seed = 1) { dut =>
        dut.io.jump.valid #= false
        dut.io.stall #= false
        dut.io.taken #= false
        dut.io.halt #= false
        dut.io.rests #= false
        dut.io.direct #= false
        dut.io.likely #= 0
        dut.io.load.valid #= false
        dut.clockDomain.forkStimulus(10)
        val parts = loaded.flatMap(i => ProgramPart.words(i, program(i)))
        for (word <- parts.map(_ ^ dice.nextInt(1 << ProgramPart.Width)) ++ dice.shuffle(parts)) {
          dut.io.load.valid #= true
          dut.io.load.data #= word & ((1 << ProgramPart.Width) - 1)
          dut.io.load.part #= (word >> ProgramPart.Width & 3).toInt
          dut.io.load.address #= (word >> ProgramPart.Width + 2).toInt
          dut.clockDomain.waitSampling()
          dut.io.load.valid #= false
          if (dice.nextBoolean()) dut.clockDomain.waitSampling()
        }
        dut.io.load.valid #= false
        // `at`: the instruction that is carried out, or that will be in `wait` cycles; None if none will be.
        var at: Option[Int] = None
        var wait = 0
        var link: Option[Int] = None
        // Number of instructions since the last call that was taken.
        var sinceCall = 0
        // What was read ahead in the cycle before.
        var guess: Option[Int] = None
        // The program rests behind the current instruction.
        var rests = false
        var carriedOut, calls, returns, directly = 0
        for (_ <- 0 until 40000) {
          val stall, halt, jump = dice.nextInt(100)
          val word = at.flatMap(program.lift).getOrElse(BigInt(0))
          val isReturn = bit(word, Micro.Return)
          val taken = dice.nextInt(100) < 30 && !(isReturn && (link.isEmpty || sinceCall < 1))
          val valid = at.isDefined && wait == 0
          val halts = rests || halt < 2
          val direct = jump < 3 && guess.isDefined && at.isEmpty
          dut.io.stall #= stall < 30
          dut.io.halt #= halts
          dut.io.rests #= rests
          dut.io.jump.valid #= jump < 5
          dut.io.direct #= direct || (guess.isEmpty || valid) && dice.nextBoolean()
          dut.io.jump.payload #= (if (direct) guess.get else dice.nextInt(Size - 10))
          dut.io.likely #= dice.nextInt(Size - 10)
          dut.io.taken #= taken
          sleep(1)
          guess = Option.when(jump >= 5 && (if (valid) rests else at.isEmpty))(dut.io.likely.toInt)
          assert(dut.io.valid.toBoolean == valid)
          if (valid) {
            assert(dut.io.instruction.toBigInt == word)
            def says(kind: Kind): Boolean = dut.io.is.toBigInt.testBit(Kind.all.indexOf(kind))
            assert(says(Kind.stores) == (field(word, Micro.StoreMode) >= 4))
            assert(says(Kind.accepts) == Seq(Act.accept, Act.acceptAndRun).exists(_.index == field(word, Micro.Action)))
            assert(says(Kind.readsCursor) == (field(word, Micro.X) == Outside.cursor.code))
          }
          if (wait > 0) wait -= 1
          if (valid && stall >= 30) {
            carriedOut += 1
            sinceCall += 1
            val behind = (at.get + 1) % (1 << dut.addressWidth)
            val next = if (!taken) behind else if (isReturn) link.get else target(word)
            if (taken && isReturn) returns += 1
            if (taken && bit(word, Micro.Call)) {
              link = Some(behind)
              sinceCall = 0
              calls += 1
            }
            at = if (halts) None else Some(next)
          }
          if (jump < 5) {
            at = Some(dut.io.jump.payload.toInt)
            wait = if (direct) 0 else 1
            if (direct) directly += 1
          }
          // No instruction behind which the program rests is a call.
          if (!(valid && stall < 30))
            rests = dice.nextInt(50) == 0 && !at.flatMap(program.lift).exists(bit(_, Micro.Call))
          dut.clockDomain.waitSampling()
        }
        assert(carriedOut > 10000 && calls > 100 && returns > 100 && directly > 100)
      }
  }
}
