package heapwire.copy

import heapwire.isa.{Operation, Status}
import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

class CopyUnitTest extends AnyFunSuite {
  private val base = 0x40000000L
  private def compile(width: Int, snoop: Boolean = true) = SimConfig.withConfig(spinal.core.SpinalConfig(defaultConfigForClockDomains =
    spinal.core.ClockDomainConfig(resetKind = spinal.core.SYNC))).compile(CopySystem(MemoryParameter(width), LiteDramParameter(), snoop))
  private lazy val wide = compile(128)
  private lazy val narrow = compile(64)

  private def randomCopies(system: => SimCompiled[CopySystem], seed: Int, stall: Double): Unit = system.doSim(seed) { dut =>
    val random = new Random(seed)
    val bench = new CopyBench(dut, stall, 4 + random.nextInt(20), random)
    for (round <- 0 until 25) {
      val length = random.nextInt(4) match { case 0 => random.nextInt(4); case 1 => random.nextInt(40); case _ => random.nextInt(700) }
      val source = base + random.nextInt(2000)
      val destination = base + 8192 + random.nextInt(2000)
      val data = Array.fill(length)(random.nextInt().toByte)
      for (i <- 0 until length) bench.memory.poke(source + i, data(i))
      // Fresh addresses a round: what the shared cache holds of older ones is not memory's.
      val shift = round * 16384L
      for (i <- 0 until length) bench.memory.poke(source + shift + i, data(i))
      val before = (0 until 8).map(i => bench.memory.peek(destination + shift - 8 + i))
      val after = (0 until 8).map(i => bench.memory.peek(destination + shift + length + i))
      bench.invalidated.clear()
      val outcome = bench.run(Operation.Copy, source + shift, destination + shift, length)
      assert(outcome.status == Status.Ok.code && outcome.results.head == length)
      val got = bench.coreBytes(destination + shift - 8, length + 16)
      assert(got == before ++ data ++ after, s"round $round: $length bytes from ${source.toHexString} to ${destination.toHexString}")
      if (length > 0) {
        val blocks = ((destination + shift) / 64 * 64 until destination + shift + length by 64).toSet
        assert(bench.invalidated.toSet == blocks, "the blocks invalidated are those written")
      }
    }
  }

  for (stall <- Seq(0.0, 0.5); seed <- 1 to 2)
    test(s"random copies, 128 bit, stall $stall, seed $seed") { randomCopies(wide, seed, stall) }
  test("random copies, 64 bit") { randomCopies(narrow, 3, 0.3) }
  test("random copies, 32 bit") { randomCopies(compile(32), 4, 0.3) }

  test("fill, and a range that ends at the last byte") {
    wide.doSim(5) { dut =>
      val bench = new CopyBench(dut, 0.2, 8, new Random(5))
      val end = base + (256L << 20)
      assert(bench.run(Operation.Fill, 0xa5, end - 37, 37).status == Status.Ok.code)
      assert(bench.coreBytes(end - 37, 37).forall(_ == 0xa5.toByte))
    }
  }

  test("outside main memory: a bus fault, nothing written, the unit lives on") {
    wide.doSim(6) { dut =>
      val bench = new CopyBench(dut, 0.2, 8, new Random(6))
      assert(bench.run(Operation.Copy, 0x10, base, 100).status == Status.BusFault.code)
      assert(bench.run(Operation.Copy, base, base + (256L << 20) - 10, 100).status == Status.BusFault.code)
      assert(bench.run(Operation.Copy, base, 0xffffffc0L, 0x100).status == Status.OutOfBounds.code)
      // A list, or a count of words, that runs over the end of the address space.
      assert(bench.run(Operation.Gather, 0xfffffff0L, base, 8, 0, base, base + 0x1000).status == Status.OutOfBounds.code)
      assert(bench.run(Operation.Gather, base, 0, 0x10000000L, 0, base, base + 0x1000).status == Status.OutOfBounds.code)
      assert(bench.run(Operation.CompareAndSwap, base + 2, 0, 0).status == Status.BadAlignment.code)
      assert(bench.run(Operation.ProtobufDeserialize).status == Status.BadCommand.code)
      val data = Array.fill(200)(7.toByte)
      bench.memory.load(base + 0x8000, data)
      assert(bench.run(Operation.Copy, base + 0x8000, base + 0x9001, 200).status == Status.Ok.code)
      assert(bench.coreBytes(base + 0x9001, 200) == data.toSeq)
    }
  }

  private def gathers(system: => SimCompiled[CopySystem]): Unit = system.doSim(7) { dut =>
    val random = new Random(7)
    val bench = new CopyBench(dut, 0.1, 20, random)
    val count = 64
    val (list, memory, end) = (base + 0x4000, base + 0x100000, base + 0x180000)
    val addresses = Seq.fill(count)(memory + random.nextInt(0x8000) * 16L)
    for ((a, i) <- addresses.zipWithIndex; b <- 0 until 4) bench.memory.poke(list + 4 * i + b, (a >> (8 * b)).toByte)
    for (a <- addresses; b <- 0 until 16) bench.memory.poke(a + b, (a / 16 * 31 + b).toByte)
    val expected = addresses.flatMap(a => (0 until 16).map(b => (a / 16 * 31 + b).toByte))
    def gather(to: Long, inFlight: Int, lower: Long = memory, upper: Long = end) =
      bench.run(Operation.Gather, list, to, count, inFlight, lower, upper).status
    for ((inFlight, i) <- Seq(1, 8, 0).zipWithIndex) {
      val to = base + 0x20000 + 0x1000 * i
      assert(gather(to, inFlight) == Status.Ok.code)
      assert(bench.coreBytes(to, count * 16) == expected, s"$inFlight in flight")
    }
    assert(gather(base + 0x30000, 0, upper = addresses.max + 16) == Status.Ok.code)
    assert(gather(base + 0x31000, 0, upper = addresses.max + 8) == Status.OutOfBounds.code, "half of a word is outside")
    assert(gather(base + 0x32000, 0, lower = addresses.min + 16) == Status.OutOfBounds.code)
    bench.memory.poke(list + 0x100, 8)
    for (b <- 1 until 4) bench.memory.poke(list + 0x100 + b, (memory >> (8 * b)).toByte)
    assert(bench.run(Operation.Gather, list + 0x100, base + 0x33000, 1, 0, memory, end).status == Status.BadAlignment.code)
    assert(gather(base + 0x34000, 0) == Status.Ok.code, "the unit lives on")
  }
  test("gather: order, bounds, alignment, 128 bit") { gathers(wide) }
  test("gather: order, bounds, alignment, 64 bit") { gathers(narrow) }

  test("compare and swap against a core that counts") {
    wide.doSim(8) { dut =>
      val bench = new CopyBench(dut, 0.3, 8, new Random(8))
      val address = base + 0x1234
      bench.coreWrite(address, 5)
      val hit = bench.run(Operation.CompareAndSwap, address, 5, 9)
      assert(hit.status == Status.Ok.code && hit.results.head == 5)
      assert(bench.coreRead(address) == 9)
      val miss = bench.run(Operation.CompareAndSwap, address, 5, 11)
      assert(miss.results.head == 9 && bench.coreRead(address) == 9)
      val outside = bench.run(Operation.CompareAndSwap, 0x1000, 5, 11)
      assert(outside.status == Status.BusFault.code)
    }
  }

  test("reset in mid-command") {
    wide.doSim(9) { dut =>
      val bench = new CopyBench(dut, 0.3, 8, new Random(9))
      dut.io.port.command.valid #= true
      dut.io.port.command.operation #= Operation.Copy.code
      dut.io.port.command.arguments(0) #= base
      dut.io.port.command.arguments(1) #= base + 0x10000
      dut.io.port.command.arguments(2) #= 5000
      dut.clockDomain.waitSamplingWhere(dut.io.port.command.ready.toBoolean)
      dut.io.port.command.valid #= false
      dut.clockDomain.waitSampling(60)
      assert(!dut.io.port.completion.valid.toBoolean)
      dut.clockDomain.assertReset()
      sleep(100) // ten cycles; nothing is sampled under reset
      dut.clockDomain.deassertReset()
      dut.clockDomain.waitSampling(5)
      assert(dut.io.port.command.ready.toBoolean && !dut.io.port.completion.valid.toBoolean && !dut.io.port.activity.busy.toBoolean)
    }
  }
}
