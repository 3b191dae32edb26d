package heapwire.core

import heapwire.isa.FieldInstruction._
import heapwire.isa.{Information, UnitKind}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

/** Programs of custom-1 instructions: each instruction reaches the unit once and in order, whatever interrupts. */
class FieldIssueTest extends AnyFunSuite {
  private lazy val config =
    CoreBench.config.copy(name = "fields", units = CoreBench.config.units + (UnitKind.ProtobufFields -> 1))
  private lazy val compiled = CoreBench.compile(config)
  private val notTaken = NotTaken & 0xffffffffL
  private val macros =
    """.macro seroutput rd, form, a=x0, b=x0
      |  .insn r 0x2b, 0, \form, \rd, \a, \b
      |.endm
      |.macro serfield rd, type, a, b
      |  .insn r 0x2b, 1, \type, \rd, \a, \b
      |.endm
      |.macro parfield rd, type, a, b
      |  .insn r 0x2b, 2, \type, \rd, \a, \b
      |.endm
      |.macro chksuccess rd, form, a=x0
      |  .insn r 0x2b, 3, \form, \rd, \a, x0
      |.endm
      |""".stripMargin

  private def bench(name: String, program: String, seeds: Range = 1 to 2, limit: Int = 200000)(
      setup: CoreBench => Unit)(check: CoreBench => Unit): Unit = {
    val code = Program.assemble(macros + program.stripMargin)
    for (seed <- seeds) compiled.doSim(name, seed) { dut =>
      dut.clockDomain.forkStimulus(10)
      val b = new CoreBench(dut, config, seed)
      b.load(code)
      setup(b)
      b.run(limit)
      check(b)
    }
  }

  test("operands go in, answers come out, the capability word tells") {
    bench("answers",
      s"""  li a0, 100
         |  li a1, 200
         |  seroutput a2, 3, a0, a1
         |  put a2
         |  serfield a2, 0x7f, a1, a0
         |  put a2
         |1: parfield a2, 0x45, a0, a1
         |  beq a2, a0, 1b
         |  put a2
         |2: chksuccess a2, 4, a1
         |  bltz a2, 2b
         |  put a2
         |  li t0, ${Information.Capability}
         |  info a2, t0
         |  put a2
         |  exit""")(_ => ()) { b =>
      val seen = b.fields.get.seen.map(s => (s.kind, s.function, s.rs1, s.rs2))
      assert(seen == Seq((0, 3, 100L, 200L), (1, 0x7f, 200L, 100L), (2, 0x45, 100L, 200L), (3, 4, 200L, 0L)))
      assert(b.received.take(4) == Seq(0L, 0L, 101L, 201L))
      assert((b.received(4) >> Information.unitsBit(UnitKind.ProtobufFields) & 15) == 1)
    }
  }

  test("an interrupt storm: every instruction once, in order; those that wait give way") {
    bench("storm",
      s"""  la t0, handler
         |  csrw mtvec, t0
         |  li t0, 0x80000020
         |  csrw 0xbc0, t0
         |  li t0, 0x800
         |  csrw mie, t0
         |  li sp, 0x40200000
         |  li s11, 0
         |  li s10, 0
         |  csrsi mstatus, 8
         |  j main
         |.align 2
         |handler:
         |  sw t6, -4(sp)
         |  li t6, 0xf0000010
         |  sw x0, 0(t6)
         |  addi s11, s11, 1
         |  lw t6, -4(sp)
         |  mret
         |main:
         |  li s1, 0
         |1: addi s2, s1, 1000
         |2: seroutput a0, 0, s1, s2
         |  bnez a0, 7f
         |3: serfield a0, 5, s1, s2
         |  bnez a0, 8f
         |4: parfield a0, 6, s2, s1
         |  beq a0, s2, 9f
         |  addi a0, a0, -1
         |  bne a0, s2, 6f
         |5: chksuccess a0, 1, s2
         |  bltz a0, 10f
         |  addi a0, a0, -1
         |  bne a0, s2, 6f
         |  addi s1, s1, 1
         |  li t0, 120
         |  bne s1, t0, 1b
         |  csrci mstatus, 8
         |  put s11
         |  put s10
         |  exit
         |7: addi s10, s10, 1
         |  j 2b
         |8: addi s10, s10, 1
         |  j 3b
         |9: addi s10, s10, 1
         |  j 4b
         |10: addi s10, s10, 1
         |  j 5b
         |6: li a0, 0xbad
         |  put a0
         |  exit""", seeds = 1 to 4, limit = 400000) { b =>
      b.storm(line = 5, gap = () => 1 + b.random.nextInt(if (b.random.nextInt(4) == 0) 20 else 250))
    } { b =>
      val seen = b.fields.get.seen.map(s => (s.kind, s.rs1, s.rs2))
      val expected = (0L until 120L).flatMap(i =>
        Seq((0, i, i + 1000), (1, i, i + 1000), (2, i + 1000, i), (3, i + 1000, 0L)))
      assert(seen == expected)
      assert(b.received.size == 2 && b.received(0) > 20, s"only ${b.received.head} interrupts were taken")
      assert(b.received(1) > 0, "no instruction ever gave way")
    }
  }

  test("a branch or a fault before an instruction keeps it from the unit; those that open wait for the stores") {
    bench("speculation",
      s"""  la t0, 2f
         |  csrw mtvec, t0
         |  li s0, 0x40100000
         |  li s1, 40
         |1: sw s1, 0(s0)
         |  sw s1, 64(s0)
         |  seroutput a0, 0, s0, s1
         |  bnez s1, 3f
         |  serfield a0, 1, s1, s1
         |3: addi s1, s1, -1
         |  bnez s1, 1b
         |  lw a0, 1(s0)          # misaligned: a trap
         |  serfield a0, 2, s1, s1
         |.align 2
         |2: serfield a0, 3, s1, s1
         |  exit""") { b =>
      b.fields.get.answer = _ => 0L
    } { b =>
      val seen = b.fields.get.seen
      assert(seen.map(s => (s.kind, s.function)) == Seq.fill(40)((0, 0)) :+ ((1, 3)))
    }
  }

  test("a full queue and a unit that does not settle hold nothing up that an interrupt wants") {
    bench("give_way",
      s"""  la t0, handler
         |  csrw mtvec, t0
         |  li t0, 0x80000020
         |  csrw 0xbc0, t0
         |  li t0, 0x800
         |  csrw mie, t0
         |  csrsi mstatus, 8
         |  li s11, 0
         |  put x0
         |1: serfield a0, 1, x0, x0
         |  bnez a0, 1b
         |2: serfield a0, 2, x0, x0
         |  bnez a0, 2b
         |  put s11
         |  exit
         |.align 2
         |handler:
         |  li t6, 0xf0000010
         |  sw x0, 0(t6)
         |  addi s11, s11, 1
         |  mret""") { b =>
      var open = false
      b.fields.get.accept = () => open
      fork {
        waitUntil(b.received.nonEmpty)
        for (_ <- 0 until 5) {
          b.domain.waitSampling(300)
          val since = b.cycles
          b.raise(5)
          waitUntil(b.acknowledged)
          assert(b.cycles - since < 250, s"the interrupt waited ${b.cycles - since} cycles")
        }
        open = true
      }
    } { b =>
      assert(b.received.last == 5)
      assert(b.fields.get.seen.map(_.function) == Seq(1, 2))
    }
  }
}
