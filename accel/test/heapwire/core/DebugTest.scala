package heapwire.core

import heapwire.Rounds
import heapwire.core.DebugHartPlugin.Cause
import heapwire.isa.{Operation, SubmitResult}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

/** A debugger on the JTAG pins, and a core whose program must not notice it. */
class DebugTest extends AnyFunSuite {
  private val base = 0x40000000L
  private lazy val compiled = CoreBench.compile(CoreBench.config.copy(name = "debug", debug = DebugTransport.Tap))

  private def bench(name: String, program: String, seeds: Range = 1 to 2)(body: (CoreBench, Debugger) => Unit): Unit = {
    val code = Program.assemble(program.stripMargin)
    for (seed <- seeds) compiled.doSim(name, seed) { dut =>
      dut.clockDomain.forkStimulus(10)
      val b = new CoreBench(dut, CoreBench.config, seed)
      b.load(code)
      body(b, new Debugger(new JtagPins(dut.io.jtag)))
    }
  }

  /** Joins `instructions`, one per line, into a program at `base`. */
  private def lines(instructions: String*): String = instructions.mkString("", "\n", "\n")
  private def at(line: Int): Long = base + 4 * line

  test("identification, halt, registers, memory, resume") {
    bench("halt",
      """  li s0, 0x40100000
        |  li a0, 0
        |1: addi a0, a0, 1
        |  sw a0, 0(s0)
        |  lw a1, 4(s0)
        |  beqz a1, 1b
        |  put a1
        |  exit""") { (b, d) =>
      assert(d.connect() == DebugTransport.IdCode)
      assert((d.read(Debugger.DmStatus) & 0xf) == 2, "version 0.13")
      assert(d.status(Debugger.AllRunning) && d.status(Debugger.AllHaveReset))
      b.domain.waitSampling(500)
      d.halt()
      assert(!d.status(Debugger.AllRunning) && d.cause == Cause.HaltRequest)
      assert(d.register(8) == 0x40100000L && d.register(0) == 0)
      val before = d.register(10)
      assert(before > 0 && Set(before, before - 1)(d.load(0x40100000L).getOrElse(-1L)))
      assert(d.csr(0x301) == (1L << 30 | Cpu.Extensions), "misa")
      d.register(10, 1000000)
      b.domain.waitSampling(1000)
      assert(d.register(10) == 1000000, "a halted core stands still")
      d.resume()
      b.domain.waitSampling(500)
      d.halt()
      assert(d.register(10) > 1000000)
      d.store(0x40100004L, 0xfedcba98L)
      assert(d.load(0x40100004L) == Right(0xfedcba98L))
      d.resume()
      b.run(10000)
      assert(b.received == Seq(0xfedcba98L))
    }
  }

  test("steps: branches, misses, traps; each instruction once") {
    val program = lines(
      "  auipc t0, 0", // 0
      "  addi t0, t0, 56", // the handler, line 14
      "  csrw mtvec, t0",
      "  lui s0, 0x40100",
      "  lw a0, 0(s0)", // 4: misses
      "  sw a0, 64(s0)",
      "  lw a1, 64(s0)",
      "  addi a2, x0, 2",
      "1: addi a2, a2, -1", // 8
      "  bnez a2, 1b",
      "  ecall", // 10
      "  .word 0xffffffff",
      "  lw a3, 1(s0)", // misaligned
      "  j done",
      "  csrr t1, mepc", // 14: the handler
      "  addi t1, t1, 4",
      "  csrw mepc, t1",
      "  addi a4, a4, 1",
      "  mret",
      "done: li t6, EXIT", // 19
      "  sw x0, 4(t6)", // li EXIT is lui, addi
      "  j done")
    val handler = Seq(14, 15, 16, 17, 18)
    val expected =
      (0 to 9) ++ Seq(8, 9) ++ Seq(10) ++ handler ++ Seq(11) ++ handler ++ Seq(12) ++ handler ++ Seq(13, 19, 20)
    bench("steps", program, seeds = 1 to (if (Rounds.full) 2 else 1)) { (b, d) =>
      d.connect()
      d.reset(haltAfter = true)
      d.register(14, 0)
      for ((line, i) <- expected.zipWithIndex) {
        assert(d.pc == at(line), s"step $i: at ${(d.pc - base) / 4}, not at $line")
        d.step()
        assert(d.cause == Cause.Step)
      }
      assert(d.register(14) == 3 && d.csr(0x342) == 4, "three traps, the last for the misaligned load")
    }
  }

  test("breakpoints in hardware and software, also on instructions that trap") {
    val program = lines(
      "  auipc t0, 0", // 0
      "  addi t0, t0, 40",
      "  csrw mtvec, t0",
      "  addi s1, x0, 0",
      "1: addi s1, s1, 1", // 4
      "  ecall",
      "  .word 0xffffffff",
      "  addi s2, s1, 0",
      "  ebreak", // 8
      "  j 1b",
      "  csrr t1, mepc", // 10: the handler
      "  addi t1, t1, 4",
      "  csrw mepc, t1",
      "  addi a4, a4, 1",
      "  mret")
    bench("breakpoints", program) { (b, d) =>
      d.connect()
      d.reset(haltAfter = true)
      assert(d.pc == base)
      d.register(14, 0)
      for (line <- Seq(5, 6)) {
        assert(d.breakAt(0, at(line)) && d.breakAt(1, at(4)) && !d.breakAt(2, 0))
        d.control()
        d.pc = base
        d.resume()
        d.awaitHalt()
        assert((d.pc, d.cause, d.register(9)) == (at(4), Cause.Trigger, 0))
        d.clear(1)
        d.resume()
        d.awaitHalt()
        assert((d.pc, d.cause, d.register(9)) == (at(line), Cause.Trigger, 1), s"line $line")
        assert(d.register(14) == (if (line == 5) 0 else 1), "traps before it, and no more")
        d.clear(0)
        d.register(14, 0)
        d.register(9, 0)
      }
      d.resume()
      d.awaitHalt()
      assert((d.pc, d.cause, d.register(14)) == (at(8), Cause.Ebreak, 1))
      d.control(breakpoints = false) // now `ebreak` belongs to the program
      d.breakAt(0, at(9))
      d.resume()
      d.awaitHalt()
      assert((d.pc, d.register(14), d.csr(0x342)) == (at(9), 2, 3))
      // A watchpoint is refused, and reads back as refused.
      d.csr(DebugTriggers.Data1, Debugger.Breakpoint & ~4L | 1)
      assert(d.csr(DebugTriggers.Data1) == 2L << 28)
    }
  }

  test("the debugger's faults are the debugger's; its registers are nobody else's") {
    bench("faults",
      """  la t0, handler
        |  csrw mtvec, t0
        |  li t1, 0x28001044      # what would arm a trigger
        |  csrw 0x7a1, t1
        |  csrr a0, 0x7a1
        |  put a0
        |  li s0, 0x40100000
        |1: lw a0, 0(s0)
        |  beqz a0, 1b
        |  csrr a0, 0x7b0
        |  csrw 0x7b1, x0
        |  csrr a0, 0x7b4
        |  put s11
        |  exit
        |.align 2
        |handler:
        |  csrr t1, mcause
        |  addi t1, t1, -2
        |  bnez t1, 2f
        |  addi s11, s11, 1
        |2: csrr t1, mepc
        |  addi t1, t1, 4
        |  csrw mepc, t1
        |  mret""") { (b, d) =>
      d.connect()
      d.reset(haltAfter = true)
      d.register(27, 0)
      d.resume()
      b.domain.waitSampling(300)
      d.halt()
      val mepc = d.csr(0x341)
      assert(d.load(0x30000000L) == Left(Debugger.Exception), "a bus error")
      assert(d.load(0x40100001L) == Left(Debugger.Exception), "misaligned")
      assert(d.execute(0xffffffffL) == Debugger.Exception, "illegal")
      assert(d.execute(0x00000073L) == Debugger.Exception, "ecall")
      assert(d.csr(0x341) == mepc && d.load(0x40100000L) == Right(0L))
      assert(d.halted)
      d.store(0x40100000L, 1)
      d.resume()
      b.run(20000)
      assert(b.received.takeRight(2) == Seq(0x20000000L, 3L))
    }
  }

  test("a loop of traps, and WFI, can be halted") {
    for ((name, vector) <- Seq("illegal" -> "trap", "unfetchable" -> "0x30000000")) bench(s"loop_$name",
      s"""  li t0, $vector
         |  la t1, trap
         |  ${if (name == "illegal") "mv t0, t1" else "nop"}
         |  csrw mtvec, t0
         |.align 2
         |trap: .word 0xffffffff""".replace("li t0, trap", "nop"), seeds = 1 to 1) { (b, d) =>
      d.connect()
      b.domain.waitSampling(500)
      d.halt()
      assert(d.cause == Cause.HaltRequest)
      d.step()
      assert(d.cause == Cause.Step)
      d.resume()
      d.halt()
    }
    bench("wfi", "  wfi\n  put x0\n1: wfi\n  j 1b", seeds = 1 to 1) { (b, d) =>
      d.connect()
      b.domain.waitSampling(200)
      d.halt()
      d.step()
      d.resume()
      b.domain.waitSampling(500)
      d.halt()
    }
  }

  test("reset reaches the core alone") {
    bench("reset",
      s"""  li s0, 0x40100000
         |  lw a0, 0(s0)
         |  addi a0, a0, 1
         |  sw a0, 0(s0)
         |  submit a1, ${Operation.Copy.code}
         |  put a1
         |1: j 1b""") { (b, d) =>
      d.connect()
      for (round <- 1 to 3) {
        d.reset(haltAfter = round != 2)
        if (round != 2) {
          assert(d.pc == base && d.cause == Cause.HaltRequest)
          d.resume()
        }
        b.domain.waitSampling(3000)
      }
      d.halt()
      assert(b.received.count(_ == 0) >= 3 && b.received.forall(_ < 8), "tags came back")
      assert(d.load(0x40100000L).exists(_ >= 3), "memory stayed")
    }
  }

  test("a storm of halts, steps and breakpoints: every command once, none to be retried") {
    val count = Rounds(250)
    val program =
      "  li s10, 0\n" + Program.countedCommands(
        """2: stage 0, s1, s2
          |  stage 1, s2, s1
          |  stage 2, s1, s2""".stripMargin, count, end = "  put s10")
    val seeds = 1 to (if (Rounds.full) 3 else 2)
    var allStops, allSteps = 0
    bench("storm", program, seeds) { (b, d) =>
      for (unit <- b.units) unit.latency = () => if (b.random.nextInt(8) == 0) 2000 else b.random.nextInt(60)
      d.connect()
      var stops = 0
      var steps = 0
      while (!b.finished) {
        b.domain.waitSampling(b.random.nextInt(100))
        b.random.nextInt(3) match {
          case 0 => d.halt()
          case 1 =>
            d.halt()
            if (!b.finished) for (_ <- 0 to b.random.nextInt(12)) { d.step(); steps += 1 }
          case 2 =>
            d.halt()
            d.breakAt(0, base + 4 * b.random.nextInt(24))
            d.resume()
            b.domain.waitSampling(200)
            d.halt()
            d.clear(0)
        }
        if (b.random.nextBoolean()) assert(d.load(0x40100000L + b.random.nextInt(64) * 256) == Right(0L))
        d.resume()
        stops += 1
        assert(stops < 2000, "the program does not get on")
      }
      assert(b.received == Seq(0L), "words: retries")
      assert(b.seen.map(_.arguments) == (0L until count).map(i => Seq(i, i + 1, i + 1, i, i, i + 1, i, i + 1)))
      allStops += stops
      allSteps += steps
    }
    // A single seed may produce few stops or few steps.
    assert(allStops > count * seeds.size / 12 && allSteps > count * seeds.size / 5, s"$allStops stops, $allSteps steps")
  }
}
