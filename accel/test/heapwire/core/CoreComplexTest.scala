package heapwire.core

import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

/** The core on memories with random latency: programs, traps, atomics, coherence. */
class CoreComplexTest extends AnyFunSuite {
  private def bench(name: String, program: String, seeds: Range = 1 to 3, limit: Int = 100000)(
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

  private val arithmetic =
    """  li a0, 0
      |  li a1, 100
      |1: mul a2, a1, a1
      |  add a0, a0, a2
      |  addi a1, a1, -1
      |  bnez a1, 1b
      |  put a0
      |  li s0, 0x40100000
      |  li a1, 64
      |2: sw a1, 0(s0)
      |  addi s0, s0, 4
      |  addi a1, a1, -1
      |  bnez a1, 2b
      |  li s0, 0x40100000
      |  li a0, 0
      |  li a1, 64
      |3: lw a2, 0(s0)
      |  add a0, a0, a2
      |  addi s0, s0, 4
      |  addi a1, a1, -1
      |  bnez a1, 3b
      |  put a0
      |  exit"""

  test("arithmetic, loops, loads and stores") {
    bench("arithmetic", arithmetic)(_ => ())(b => assert(b.received == Seq(338350L, 2080L)))
  }

  test("reset at any time") {
    val code = Program.assemble(arithmetic.stripMargin)
    CoreBench.compiled.doSim("reset", 1) { dut =>
      dut.clockDomain.forkStimulus(10)
      val b = new CoreBench(dut, CoreBench.config, 1)
      b.load(code)
      for (_ <- 0 until 25) {
        dut.clockDomain.waitSampling(1 + b.random.nextInt(1500))
        b.reset()
      }
      b.run(100000)
      assert(b.received == Seq(338350L, 2080L))
    }
  }

  test("bytes and halves that share a word with other stores") {
    bench("bytes",
      """  li s0, 0x40100000
        |  li s1, 300
        |  li s2, 0
        |  li a0, 1
        |1: # a pseudo-random walk of byte, half and word stores, read back at once and summed
        |  li t0, 1103515245
        |  mul a0, a0, t0
        |  li t0, 12345
        |  add a0, a0, t0
        |  srli t1, a0, 16
        |  andi t2, t1, 0x7c
        |  add t2, t2, s0
        |  sw a0, 0(t2)
        |  sb s1, 1(t2)
        |  sh s1, 66(t2)
        |  lw t3, 0(t2)
        |  add s2, s2, t3
        |  lbu t3, 3(t2)
        |  add s2, s2, t3
        |  lh t3, 64(t2)
        |  add s2, s2, t3
        |  lw t3, 64(t2)
        |  xor s2, s2, t3
        |  addi s1, s1, -1
        |  bnez s1, 1b
        |  put s2
        |  exit""") { b => for (i <- 0 until 256 by 4) b.bytes.setWord(0x40100000L + i, 0) } { b =>
      // The same computation in Scala.
      val memory = new Bytes
      var a0, s2 = 0
      a0 = 1
      for (s1 <- 300 to 1 by -1) {
        a0 = a0 * 1103515245 + 12345
        val t2 = (a0 >>> 16) & 0x7c
        memory.setWord(t2, a0 & 0xffffffffL)
        memory(t2 + 1) = s1.toByte
        memory(t2 + 66) = s1.toByte
        memory(t2 + 67) = (s1 >> 8).toByte
        s2 += memory.word(t2).toInt
        s2 += memory(t2 + 3) & 0xff
        s2 += memory.word(t2 + 64).toShort
        s2 ^= memory.word(t2 + 64).toInt
      }
      assert(b.received == Seq(s2 & 0xffffffffL))
      for (i <- 0 until 256 by 4) assert(b.bytes.word(0x40100000L + i) == memory.word(i), s"word $i")
    }
  }

  test("exceptions: illegal, misaligned, bus errors, ecall") {
    bench("exceptions",
      """  la t0, handler
        |  csrw mtvec, t0
        |  .word 0xffffffff
        |  li t1, 0x40100001
        |  lw t2, 0(t1)
        |  li t1, 0x40100002
        |  sw t2, 0(t1)
        |  li t1, 0x30000000      # a cached line that does not exist
        |  lw t2, 0(t1)
        |  li t1, 0xf0001000      # an uncached word that does not exist
        |  lw t2, 0(t1)
        |  ecall
        |  la ra, 1f
        |  li t1, 0x30000000
        |  jr t1                  # instructions that do not exist
        |1: li a0, 0x600d
        |  put a0
        |  exit
        |.align 2
        |handler:
        |  csrr a0, mcause
        |  put a0
        |  csrr a1, mepc
        |  addi a1, a1, 4
        |  addi a2, a0, -1
        |  bnez a2, 2f
        |  mv a1, ra
        |2: csrw mepc, a1
        |  mret""")(_ => ())(b => assert(b.received == Seq(2L, 4L, 6L, 5L, 5L, 11L, 1L, 0x600dL)))
  }

  test("fence.i: code that was just written runs") {
    bench("fence_i",
      """  li s0, 0x40100000
        |  li s1, 40
        |  li s2, 0
        |  li a2, 0x00008067      # ret
        |1: slli a0, s1, 20       # addi a0, x0, s1
        |  ori a0, a0, 0x513 & 0x7ff
        |  sw a0, 0(s0)
        |  sw a2, 4(s0)
        |  fence.i
        |  jalr s0
        |  add s2, s2, a0
        |  addi s1, s1, -1
        |  bnez s1, 1b
        |  put s2
        |  # and in a straight line, right behind the fence
        |  la s0, 2f
        |  li a0, 0x00700513      # addi a0, x0, 7
        |  sw a0, 0(s0)
        |  fence.i
        |2: addi a0, x0, 1
        |  put a0
        |  exit""")(_ => ())(b => assert(b.received == Seq(820L, 7L)))
  }

  test("atomics: AMO results, SC success and failure") {
    bench("atomics",
      """  li s0, 0x40100000
        |  li a0, 5
        |  sw a0, 0(s0)
        |  li a1, 7
        |  amoadd.w a2, a1, (s0)
        |  put a2
        |  amoswap.w a2, a0, (s0)
        |  put a2
        |  amoxor.w a2, a1, (s0)
        |  put a2
        |  li a1, -1
        |  amomaxu.w a2, a1, (s0)
        |  put a2
        |  lw a2, 0(s0)
        |  put a2
        |1: lr.w a3, (s0)
        |  addi a3, a3, 2
        |  sc.w a4, a3, (s0)
        |  bnez a4, 1b
        |  lw a2, 0(s0)
        |  put a2
        |  sc.w a4, a3, (s0)      # no reservation any more
        |  put a4
        |  lr.w a3, (s0)
        |  addi s1, s0, 64
        |  sc.w a4, a3, (s1)      # another block
        |  put a4
        |  exit""")(_ => ())(b => assert(b.received == Seq(5L, 12L, 5L, 2L, 0xffffffffL, 1L, 1L, 1L)))
  }

  test("a unit's write breaks the reservation") {
    bench("reservation",
      """  li s0, 0x40100000
        |  lr.w a3, (s0)
        |  li t6, PUT
        |  sw x0, 0(t6)
        |  lw t0, 8(t6)           # by the time this answers, the test has broken it
        |  li t1, 100
        |1: addi t1, t1, -1
        |  bnez t1, 1b
        |  sc.w a4, a3, (s0)
        |  put a4
        |  lr.w a3, (s0)
        |  sc.w a4, a3, (s0)
        |  put a4
        |  exit""") { b =>
      fork {
        waitUntil(b.received.nonEmpty)
        // First another block, which must not matter; then the reserved one.
        b.breakReservation(0x40100040L)
        b.breakReservation(0x40100010L)
      }
    }(b => assert(b.received == Seq(0L, 1L, 0L)))
  }

  test("SC fails while it is refused, and AMO tries again") {
    bench("refused",
      """  li s0, 0x40100000
        |  lr.w a3, (s0)
        |  put x0
        |  li t1, 100
        |1: addi t1, t1, -1
        |  bnez t1, 1b
        |  sc.w a4, a3, (s0)
        |  put a4
        |  li a0, 3
        |  amoadd.w a4, a0, (s0)
        |  lw a4, 0(s0)
        |  put a4
        |  exit""") { b =>
      fork {
        waitUntil(b.received.nonEmpty)
        b.memory.refusing = true
        waitUntil(b.received.size == 2)
        b.domain.waitSampling(300)
        b.memory.refusing = false
      }
    }(b => assert(b.received == Seq(0L, 1L, 3L)))
  }

  /** Repeatedly reads a line, has a unit change it, and reads it again. */
  private val coherence =
    """  li s0, 0x40100000
      |  li s1, 60
      |1: lw a1, 0(s0)
      |  lw a1, 32(s0)
      |  li a2, 0x40100000
      |  submit a0, 0, a2, s1
      |2: hwait a3, a0
      |  bltz a3, 2b
      |  release a4, a0
      |  lw a1, 0(s0)
      |  put a1
      |  lw a1, 32(s0)
      |  put a1
      |  addi s1, s1, -1
      |  bnez s1, 1b
      |  exit"""

  private def coherent(name: String, snoop: Boolean)(check: CoreBench => Unit): Unit =
    bench(name, coherence) { b =>
      for (unit <- b.units) {
        unit.latency = () => b.random.nextInt(20)
        unit.asynchronous = true
        unit.act = command => {
          val address = command.arguments(6)
          b.bytes.setWord(address, command.arguments(7))
          b.bytes.setWord(address + 32, command.arguments(7) + 1000)
          if (snoop) b.invalidate(address) { unit.finish(0, Nil) }
          else unit.finish(0, Nil)
          (0, Nil)
        }
      }
    }(check)

  private val fresh = (60 to 1 by -1).flatMap(i => Seq(i.toLong, i + 1000L))

  test("loads after wait see what a unit wrote") {
    coherent("coherent", snoop = true)(b => assert(b.received == fresh))
  }

  test("without invalidation they do not") {
    coherent("incoherent", snoop = false)(b => assert(b.received != fresh))
  }

  test("invalidations during refills never leave a stale line") {
    // The test changes a word and invalidates its block repeatedly while the core reads it: values may repeat, but must
    // never go back.
    bench("refills",
      """  li s0, 0x40100000
        |  li s1, 400
        |  li a0, 0
        |  li a2, 0
        |1: lw a1, 0(s0)
        |  lw a3, 1024(s0)        # evicts it
        |  bltu a1, a0, 3f
        |  mv a0, a1
        |  addi s1, s1, -1
        |  bnez s1, 1b
        |2: lw a1, 0(s0)
        |  li t0, 300
        |  bltu a1, t0, 2b        # and in the end the last value arrives
        |  put a1
        |  exit
        |3: li a1, 0xbad
        |  put a1
        |  exit""") { b =>
      fork {
        for (i <- 1 to 300) {
          b.domain.waitSampling(1 + b.random.nextInt(40))
          b.bytes.setWord(0x40100000L, i)
          var done = false
          b.invalidate(0x40100000L) { done = true }
          waitUntil(done)
        }
      }
    }(b => assert(b.received == Seq(300L)))
  }
}
