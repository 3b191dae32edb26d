package heapwire.core

import heapwire.isa._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

/** Programs that command units: every instruction of the front end, also under interrupts. */
class CommandTest extends AnyFunSuite {
  private val queueFull = SubmitResult.QueueFull & 0xffffffffL
  private val retry = SubmitResult.Retry & 0xffffffffL
  private val noUnit = SubmitResult.NoUnit & 0xffffffffL
  private val notComplete = WaitResult.Pending & 0xffffffffL
  private val badTag = WaitResult.BadTag & 0xffffffffL

  private def bench(name: String, program: String, seeds: Range = 1 to 2, limit: Int = 100000)(
      setup: CoreBench => Unit)(check: CoreBench => Unit): Unit = {
    val code = Program.assemble(program.stripMargin)
    for (seed <- seeds) CoreBench.compiled.doSim(name, seed) { dut =>
      dut.clockDomain.forkStimulus(10)
      val b = new CoreBench(dut, CoreBench.config, seed)
      b.load(code)
      setup(b)
      b.run(limit)
      check(b)
    }
  }

  test("arguments go in, results come out") {
    bench("arguments",
      s"""  li a0, 100
         |  li a1, 101
         |  li a2, 102
         |  li a3, 103
         |  li a4, 104
         |  li a5, 105
         |  li a6, 106
         |  li a7, 107
         |  stage 0, a0, a1
         |  stage 1, a2, a3
         |  stage 2, a4, a5
         |  submit s0, ${Operation.ProtobufDeserialize.code}, a6, a7
         |1: hwait s1, s0
         |  bltz s1, 1b
         |  put s1
         |  result a0, s0, 0
         |  put a0
         |  result a0, s0, 1
         |  put a0
         |  result a0, s0, 2
         |  put a0
         |  result a0, s0, 3
         |  put a0
         |  release a0, s0
         |  put a0
         |  exit""") { b =>
      b.units(2).act = command => (Status.Truncated.code, command.arguments.takeRight(4).map(_ * 3))
    } { b =>
      assert(b.received == Seq(Status.Truncated.code.toLong, 312L, 315L, 318L, 321L, 0L))
      assert(b.seen.map(c => (c.unit, c.operation, c.arguments)) ==
        Seq((2, Operation.ProtobufDeserialize.code, (100L to 107L))))
    }
  }

  test("bad tags, released tags, operations nobody has") {
    bench("bad_tags",
      s"""  li a0, 3
         |  hwait a1, a0          # never allocated
         |  put a1
         |  hpoll a1, a0
         |  put a1
         |  result a1, a0, 0
         |  put a1
         |  release a1, a0
         |  put a1
         |  li a0, 64             # no such tag
         |  hpoll a1, a0
         |  put a1
         |  submit a1, 0x7f
         |  put a1
         |  submit s0, ${Operation.Copy.code}
         |1: hwait a1, s0
         |  bltz a1, 1b
         |  release a1, s0
         |  put a1
         |  hpoll a1, s0          # released
         |  put a1
         |  submit s0, ${Operation.Copy.code}
         |2: hwait a1, s0
         |  bltz a1, 2b
         |  release x0, s0        # nobody waits for its answer
         |  release a1, s0
         |  release x0, s0
         |  hpoll a2, s0
         |  put a1
         |  put a2
         |  exit""")(_ => ())(b =>
      assert(b.received == Seq(badTag, badTag, badTag, badTag, badTag, noUnit, 0L, badTag, badTag, badTag)))
  }

  test("what is predicted behind a command that once was a branch is not issued") {
    // The predictor has learned that `once` jumps to 2f; then the program replaces that jump by a command.
    bench("predicted",
      s"""  li s4, 0xbad
         |  li s1, 6
         |1: call hot
         |  addi s1, s1, -1
         |  bnez s1, 1b
         |  la t0, patch
         |  lw t1, 0(t0)
         |  la t0, once
         |  sw t1, 0(t0)
         |  fence.i
         |  li a0, 1
         |  li a1, 2
         |  li s1, 3
         |1: call hot
         |  addi s1, s1, -1
         |  bnez s1, 1b
         |  exit
         |patch:
         |  stage 0, a0, a1
         |.align 5
         |hot:
         |  nop
         |  nop
         |once:
         |  j 2f
         |  stage 1, a0, a1
         |  submit s0, ${Operation.Copy.code}, a0, a1
         |  ret
         |2: stage 0, s4, s4
         |  ret""")(_ => ())(b => assert(b.seen.map(_.arguments.take(4)) == Seq.fill(3)(Seq(1L, 2L, 1L, 2L))))
  }

  test("queues fill, tags run out, and both come back") {
    // Units that take no commands: two queued commands fill the engine's queue.
    bench("full",
      s"""  submit a0, ${Operation.ProtobufDeserialize.code}
         |  put a0
         |  submit a0, ${Operation.ProtobufDeserialize.code}
         |  put a0
         |  submit a0, ${Operation.ProtobufDeserialize.code}
         |  put a0
         |  hpoll a1, x0
         |  put a1
         |  release a1, x0        # not complete: not released
         |  put a1
         |  li t5, 0xf0000008
         |  lw t0, 0(t5)          # the test now lets units work
         |  # six more commands take the other six tags
         |  li s1, 6
         |1: submit a0, ${Operation.Copy.code}
         |  bltz a0, 1b
         |  addi s1, s1, -1
         |  bnez s1, 1b
         |  # every tag is taken, whether complete or not
         |2: hwait a1, a0
         |  bltz a1, 2b
         |  submit a0, ${Operation.Copy.code}
         |  put a0
         |  li s1, 7
         |3: hwait a1, s1
         |  bltz a1, 3b
         |  release a1, s1
         |  addi s1, s1, -1
         |  bgez s1, 3b
         |  submit a0, ${Operation.Copy.code}
         |  sltiu a0, a0, 8
         |  put a0
         |  exit""") { b =>
      b.units.foreach(_.accept = false)
      fork { waitUntil(b.reads > 0); b.units.foreach(_.accept = true) }
    } { b => assert(b.received == Seq(0L, 1L, queueFull, notComplete, notComplete, queueFull, 1L)) }
  }

  test("commands of one kind run on every unit of it") {
    bench("spread",
      s"""  li s1, 40
         |1: submit a0, ${Operation.Copy.code}, s1, x0
         |  bltz a0, 3f
         |  addi s1, s1, -1
         |  bnez s1, 1b
         |3: # out of tags or queue: free whatever is complete
         |  li s2, 7
         |4: hpoll a1, s2
         |  bltz a1, 5f
         |  release a1, s2
         |5: addi s2, s2, -1
         |  bgez s2, 4b
         |  bnez s1, 1b
         |  exit""", limit = 200000)(_ => ()) { b =>
      assert(b.seen.map(_.arguments(6)).sorted == (1L to 40L))
      assert(b.seen.map(_.unit).toSet == Set(0, 1))
    }
  }

  test("submit waits for the core's stores") {
    bench("drained",
      s"""  li s0, 0x40100000
         |  li s1, 1
         |1: mv t0, s0
         |  li t1, 24
         |2: sw s1, 0(t0)          # 24 words over two blocks, and one far away
         |  addi t0, t0, 4
         |  addi t1, t1, -1
         |  bnez t1, 2b
         |  sb s1, 1024(s0)
         |  submit a0, ${Operation.Copy.code}, s0, s1
         |3: hwait a1, a0
         |  bltz a1, 3b
         |  release a1, a0
         |  addi s1, s1, 1
         |  li t1, 30
         |  bne s1, t1, 1b
         |  exit""") { b =>
      for (unit <- b.units) unit.act = command => {
        val at = command.arguments(6)
        val value = command.arguments(7)
        for (i <- 0 until 24) assert(b.bytes.word(at + 4 * i) == value, s"word $i of round $value was still on its way")
        assert(b.bytes(at + 1024) == value)
        (0, Nil)
      }
      for (unit <- b.units) unit.latency = () => 0
    } { b => assert(b.seen.map(_.arguments(7)) == (1L until 30L)) }
  }

  test("information, counters and registers") {
    bench("information",
      s"""  li t0, ${Information.Capability}
         |  info a0, t0
         |  put a0
         |  li t0, ${Information.Sizes}
         |  info a0, t0
         |  put a0
         |  li t0, 63               # nothing there
         |  info a0, t0
         |  put a0
         |  li t0, ${RuntimeRegister.TableLimit.index}
         |  li t1, 0x12345678
         |  hset t0, t1
         |  li s1, 5
         |1: submit s0, ${Operation.Fill.code}
         |2: hwait a0, s0
         |  bltz a0, 2b
         |  addi s1, s1, -1
         |  bnez s1, 1b
         |  li t0, ${Information.Completed}
         |  info a0, t0
         |  put a0
         |  li t0, ${Information.CounterBase + Information.Commands.index}
         |  info a0, t0
         |  put a0
         |  li t0, ${Information.CounterBase + Information.BusyCycles.index}
         |  info a0, t0
         |  snez a0, a0
         |  put a0
         |  li t0, ${Information.CounterBase + Information.CounterStride + Information.Commands.index}
         |  info a0, t0
         |  put a0
         |  li t0, ${Information.DramReads}
         |  info a0, t0
         |  put a0
         |  li t0, ${Information.DramWrites}
         |  info a0, t0
         |  put a0
         |  exit""") { b =>
      for (unit <- b.units) unit.onRegister = (index, value) => b.received += (1L << 40 | index.toLong << 32 | value)
      fork {
        b.domain.waitSampling(10)
        b.dram(2, 1)
        b.domain.waitSampling(5)
        b.dram(0, 1)
        b.domain.waitSampling(3)
        b.dram(0, 0)
      }
    } { b =>
      val set = 1L << 40 | RuntimeRegister.TableLimit.index.toLong << 32 | 0x12345678L
      val units = 2L << Information.CapabilityUnitsBit |
        1L << Information.CapabilityUnitsBit + Information.CapabilityUnitsWidth
      assert(b.received == Seq(Information.Version | units, 8L | 2 << 8 | 4 << 16, 0L, set, set, set, 5L, 5L, 1L, 0L,
        10L, 8L))
    }
  }

  /** Sets up interrupts, and a handler in which `body` lowers the lines. */
  private def handler(body: String) =
    s"""  la t0, handler
       |  csrw mtvec, t0
       |  li t0, 0x80000020
       |  csrw 0xbc0, t0
       |  li t0, 0x800
       |  csrw mie, t0
       |  csrw mcause, x0
       |  li sp, 0x40200000
       |  csrsi mstatus, 8
       |  j main
       |.align 2
       |handler:
       |  addi sp, sp, -64
       |  sw t0, 0(sp)
       |  sw t6, 4(sp)
       |  sw a0, 8(sp)
       |  sw a1, 12(sp)
       |$body
       |  lw t0, 0(sp)
       |  lw t6, 4(sp)
       |  lw a0, 8(sp)
       |  lw a1, 12(sp)
       |  addi sp, sp, 64
       |  mret
       |main:
       |""".stripMargin

  test("an interrupt storm: every command once, with its own arguments") {
    // The handler acknowledges, and then itself submits a command to the other kind of unit.
    val storm = handler(
      s"""  li t6, 0xf0000010
         |  sw x0, 0(t6)
         |  addi s11, s11, 1
         |1: stage 0, s11, s11
         |  stage 1, s11, s11
         |  submit a0, ${Operation.ProtobufDeserialize.code}, s11, s11
         |  li a1, ${SubmitResult.Retry}
         |  beq a0, a1, 1b
         |  bltz a0, 3f
         |2: hpoll a1, a0
         |  bltz a1, 2b
         |  release a1, a0
         |3:""") + Program.countedCommands(
      """  addi s3, s1, 2
          |2: stage 0, s1, s2
          |  stage 1, s3, s1
          |  stage 2, s2, s3""".stripMargin, count = 150, end = "  csrci mstatus, 8\n  put s11\n  put s10")
    bench("storm", s"  li s11, 0\n  li s10, 0\n$storm", seeds = 1 to 4, limit = 400000) { b =>
      b.storm(line = 5, gap = () => 1 + b.random.nextInt(if (b.random.nextInt(4) == 0) 20 else 250))
    } { b =>
      val own = b.seen.filter(_.operation == Operation.Copy.code)
      assert(own.map(_.arguments) == (0L until 150L).map(i => Seq(i, i + 1, i + 2, i, i + 1, i + 2, i, i + 1)))
      val handlers = b.seen.filter(_.operation == Operation.ProtobufDeserialize.code)
      for (command <- handlers; i <- Seq(0, 1, 2, 3, 6, 7)) assert(command.arguments(i) == command.arguments(0))
      assert(handlers.map(_.arguments.head).distinct == handlers.map(_.arguments.head),
        "a handler's command came twice")
      assert(b.received.size == 2 && b.received.head > 20, s"only ${b.received.head} interrupts were taken")
      assert(b.received(1) > 0, "no trap ever came between stage and submit")
    }
  }

  test("a trap between stage and submit makes it RETRY, once") {
    bench("retry",
      handler("  li t6, 0xf0000010\n  sw x0, 0(t6)") + s"""  stage 0, x0, x0
         |  put x0
         |1: lw t0, 8(t6)
         |  csrr t1, mcause       # 0x8000000b once the interrupt was taken
         |  bgez t1, 1b
         |  submit a0, ${Operation.Copy.code}
         |  put a0
         |  submit a0, ${Operation.Copy.code}
         |  sltiu a0, a0, 8
         |  put a0
         |  la t0, 2f             # exceptions count as well
         |  csrw mtvec, t0
         |  stage 0, x0, x0
         |  ecall
         |.align 2
         |2: submit a0, ${Operation.Copy.code}
         |  put a0
         |  exit""") { b =>
      fork { waitUntil(b.received.nonEmpty); b.raise(5) }
    }(b => assert(b.received == Seq(0L, retry, 1L, retry)))
  }

  test("wait gives way to an interrupt, and only then") {
    bench("give_way",
      handler("  li t6, 0xf0000010\n  sw x0, 0(t6)\n  addi s11, s11, 1") + s"""  li s11, 0
         |  li s10, 0
         |  submit a0, ${Operation.Copy.code}
         |  put a0
         |1: hwait a1, a0
         |  addi s10, s10, 1
         |  bltz a1, 1b
         |  put s11
         |  put s10
         |  exit""") { b =>
      for (unit <- b.units) unit.latency = () => 3000
      fork {
        waitUntil(b.received.nonEmpty)
        for (_ <- 0 until 5) {
          b.domain.waitSampling(300)
          val since = b.cycles
          b.raise(5)
          waitUntil(b.acknowledged)
          assert(b.cycles - since < 250, s"the interrupt waited ${b.cycles - since} cycles")
        }
      }
    } { b =>
      assert(b.received(1) == 5)
      assert(b.received(2) >= 6 && b.received(2) < 40, s"wait answered ${b.received(2)} times")
    }
  }

  test("completion interrupt") {
    bench("completion",
      handler(
        """  li t0, 31
        |  csrr a0, 0xfc0
        |  srl a0, a0, t0
        |  add s11, s11, a0
        |  release a0, s9""") + s"""  li s11, 0
         |  li t0, ${Information.InterruptEnableRegister}
         |  li t1, -1
         |  hset t0, t1
         |  li s9, 0
         |  submit a0, ${Operation.Copy.code}
         |1: beqz s11, 1b
         |  hpoll a1, a0           # the handler released it
         |  put a1
         |  put s11
         |  exit""")(_ => ())(b => assert(b.received == Seq(badTag, 1L)))
  }
}
