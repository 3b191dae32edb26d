package heapwire.protobuf.engine.memory

import heapwire.{Models, Rounds}
import heapwire.memory._
import heapwire.protobuf.EngineParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class WriteBufferTest extends AnyFunSuite {
  private val base = 0x40000000L
  private val size = 1 << 15

  private class Bench(dut: WriteBuffer, val random: Random, stall: Double, latency: Range) {
    val memory = new SimBytes(base, size)
    val expected = new Array[Byte](size)
    val clock = dut.clockDomain
    clock.forkStimulus(10)
    val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency)
    var cycle = 0L
    var errors = 0
    /** Flushes come at random times. */
    var restless = false
    dut.io.write.valid #= false
    dut.io.flush #= false
    dut.io.drop #= false
    clock.onSamplings {
      cycle += 1
      if (restless) dut.io.flush #= random.nextInt(12) == 0
      if (dut.io.error.toBoolean) errors += 1
      if (dut.io.error.toBoolean && dut.io.idle.toBoolean) simFailure("a pulse while idle")
    }
    clock.waitSampling(8)

    def write(address: Long, data: BigInt, mask: Int): Unit = {
      dut.io.write.valid #= true
      dut.io.write.address #= address + random.nextInt(8)
      dut.io.write.data #= data
      dut.io.write.mask #= mask
      var cycles = 0
      clock.waitSampling()
      while (!dut.io.write.ready.toBoolean) {
        clock.waitSampling()
        cycles += 1
        if (cycles > 5000) simFailure("a write is not taken")
      }
      dut.io.write.valid #= false
      val wanted = (0 until 8).filter(i => (mask >> i & 1) == 1)
      for (i <- wanted if memory.holds(address + i, 1))
        expected((address - base).toInt + i) = (data >> (8 * i)).toByte
    }
    def random64: BigInt = BigInt(64, random)
    def randomMask: Int = random.nextInt(4) match {
      case 0 => 0xff
      case 1 => Seq(0x0f, 0xf0)(random.nextInt(2))
      case 2 => 1 << random.nextInt(8)
      case _ => random.nextInt(256)
    }
    def settle(): Unit = {
      restless = false
      dut.io.flush #= true
      clock.waitSampling(2)
      if (clock.waitSamplingWhere(20000)(dut.io.idle.toBoolean)) simFailure("it does not drain")
      dut.io.flush #= false
    }
    def check(): Unit = {
      for (i <- 0 until size) assert(memory.bytes(i) == expected(i), f"at ${base + i}%x")
    }
  }

  private val models = new Models[(Int, Int), WriteBuffer]({ case (width, blocks) =>
    WriteBuffer(MemoryParameter(dataWidth = width), blocks)
  })

  for ((width, blocks) <- Seq((32, 4), (64, 4), (128, 4), (64, 8), (128, 16))) {
    test(
      s"width $width, $blocks blocks: scattered, repeated and streaming writes reach memory, in order a byte") {
      models((width, blocks)).doSim(seed = 1) { dut =>
        val bench = new Bench(dut, new Random(width + blocks), stall = 0.4, latency = 1 to 60)
        import bench._
        for (round <- 0 until Rounds(150)) {
          val span = Seq(64, 512, 4096, 0x7000)(round % 4)
          val pauses = random.nextBoolean()
          restless = random.nextInt(4) == 0
          random.nextInt(3) match {
            case 0 =>
              val start = base + random.nextInt(0x6000) / 8 * 8
              for (i <- 0 until 40) write(start + 8 * i, random64, if (random.nextInt(50) == 0) randomMask else 0xff)
            case 1 => // several streams in turn, in halves
              val starts = Seq.fill(1 + random.nextInt(6))(base + random.nextInt(0x6000) / 8 * 8)
              for (i <- 0 until 20; start <- starts; half <- Seq(0x0f, 0xf0)) write(start + 8 * i, random64, half)
            case _ => for (_ <- 0 until 60) {
                write(base + random.nextInt(span) / 8 * 8, random64, randomMask)
                if (pauses && random.nextInt(4) == 0) clock.waitSampling(random.nextInt(6))
              }
          }
          settle()
          check()
        }
        assert(errors == 0)
      }
    }
  }

  /** Returns the cycles per granule of a long run. The bus adds only the latency of the acknowledgement. */
  private def rate(width: Int, blocks: Int, latency: Int): Double = {
    var each = 0.0
    models((width, blocks)).doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(5), stall = 0, latency = latency to latency)
      import bench._
      val start = cycle
      for (i <- 0 until 2048) write(base + 8 * i, random64, 0xff)
      each = (cycle - start) / 2048.0
      settle()
      check()
      assert(port.log.size == 256)
    }
    each
  }
  for (width <- Seq(64, 128)) test(s"width $width: a long run has 8 bytes a cycle") {
    for (blocks <- Seq(4, 8, 16); latency <- Seq(20, 30)) {
      val each = rate(width, blocks, latency)
      info(f"$blocks blocks, acknowledged after $latency cycles: ${8 / each}%.2f bytes a cycle")
      assert(each < 1.05)
    }
  }

  private def plain = models((64, EngineParameter().writeBlocks))

  test("a block that is merged from pieces leaves full and by itself; one with a hole does not") {
    plain.doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(6), stall = 0, latency = 5 to 5)
      import bench._
      var full = Seq[Boolean]()
      clock.onSamplings {
        val a = dut.io.bus.a
        if (a.valid.toBoolean && a.ready.toBoolean) full :+= a.opcode.toEnum ==
          spinal.lib.bus.tilelink.Opcode.A.PUT_FULL_DATA
      }
      for (mask <- Seq(0x07, 0xf8); i <- 7 to 0 by -1) write(base + 8 * i, random64, mask)
      clock.waitSampling(40)
      assert(port.log.size == 1 && full == Seq.fill(8)(true) && dut.io.idle.toBoolean)
      for (i <- 0 until 8) write(base + 64 + 8 * i, random64, if (i == 5) 0xfb else 0xff)
      clock.waitSampling(40)
      assert(port.log.size == 1 && !dut.io.idle.toBoolean)
      settle()
      assert(port.log.size == 2 && full.drop(8) == Seq.fill(8)(false))
      // The last write and the flush at the same time.
      for (i <- 0 until 8) write(base + 128 + 8 * i, random64, 0xff)
      settle()
      assert(port.log.size == 3 && full.drop(16) == Seq.fill(8)(true))
      write(base + 256, 0, 0)
      settle()
      assert(port.log.size == 3)
      check()
    }
  }

  test("denied puts are errors, dropped writes are gone, a reset forgets everything") {
    plain.doSim(seed = 4) { dut =>
      val bench = new Bench(dut, new Random(7), stall = 0.2, latency = 5 to 30)
      import bench._
      for (i <- 0 until 5) write(0x1000 + 64 * i, 7, 0xff)
      settle()
      assert(errors == 5)
      for (round <- 0 until Rounds(200)) {
        val reset = round % 4 == 0
        for (_ <- 0 until 30) {
          write(base + random.nextInt(2048) / 8 * 8, random64, randomMask)
          if (random.nextInt(3) == 0) clock.waitSampling(random.nextInt(8))
        }
        if (reset) {
          clock.assertReset()
          sleep(35)
          port.reset()
          clock.deassertReset()
        } else {
          dut.io.drop #= true
          for (_ <- 0 until random.nextInt(5)) write(base + random.nextInt(2048) / 8 * 8, random64, randomMask)
          clock.waitSampling(1 + random.nextInt(3))
          dut.io.drop #= false
          if (clock.waitSamplingWhere(2000)(dut.io.idle.toBoolean)) simFailure("it does not come to rest")
        }
        // What had not been sent is gone, and nothing of it comes later.
        clock.waitSampling(3)
        assert(dut.io.idle.toBoolean)
        memory.bytes.copyToArray(expected)
        val before = port.log.size
        settle()
        assert(port.log.size == before)
        write(base + 8 * round, random64, 0x3c)
        settle()
        check()
      }
    }
  }
}
