package heapwire.copy

import heapwire.Rounds
import heapwire.isa.{Operation, Status}
import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

class CopyUnitTest extends AnyFunSuite {
  private val base = 0x40000000L
  private def compile(
      width: Int, snoop: Boolean = true) = SimConfig.withConfig(spinal.core.SpinalConfig(defaultConfigForClockDomains =
      spinal.core.ClockDomainConfig(resetKind = spinal.core.SYNC))).compile(CopySystem(MemoryParameter(width),
      LiteDramParameter(), snoop))
  private lazy val wide = compile(128)
  private lazy val narrow = compile(64)
  private lazy val narrowest = compile(32)
  /** Returns n if one of n pairs of offsets is to be tested. */
  private def pairs(width: Int) = if (Rounds.full) 1 else if (width == 128) 4 else 8
  private def system(width: Int) = width match { case 128 => wide; case 64 => narrow; case _ => narrowest }

  private def randomCopies(
      system: => SimCompiled[CopySystem], seed: Int, stall: Double): Unit = system.doSim(seed) { dut =>
    val random = new Random(seed)
    val bench = new CopyBench(dut, stall, 4 + random.nextInt(20), random)
    for (round <- 0 until 25) {
      val length = random.nextInt(4) match {
        case 0 => random.nextInt(4); case 1 => random.nextInt(40); case _ => random.nextInt(700)
      }
      val source = base + random.nextInt(2000)
      val destination = base + 8192 + random.nextInt(2000)
      val data = Array.fill(length)(random.nextInt().toByte)
      for (i <- 0 until length) bench.memory.poke(source + i, data(i))
      // Each round uses new addresses, because the shared cache may hold older content than memory's for the old ones.
      val shift = round * 16384L
      for (i <- 0 until length) bench.memory.poke(source + shift + i, data(i))
      val before = (0 until 8).map(i => bench.memory.peek(destination + shift - 8 + i))
      val after = (0 until 8).map(i => bench.memory.peek(destination + shift + length + i))
      bench.invalidated.clear()
      val outcome = bench.run(Operation.Copy, source + shift, destination + shift, length)
      assert(outcome.status == Status.Ok.code && outcome.results.head == length)
      val got = bench.coreBytes(destination + shift - 8, length + 16)
      assert(got == before ++ data ++ after,
        s"round $round: $length bytes from ${source.toHexString} to ${destination.toHexString}")
      if (length > 0) {
        val blocks = ((destination + shift) / 64 * 64 until destination + shift + length by 64).toSet
        assert(bench.invalidated.toSet == blocks, "the blocks invalidated are those written")
      }
    }
  }

  for (stall <- Seq(0.0, 0.5); seed <- 1 to 2)
    test(s"random copies, 128 bit, stall $stall, seed $seed") { randomCopies(wide, seed, stall) }
  test("random copies, 64 bit") { randomCopies(narrow, 3, 0.3) }
  test("random copies, 32 bit") { randomCopies(narrowest, 4, 0.3) }

  /** Runs a copy, fill or gather and checks the destination, the bytes around it, and that exactly the destination's
    * blocks are invalidated.
    */
  private def check(
      bench: CopyBench, operation: Operation, arguments: Seq[Long], expected: Seq[Byte], what: => String): Unit = {
    val (destination, length) = (arguments(1), expected.size)
    val around = (-8 until length + 8).map(i => bench.memory.peek(destination + i))
    bench.invalidated.clear()
    val outcome = bench.run(operation, arguments: _*)
    assert(outcome.status == Status.Ok.code && outcome.results.head == arguments(2), what)
    assert(bench.coreBytes(destination - 8, length + 16) == around.take(8) ++ expected ++ around.takeRight(8), what)
    assert(
      bench.invalidated.toSet == (destination / 64 * 64 until destination + length by 64).filter(_ => length > 0).toSet,
      what)
  }

  for (width <- Seq(128, 64, 32)) {
    test(s"copies of several KB with stalls: the slots come round, $width bit") {
      system(width).doSim(11) { dut =>
        val random = new Random(11)
        val bench = new CopyBench(dut, 0.3, 12, random)
        for (round <- 0 until 6) {
          val length = 2000 + random.nextInt(5000)
          val source = base + (round * 2 << 16) + random.nextInt(256)
          val data = Array.fill(length)(random.nextInt().toByte)
          bench.memory.load(source, data)
          val destination = base + (round * 2 + 1 << 16) + random.nextInt(256)
          check(bench, Operation.Copy, Seq(source, destination, length), data.toSeq, s"round $round")
          check(bench, Operation.Fill, Seq(round * 3, destination + 0x8000, length),
            Seq.fill(length)((round * 3).toByte), s"fill $round")
        }
      }
    }
    test(s"copies and fills at ${if (pairs(width) == 1) "every pair" else "pairs"} of offsets, $width bit") {
      system(width).doSim(12) { dut =>
        val random = new Random(12)
        val bench = new CopyBench(dut, 0, 8, random)
        for (from <- 0 until 64; to <- 0 until 64; if random.nextInt(pairs(width)) == 0) {
          val place = base + 0x10000 + (from * 64 + to) * 1024L
          val length = random.nextInt(150)
          val data = Array.fill(length)(random.nextInt().toByte)
          bench.memory.load(place + from, data)
          check(bench, Operation.Copy, Seq(place + from, place + 512 + to, length), data.toSeq,
            s"$length bytes from $from to $to")
        }
        for (to <- 0 until 64; length <- Seq(0, 1, 64 - to, 65, 130)) {
          val place = base + 0x800000 + (to * 256 + length) * 512L
          check(bench, Operation.Fill, Seq(0x5a, place + to, length), Seq.fill(length)(0x5a.toByte),
            s"fill of $length at $to")
        }
      }
    }
    test(s"gathers of any length and place; a bad entry, or one outside of memory, in the middle, $width bit") {
      system(width).doSim(13) { dut =>
        val random = new Random(13)
        val bench = new CopyBench(dut, 0.2, 16, random)
        def put(address: Long, value: Long): Unit =
          bench.memory.load(address, Array.tabulate(4)(b => (value >> (8 * b)).toByte))
        val lower = base + 0x1000000
        val upper = 0x60000000L // beyond the end of main memory
        for (round <- 0 until 30) {
          val count = random.nextInt(3) match {
            case 0 => random.nextInt(6); case 1 => random.nextInt(40); case _ => 50 + random.nextInt(150)
          }
          val list = base + round * 0x4000L + random.nextInt(4) * 16
          val destination = list + 0x2000 + random.nextInt(8) * 16
          val addresses = Seq.fill(count)(lower + random.nextInt(0x10000) * 16L)
          for ((address, i) <- addresses.zipWithIndex) put(list + 4 * i, address)
          val inFlight = Seq(0, 1, 2, 8, 16, 100)(random.nextInt(6))
          def expected = addresses.flatMap(a => bench.memory.dump(a, 16))
          val arguments = Seq(list, destination, count.toLong, inFlight.toLong, lower, upper)
          check(bench, Operation.Gather, arguments, expected, s"$count entries, $inFlight in flight")
          if (count > 1) {
            val at = random.nextInt(count)
            val (bad, status) = random.nextInt(4) match {
              case 0 => (lower + 8, Status.BadAlignment)
              case 1 => (lower - 16, Status.OutOfBounds)
              case 2 => (upper, Status.OutOfBounds)
              case _ => (upper - 16, Status.BusFault)
            }
            // The same list at a new address, because the shared cache may hold the old one.
            val fresh = list + 0x1000000L * 4
            for ((address, i) <- addresses.zipWithIndex) put(fresh + 4 * i, if (i == at) bad else address)
            val elsewhere = fresh + 0x2000
            val after = Seq.tabulate(64)(i => bench.memory.peek(elsewhere + 16L * count + i))
            val outcome = bench.run(Operation.Gather, Seq(fresh, elsewhere) ++ arguments.drop(2): _*)
            assert(outcome.status == status.code && outcome.results.head == 0, s"entry $at of $count")
            // Nothing is written to the block of the bad word or behind it.
            assert(bench.coreBytes(elsewhere + 16L * count, 64) == after)
            assert(!bench.invalidated.exists(b => b >= elsewhere / 64 * 64 && b + 64 > elsewhere + 16L * at),
              s"entry $at of $count")
          }
          bench.invalidated.clear()
        }
      }
    }
  }

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
      // A list, or a number of words, that runs over the end of the address space.
      assert(bench.run(Operation.Gather, 0xfffffff0L, base, 8, 0, base, base + 0x1000).status ==
        Status.OutOfBounds.code)
      assert(bench.run(Operation.Gather, base, 0, 0x10000000L, 0, base, base + 0x1000).status ==
        Status.OutOfBounds.code)
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
    assert(bench.run(Operation.Gather, list + 0x100, base + 0x33000, 1, 0, memory, end).status ==
      Status.BadAlignment.code)
    assert(gather(base + 0x34000, 0) == Status.Ok.code, "the unit lives on")
  }
  test("gather: order, bounds, alignment, 128 bit") { gathers(wide) }
  test("gather: order, bounds, alignment, 64 bit") { gathers(narrow) }
  test("gather: order, bounds, alignment, 32 bit") { gathers(narrowest) }

  for (width <- Seq(128, 32)) test(s"compare and swap against a core that counts, $width bit") {
    system(width).doSim(8) { dut =>
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

  for (width <- Seq(128, 32)) test(s"a refused write ends its command, and is not done, $width bit") {
    system(width).doSim(15) { dut =>
      val bench = new CopyBench(dut, 0.2, 12, new Random(15))
      for ((operation, i) <-
          Seq(Operation.Copy, Operation.Fill, Operation.Gather, Operation.CompareAndSwap).zipWithIndex) {
        val from = base + 0x10000 * i
        val to = from + 0x8000 + (if (operation == Operation.Gather) 16 else 36)
        val entries = Seq.tabulate(20)(n => from + 0x1010 + 16 * n)
        bench.memory.load(entries.head, Array.fill(16 * entries.size)(0x55.toByte))
        bench.memory.load(from, entries.flatMap(e => (0 until 32 by 8).map(s => (e >> s).toByte)).toArray)
        val arguments = operation match {
          case Operation.Copy => Seq(from, to, 300L)
          case Operation.Fill => Seq(0x77L, to, 300L)
          case Operation.Gather => Seq(from, to, 20L, 0L, from, from + 0x2000)
          case _ => Seq(to, 0L, 0x77L)
        }
        for (withheld <- Seq(4, 1)) {
          bench.memory.load(to, new Array[Byte](4))
          bench.withheld = withheld
          val refused = bench.run(operation, arguments: _*)
          assert(refused.status == Status.OutOfBounds.code && refused.results.head == 0, operation.name)
          assert(bench.coreBytes(to, withheld).forall(_ == 0), operation.name)
        }
        assert(bench.run(operation, arguments: _*).status == Status.Ok.code, operation.name)
        assert(bench.coreBytes(to, 4).exists(_ != 0), operation.name)
      }
    }
  }

  test("a range that ends with the address space is the command's, and has no memory") {
    wide.doSim(16) { dut =>
      val bench = new CopyBench(dut, 0.2, 8, new Random(16))
      assert(bench.run(Operation.Fill, 1, 0xffffffc0L, 0x40).status == Status.BusFault.code)
    }
  }

  for (width <- Seq(128, 32)) test(s"reset in mid-command, $width bit") {
    system(width).doSim(9) { dut =>
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
      bench.forget()
      sleep(100) // ten cycles; nothing is sampled during reset
      dut.clockDomain.deassertReset()
      dut.clockDomain.waitSampling(5)
      assert(dut.io.port.command.ready.toBoolean && !dut.io.port.completion.valid.toBoolean)
      dut.clockDomain.waitSampling(32)
      assert(!dut.io.port.activity.busy.toBoolean)
      val data = new Array[Byte](5000)
      new Random(10).nextBytes(data)
      bench.memory.load(base + 0x20001, data)
      assert(bench.run(Operation.Copy, base + 0x20001, base + 0x30007, 5000).status == Status.Ok.code)
      assert(bench.coreBytes(base + 0x30007, 5000) == data.toSeq)
    }
  }
}
