package heapwire.core

import heapwire.isa._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable

/** The front end without a core: events that meet in one cycle, and the number of cycles that things take. */
class FrontEndTest extends AnyFunSuite {
  private def parameter(units: (UnitKind, Int)*) = FrontEndParameter(tags = 4, queueDepth = 2, units, counters = true,
    wordLog = 4, program = 0x89abcdefL, looking = Set(UnitKind.ProtobufEngine))
  private def compile(name: String, p: FrontEndParameter) =
    SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).workspaceName(
      s"front_end_$name").compile(FrontEnd(p))
  private lazy val one = compile("one", parameter(UnitKind.ProtobufEngine -> 1))
  private lazy val several = compile("several", parameter(UnitKind.Copy -> 2, UnitKind.ProtobufEngine -> 1))
  private lazy val engines = compile("engines", parameter(UnitKind.ProtobufEngine -> 2))
  /** Units at half the clock: all arguments come with a command. */
  private lazy val given =
    compile("given", parameter(UnitKind.Copy -> 1, UnitKind.ProtobufEngine -> 1).copy(looking = Set.empty))
  private val deserialize = Operation.ProtobufDeserialize.code
  private val serialize = Operation.ProtobufSerialize.code
  private def negative(value: Int): Long = value & 0xffffffffL

  private def bench(compiled: SimCompiled[FrontEnd], name: String, seeds: Range = 1 to 1)(
      body: FrontEndBench => Unit): Unit =
    for (seed <- seeds) compiled.doSim(s"${name}_$seed", seed) { dut => body(new FrontEndBench(dut)) }
  private def arguments(first: Long) = first until first + 8

  test("cycles: an idle unit has the command 3 cycles after the answer to submit, answers come in 2") {
    bench(one, "cycles") { b =>
      b.domain.waitSampling(3)
      val command = b.dut.io.units(0).command
      var offered = 0L
      b.domain.onSamplings { if (offered == 0 && command.valid.toBoolean) offered = b.cycle }
      val tag = b.submit(deserialize, 100)
      val accepted = b.cycle - 1
      assert(b.took == 2)
      b.domain.waitSampling(10)
      assert(offered - accepted == 3)
      assert(b.take(0) == (tag, arguments(100)))
      assert(b.ask(Instruction.Poll, rs1 = tag) == negative(WaitResult.Pending) && b.took == 2)
      b.complete(0 -> (tag, 5, Seq(1, 2, 3, 4)))
      assert(b.ask(Instruction.Wait, rs1 = tag) == 5 && b.took == 2)
      assert(b.results(tag) == Seq(1, 2, 3, 4) && b.took == 2)
    }
  }

  test("the engines' program may change until a command goes to them; only a reset of all opens it again") {
    bench(several, "program") { b =>
      var words = Seq.empty[(Int, Long)]
      b.domain.onSamplings {
        val write = b.dut.io.units.last.registers
        if (write.valid.toBoolean) words :+= (write.index.toInt -> write.value.toLong)
      }
      val program = RuntimeRegister.ProtobufProgram.index
      def set(index: Int, value: Long): Long = b.ask(Instruction.Set, rs1 = index, rs2 = value)
      val locked = negative(SetResult.Locked)
      assert(set(program, 1) == 0)
      val copied = b.submit(Operation.Copy.code, 0)
      b.take(0)
      assert(set(program, 2) == 0)
      b.complete(0 -> (copied, 0, Seq.fill(4)(0L)))
      // A submit that is refused starts nothing.
      assert(b.ask(Instruction.Submit, 0x7f) == negative(SubmitResult.NoUnit) && set(program, 3) == 0)
      val tag = b.submit(deserialize, 0)
      assert(set(program, 4) == locked)
      b.take(2)
      assert(set(program, 5) == locked)
      b.dut.io.abandon #= true
      b.domain.waitSampling(3)
      b.dut.io.abandon #= false
      b.domain.waitSampling(3)
      assert(set(program, 6) == locked)
      b.complete(2 -> (tag, 0, Seq.fill(4)(0L)))
      assert(set(program, 7) == locked && set(RuntimeRegister.TableBase.index, 8) == 0)
      assert(set(program + 32, 9) == 0 && set(program + 128, 10) == 0)
      b.domain.waitSampling(3)
      assert(words == Seq(program -> 1, program -> 2, program -> 3, RuntimeRegister.TableBase.index -> 8))
      b.domain.assertReset()
      sleep(30)
      b.domain.deassertReset()
      b.domain.waitSampling(2)
      assert(set(program, 11) == 0)
    }
  }

  test("what follows a posted release at once finds the tag free, and its answer is its own") {
    bench(one, "posted") { b =>
      import Instruction._
      for (next <- Seq(Poll, Wait, Result, Release, Info)) {
        val tags = for (i <- 0 until 2) yield { val tag = b.submit(deserialize, 10 * i); b.take(0); tag }
        b.complete(0 -> (tags(0), 3, Seq(1, 2, 3, 4)))
        b.complete(0 -> (tags(1), 4, Seq(5, 6, 7, 8)))
        b.release(tags(0))
        assert(b.ask(next, rs1 = if (next == Info) Information.Completed else tags(0)) ==
            (if (next == Info) 1 else negative(WaitResult.BadTag)), next)
        assert(b.took == 2 && b.ask(Info, rs1 = Information.Completed) == 1)
        assert(b.ask(Poll, rs1 = tags(1)) == 4)
        b.release(tags(1))
        b.release(tags(1))
        assert(b.ask(Info, rs1 = Information.Completed) == 0)
      }
      val tags = for (i <- 0 until 3) yield { val tag = b.submit(deserialize, 10 * i); b.take(0); tag }
      for (tag <- tags) b.complete(0 -> (tag, 0, Seq(tag, 1, 1, 1)))
      b.release(tags(0))
      b.release(tags(1))
      assert(b.results(tags(2)).head == tags(2))
      b.release(tags(2))
      val after = b.submit(deserialize, 500)
      assert(b.take(0) == (after, arguments(500)))
    }
  }

  test("a result that is asked for as its command completes is pending, or right") {
    bench(one, "late_result") { b =>
      for (delay <- 0 to 8; behind <- Seq(false, true)) {
        val old = b.submit(deserialize, 50)
        b.take(0)
        b.complete(0 -> (old, 0, Nil))
        val tag = b.submit(deserialize, 100)
        b.take(0)
        fork { b.complete(0 -> (tag, 9, Seq(1, 2, 3, 4).map(_ + delay.toLong))) }
        b.domain.waitSampling(delay)
        if (behind) b.release(old)
        val first = b.ask(Instruction.Result, 3, tag)
        assert(first == 4 + delay || first == negative(WaitResult.Pending), s"after $delay cycles")
        assert(delay < 4 || first == 4 + delay)
        assert(b.ask(Instruction.Wait, rs1 = tag) == 9)
        assert(b.results(tag) == Seq(1, 2, 3, 4).map(_ + delay))
        b.release(tag)
        if (!behind) b.release(old)
      }
    }
  }

  test("a kind of several operations has one queue, whose next command goes to the unit that is idle") {
    bench(engines, "engines") { b =>
      def operation(unit: Int) = b.dut.io.units(unit).command.operation.toInt
      assert(b.ask(Instruction.Info, rs1 = Information.Capability) ==
        (Information.Version | 2 << Information.unitsBit(UnitKind.ProtobufEngine)))
      assert(b.ask(Instruction.Info, rs1 = Information.Program) == 0x89abcdefL)
      assert(b.submit(Operation.Copy.code, 0) == negative(SubmitResult.NoUnit))
      val tags = mutable.ArrayBuffer(b.submit(deserialize, 100), b.submit(serialize, 200))
      assert(b.submit(deserialize, 300) == negative(SubmitResult.QueueFull))
      assert(b.take(0) == (tags(0), arguments(100)) && operation(0) == deserialize)
      tags += b.submit(serialize, 300)
      assert(b.take(1) == (tags(1), arguments(200)) && operation(1) == serialize)
      b.complete(1 -> (tags(1), 2, Seq(1, 2, 3, 0)))
      assert(b.take(1) == (tags(2), arguments(300)) && operation(1) == serialize)
      tags += b.submit(deserialize, 400)
      b.complete(0 -> (tags(0), 1, Seq(5, 6, 7, 8)), 1 -> (tags(2), 3, Seq(9, 10, 11, 0)))
      val unit = b.dut.io.units.indexWhere(_.command.valid.toBoolean)
      assert(b.take(unit) == (tags(3), arguments(400)) && operation(unit) == deserialize)
      for ((tag, status, results) <- Seq((tags(0), 1L, Seq(5L, 6L, 7L, 8L)), (tags(1), 2L, Seq(1L, 2L, 3L, 0L)),
          (tags(2), 3L, Seq(9L, 10L, 11L, 0L))))
        assert(b.ask(Instruction.Wait, rs1 = tag) == status && b.results(tag) == results)
      assert(b.ask(Instruction.Info,
        rs1 = Information.CounterBase + UnitKind.ProtobufEngine.index * Information.CounterStride +
          Information.Commands.index) == 4)
    }
  }

  test("a submit that waits for stores is fetched meanwhile") {
    bench(one, "drain") { b =>
      val command = b.dut.io.units(0).command
      b.dut.io.storesDrained #= false
      fork { b.domain.waitSampling(20); b.dut.io.storesDrained #= true }
      var offered = 0L
      b.domain.onSamplings { if (offered == 0 && command.valid.toBoolean) offered = b.cycle }
      val tag = b.submit(deserialize, 100)
      val accepted = b.cycle - 1
      b.domain.waitSampling()
      assert(offered != 0 && offered <= accepted)
      assert(b.take(0) == (tag, arguments(100)))
    }
  }

  test("what was fetched for a submit that is refused, or abandoned, is nobody's") {
    bench(one, "refused") { b =>
      b.dut.io.storesDrained #= false
      fork {
        b.domain.waitSampling(20)
        b.dut.io.command.trap #= true
        b.domain.waitSampling()
        b.dut.io.command.trap #= false
        b.domain.waitSampling()
        b.dut.io.storesDrained #= true
      }
      assert(b.submit(deserialize, 100) == negative(SubmitResult.Retry))
      val tag = b.submit(deserialize, 200)
      assert(b.take(0) == (tag, arguments(200)))
      for (delay <- 1 to 8) {
        b.dut.io.storesDrained #= false
        b.stage(0, 1, 2)
        b.dut.io.command.request.valid #= true
        b.dut.io.command.request.kind #= Instruction.Submit.funct3
        b.domain.waitSampling()
        b.dut.io.command.request.valid #= false
        b.domain.waitSampling(delay)
        b.dut.io.abandon #= true
        b.domain.waitSampling()
        b.dut.io.abandon #= false
        b.dut.io.storesDrained #= true
        b.domain.waitSampling(3)
        val next = b.submit(deserialize, 300 + delay)
        assert(b.take(0) == (next, arguments(300 + delay)))
        b.complete(0 -> (next, 0, Nil))
        assert(b.ask(Instruction.Release, rs1 = next) == 0)
      }
    }
  }

  test("a unit takes a command while the next one is submitted: each has its own arguments") {
    bench(one, "overlap") { b =>
      for (drained <- Seq(true, false); delay <- 0 to 16) {
        val (older, newer) = (1000L + 20 * delay, 2000L + 20 * delay)
        val first = b.submit(deserialize, older)
        b.domain.waitSampling(10)
        b.dut.io.storesDrained #= drained
        var taken = (0L, Seq[Long]())
        val unit = fork {
          b.domain.waitSampling(delay)
          taken = b.take(0)
          b.domain.waitSampling(8)
          b.dut.io.storesDrained #= true
        }
        val second = b.submit(deserialize, newer)
        unit.join()
        assert(taken == (first, arguments(older)))
        assert(b.take(0) == (second, arguments(newer)), s"$delay cycles, drained $drained")
        for (tag <- Seq(first, second)) {
          b.complete(0 -> (tag, 0, Nil))
          assert(b.ask(Instruction.Release, rs1 = tag) == 0)
        }
      }
    }
  }

  test("units that get all of their arguments with the command") {
    bench(given, "given") { b =>
      for (unit <- 0 to 1) {
        val tag = b.submit(if (unit == 0) Operation.Copy.code else serialize, 100 * unit)
        assert(b.take(unit) == (tag, arguments(100 * unit)))
      }
    }
  }

  test("as long as a command is offered its arguments can be looked up, whatever else comes") {
    bench(engines, "looked_up", 1 to 3) { b =>
      val first = b.submit(deserialize, 100)
      assert(b.take(0) == (first, arguments(100)))
      val second = b.submit(serialize, 200)
      b.domain.waitSampling(8)
      var checks = 0
      val looking = fork {
        while (true) {
          if (b.dut.io.units(1).command.valid.toBoolean) {
            assert(b.seen(1) == arguments(200))
            checks += 1
          }
          b.domain.waitSampling()
        }
      }
      // Meanwhile, another command is staged and queued, one is refused for lack of room, and the first one completes
      // and is read back.
      val third = b.submit(deserialize, 300)
      val refused = b.submit(serialize, 400)
      assert(refused == negative(SubmitResult.QueueFull))
      b.complete(0 -> (first, 0, Seq(1L, 2L, 3L, 4L)))
      assert(b.results(first) == Seq(1L, 2L, 3L, 4L))
      b.domain.waitSampling(10)
      looking.terminate()
      assert(checks > 30)
      assert(b.take(1) == (second, arguments(200)))
      assert(b.take(0) == (third, arguments(300)))
    }
  }

  test("arguments staged before QUEUE_FULL survive it") {
    bench(one, "queue_full") { b =>
      val tags = Seq(b.submit(deserialize, 100), b.submit(deserialize, 200))
      assert(b.submit(deserialize, 300) == negative(SubmitResult.QueueFull))
      assert(b.ask(Instruction.Submit, 0x7f, 1, 2) == negative(SubmitResult.NoUnit))
      assert(b.take(0) == (tags.head, arguments(100)))
      val third = b.ask(Instruction.Submit, deserialize, 306, 307)
      assert(b.take(0) == (tags(1), arguments(200)))
      assert(b.take(0) == (third, arguments(300)))
    }
  }

  test("what is staged while every tag is taken is lost, and submit says so once") {
    bench(one, "lost") { b =>
      val tags = for (i <- 0 until 4) yield { val tag = b.submit(deserialize, 100 * i); b.take(0); tag }
      assert(tags.sorted == (0 until 4))
      assert(b.submit(deserialize, 500) == negative(SubmitResult.QueueFull))
      assert(b.submit(deserialize, 600) == negative(SubmitResult.QueueFull))
      b.complete(0 -> (tags(2), 0, Seq(7, 8, 9, 10)))
      assert(b.results(tags(2)) == Seq(7, 8, 9, 10))
      b.ask(Instruction.Release, rs1 = tags(2))
      assert(b.ask(Instruction.Submit, deserialize, 606, 607) == negative(SubmitResult.Retry))
      val tag = b.submit(deserialize, 700)
      assert(tag == tags(2) && b.take(0) == (tag, arguments(700)))
      // Arguments that are staged again are no longer lost.
      assert(b.submit(deserialize, 800) == negative(SubmitResult.QueueFull))
      b.complete(0 -> (tag, 0, Nil))
      b.ask(Instruction.Release, rs1 = tag)
      assert(b.submit(deserialize, 900) == tag)
      assert(b.take(0) == (tag, arguments(900)))
    }
  }

  test("a completion that meets stages waits for them, and both are written") {
    bench(one, "meets") { b =>
      for (round <- 0 until 12) {
        val tag = b.submit(deserialize, 100)
        b.take(0)
        val completing = fork {
          b.domain.waitSampling(round % 6 + 1); b.complete(0 -> (tag, round, Seq(11, 12, 13, 14).map(_ + round.toLong)))
        }
        for (_ <- 0 until 3; i <- 0 until 3) b.stage(i, 200 + 2 * i, 201 + 2 * i)
        val other = b.ask(Instruction.Submit, deserialize, 206, 207)
        completing.join()
        assert(b.ask(Instruction.Wait, rs1 = tag) == round)
        assert(b.results(tag) == Seq(11, 12, 13, 14).map(_ + round))
        assert(b.take(0) == (other, arguments(200)))
        b.complete(0 -> (other, 0, Nil))
        for (t <- Seq(tag, other)) assert(b.ask(Instruction.Release, rs1 = t) == 0)
      }
    }
  }

  test("units that complete in the same cycle, each with its own results; words that an operation has not are 0") {
    bench(several, "same_cycle") { b =>
      val copies = Seq(b.submit(Operation.Copy.code, 100), b.submit(Operation.Fill.code, 200))
      val third = b.submit(deserialize, 300)
      val taken = Seq(b.take(0), b.take(1))
      assert(taken == Seq((copies(0), arguments(100)), (copies(1), arguments(200))))
      assert(b.take(2) == (third, arguments(300)))
      b.complete(0 -> (copies(0), 1, Seq(10)), 1 -> (copies(1), 2, Seq(20)), 2 -> (third, 3, Seq(30, 31, 32, 33)))
      assert(b.ask(Instruction.Info, rs1 = Information.Completed) == 3)
      for ((tag, status, results) <-
          Seq((third, 3, Seq(30, 31, 32, 33)), (copies(0), 1, Seq(10, 0, 0, 0)), (copies(1), 2, Seq(20, 0, 0, 0)))) {
        assert(b.ask(Instruction.Poll, rs1 = tag) == status)
        assert(b.results(tag) == results)
        assert(b.ask(Instruction.Release, rs1 = tag) == 0)
      }
      assert(b.ask(Instruction.Info, rs1 = Information.Completed) == 0)
    }
  }

  test("results of one tag are read while other commands are fetched") {
    bench(several, "reads_and_feeds", 1 to 3) { b =>
      val old = b.submit(deserialize, 50)
      b.take(2)
      b.complete(2 -> (old, 0, Seq(1, 2, 3, 4)))
      for (round <- 0 until 40) {
        val tags = Seq(b.submit(deserialize, 1000 + round), b.submit(deserialize, 2000 + round),
          b.submit(Operation.Copy.code, 3000 + round))
        val reading = fork { for (_ <- 0 until 3) assert(b.results(old) == Seq(1, 2, 3, 4)) }
        b.domain.waitSampling(simRandom.nextInt(8))
        val unit = if (b.dut.io.units(0).command.valid.toBoolean) 0 else 1
        assert(b.take(2) == (tags(0), arguments(1000 + round)))
        assert(b.take(2) == (tags(1), arguments(2000 + round)))
        assert(b.take(if (b.dut.io.units(0).command.valid.toBoolean) 0 else unit) == (tags(2), arguments(3000 + round)))
        reading.join()
        b.complete(2 -> (tags(0), 0, Nil))
        b.complete(2 -> (tags(1), 0, Nil), unit -> (tags(2), 0, Nil))
        for (tag <- tags) assert(b.ask(Instruction.Release, rs1 = tag) == 0)
      }
    }
  }

  test("reset in the middle of a fetch or of a completion") {
    bench(one, "reset") { b =>
      for (delay <- 0 until 16) {
        val tag = b.submit(deserialize, 100)
        b.domain.waitSampling(delay)
        if (delay > 6) {
          b.take(0)
          fork { b.complete(0 -> (tag, 0, Seq(1, 2, 3, 4))) }
          b.domain.waitSampling(delay - 7 min 2)
        }
        b.domain.assertReset()
        sleep(50)
        b.dut.io.units(0).completion.valid #= false
        b.domain.deassertReset()
        b.domain.waitSampling(3)
        val next = b.submit(deserialize, 200)
        assert(next == 0 && b.take(0) == (next, arguments(200)))
        b.complete(0 -> (next, 0, Seq(5, 6, 7, 8)))
        assert(b.results(next) == Seq(5, 6, 7, 8))
        b.ask(Instruction.Release, rs1 = next)
      }
    }
  }

  test("a tag that was abandoned is free when its command ends, and not before") {
    bench(one, "abandoned") { b =>
      for (i <- 0 until 4) { b.submit(deserialize, 10 * i); if (i < 3) b.take(0) }
      b.complete(0 -> (1, 0, Nil))
      b.dut.io.abandon #= true
      b.domain.waitSampling(2)
      b.dut.io.abandon #= false
      b.domain.waitSampling(5)
      for (tag <- 0 until 4) assert(b.ask(Instruction.Poll, rs1 = tag) == negative(WaitResult.BadTag))
      assert(b.ask(Instruction.Info, rs1 = Information.Completed) == 0)
      assert(b.submit(deserialize, 100) == 1)
      assert(b.ask(Instruction.Submit, deserialize, 1, 2) == negative(SubmitResult.QueueFull))
      b.complete(0 -> (2, 0, Nil))
      assert(b.ask(Instruction.Info, rs1 = Information.Completed) == 0)
      assert(b.take(0)._1 == 3)
      assert(b.submit(deserialize, 200) == 2)
      assert(b.take(0) == (1, arguments(100)))
      assert(b.take(0) == (2, arguments(200)))
    }
  }

  test("counters: read twice around what happened, at the greatest rate; those that are not there are 0 at once") {
    bench(several, "counters") { b =>
      def counter(kind: UnitKind, c: Information.Counter) = Information.CounterBase +
        kind.index * Information.CounterStride + c.index
      val words = Seq(Information.DramReads, Information.DramWrites) ++
        (for (kind <- Seq(UnitKind.Copy, UnitKind.ProtobufEngine); c <- Information.counters) yield counter(kind, c))
      def read() = words.map { index =>
        val value = b.ask(Instruction.Info, rs1 = index)
        assert(b.took <= 2 + words.size)
        index -> value
      }.toMap
      var expected = read()
      assert(expected.values.forall(_ == 0))
      for (cycles <- Seq(1, 2, 15, 16, 17, 500)) {
        b.dut.io.dram.reads #= 7
        b.dut.io.traffic(1).readBytes #= 16
        b.dut.io.traffic(0).writtenBytes #= 15
        b.dut.io.units(0).activity.busy #= true
        b.dut.io.units(1).activity.busy #= true
        b.dut.io.units(2).activity.tableStall #= true
        b.domain.waitSampling(cycles)
        b.dut.io.dram.reads #= 0
        b.dut.io.traffic(1).readBytes #= 0
        b.dut.io.traffic(0).writtenBytes #= 0
        for (unit <- b.dut.io.units) { unit.activity.busy #= false; unit.activity.tableStall #= false }
        b.domain.waitSampling(4)
        val grown = mutable.Map(Information.DramReads -> 7,
          counter(UnitKind.ProtobufEngine, Information.ReadBytes) -> 16,
          counter(UnitKind.Copy, Information.WriteBytes) -> 15, counter(UnitKind.Copy, Information.BusyCycles) -> 2,
          counter(UnitKind.ProtobufEngine, Information.TableStallCycles) -> 1).withDefaultValue(0)
        expected = expected.map { case (index, value) => index -> (value + grown(index) * cycles) }
        assert(read() == expected)
      }
      for (index <- Seq(7, 63, 71, 80, 127, 64 + 128, 0x10003))
        assert(b.ask(Instruction.Info, rs1 = index) == 0 && b.took == 2)
    }
  }
}
