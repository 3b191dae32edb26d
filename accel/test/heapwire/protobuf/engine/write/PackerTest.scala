package heapwire.protobuf.engine.write

import heapwire.Rounds
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

class PackerTest extends AnyFunSuite {
  private val mask64 = (BigInt(1) << 64) - 1

  private case class Value(bits: BigInt, log2: Int, kind: String) {
    /** Returns the encoding. */
    def bytes: Seq[Byte] = {
      val size = 8 << log2
      val own = bits & ((BigInt(1) << size) - 1)
      val number = if (own.testBit(size - 1)) own - (BigInt(1) << size) else own
      def little(value: BigInt, count: Int) = Seq.tabulate(count)(i => (value >> 8 * i).toByte)
      def varint(value: BigInt): Seq[Byte] =
        if (value < 128) Seq(value.toByte) else ((value & 127).toInt | 128).toByte +: varint(value >> 7)
      kind match {
        case "fixed" => little(own, 1 << log2)
        case "zigzag" => varint(if (number >= 0) number * 2 else -number * 2 - 1)
        case "signed" => varint(number & mask64)
        case "unsigned" => varint(own)
      }
    }
  }

  private class Bench(dut: Packer, val random: Random) {
    val clock = dut.clockDomain
    var stall, pause = 0.0
    val memory = mutable.Map[Long, Byte]()
    /** How often each byte was written. */
    val count = mutable.Map[Long, Int]().withDefaultValue(0)
    var cycle, writes = 0L
    var fired = Seq[Long]()

    clock.forkStimulus(10)
    dut.io.item.valid #= false
    dut.io.start.valid #= false
    dut.io.seek.valid #= false
    dut.io.flush #= false
    dut.io.write.ready #= false
    clock.waitSampling(3)
    var held: Option[(Long, BigInt, Int)] = None
    clock.onSamplings {
      cycle += 1
      if (dut.io.write.valid.toBoolean) {
        val (address, data, mask) = (dut.io.write.address.toLong, dut.io.write.data.toBigInt, dut.io.write.mask.toInt)
        val own = (0 until 8).filter(i => (mask >> i & 1) == 1)
        val offered = (address, own.map(i => (data >> 8 * i & 255) << 8 * i).sum, mask)
        held.foreach(before => assert(before == offered, "an offer changed"))
        held = if (dut.io.write.ready.toBoolean) None else Some(offered)
        if (held.isEmpty) {
          writes += 1
          assert(mask != 0)
          for (i <- own) {
            memory(address + i) = (data >> 8 * i).toByte
            count(address + i) += 1
          }
        }
      } else assert(held.isEmpty, "an offer was withdrawn")
      dut.io.write.ready #= random.nextDouble() >= stall
    }

    def start(cursor: Long, bound: Long): Unit = {
      memory.clear()
      count.clear()
      dut.io.start.valid #= true
      dut.io.start.cursor #= cursor
      dut.io.start.bound #= bound
      clock.waitSampling()
      dut.io.start.valid #= false
    }

    def send(value: Value): Unit = {
      while (random.nextDouble() < pause) clock.waitSampling()
      val noise = BigInt(64, random)
      val own = (BigInt(1) << (8 << value.log2)) - 1
      dut.io.item.valid #= true
      dut.io.item.value #= (value.bits & own) | (noise & (mask64 ^ own))
      dut.io.item.log2Size #= value.log2
      dut.io.item.signed #= value.kind == "signed"
      dut.io.item.zigzag #= value.kind == "zigzag"
      dut.io.item.sign #= value.bits.testBit((8 << value.log2) - 1)
      dut.io.item.fixed #= value.kind == "fixed"
      clock.waitSamplingWhere(dut.io.item.ready.toBoolean)
      dut.io.item.valid #= false
    }

    def until(what: => Boolean, message: String): Unit = if (clock.waitSamplingWhere(400)(what)) simFailure(message)

    def flush(): Unit = {
      dut.io.flush #= true
      until(dut.io.settled.toBoolean, "never settled")
      dut.io.flush #= false
      clock.waitSampling()
    }

    def value(most: Int = 64): Value = {
      val kind = Seq("fixed", "zigzag", "signed", "unsigned")(random.nextInt(4))
      val log2 = if (kind == "fixed") 2 + random.nextInt(2) else random.nextInt(4)
      val small = BigInt(random.nextInt(most + 1), random)
      Value((if (random.nextInt(3) == 0) -small else small) & mask64, log2, kind)
    }

    def check(expected: Map[Long, Byte]): Unit = {
      val wrong = (memory.keySet ++ expected.keySet).filter(i => memory.get(i) != expected.get(i))
      assert(wrong.isEmpty,
        wrong.toSeq.sorted.map(i => f"$i%x: ${memory.get(i)}, not ${expected.get(i)}").mkString("; "))
      assert(count.values.forall(_ == 1), "a byte was written twice")
    }
  }

  private lazy val compiled = SimConfig.compile(Packer())
  private val base = 0x40000000L

  /** Returns the addresses of bytes that end below `end`. */
  private def at(end: Long, bytes: Seq[Byte]): Map[Long, Byte] = bytes.zipWithIndex.map { case (b, i) =>
    end - bytes.size + i -> b
  }.toMap

  test("corner values of every kind and size, each from every alignment") {
    compiled.doSim(seed = 1) { dut =>
      val bench = new Bench(dut, new Random(1))
      val corners = (0 to 64).flatMap(bit => Seq(BigInt(1) << bit, (BigInt(1) << bit) - 1, -(BigInt(1) << bit))).map(
        _ & mask64).distinct
      for (log2 <- 0 until 4; kind <- Seq("zigzag", "signed", "unsigned", "fixed") if kind != "fixed" || log2 > 1;
        alignment <- 0 until 8) {
        val end = base + 0x10000 + alignment
        bench.start(end, base)
        val values = corners.map(Value(_, log2, kind))
        values.foreach(bench.send)
        bench.flush()
        val bytes = values.reverse.flatMap(_.bytes)
        bench.check(at(end, bytes))
        assert(dut.io.cursor.toLong == end - bytes.size && !dut.io.full.toBoolean)
      }
    }
  }

  test("random items, stalls, flushes and seeks: every byte once, where it belongs, and the cursor says so") {
    compiled.doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(2))
      import bench.random
      for (round <- 0 until Rounds(1500)) {
        bench.stall = Seq(0.0, 0.3, 0.8)(random.nextInt(3))
        bench.pause = Seq(0.0, 0.5, 0.9)(random.nextInt(3))
        var cursor = base + 0x8000 + random.nextInt(64)
        var expected = Map[Long, Byte]()
        bench.start(cursor, base)
        for (_ <- 0 until random.nextInt(6)) {
          for (_ <- 0 until random.nextInt(if (round % 50 == 0) 300 else 20)) {
            val value = bench.value(if (round % 2 == 0) 64 else 16)
            bench.send(value)
            expected ++= at(cursor, value.bytes)
            cursor -= value.bytes.size
          }
          random.nextInt(4) match {
            case 0 =>
              bench.flush()
              assert(dut.io.cursor.toLong == cursor)
              bench.check(expected)
              if (random.nextBoolean()) {
                cursor -= random.nextInt(100)
                dut.io.seek.valid #= true
                dut.io.seek.payload #= cursor
                bench.clock.waitSampling()
                dut.io.seek.valid #= false
              }
            case 1 =>
              // Flushes while more items come.
              dut.io.flush #= true
              for (_ <- 0 until random.nextInt(20)) bench.clock.waitSampling()
              if (random.nextBoolean()) dut.io.flush #= false
            case 2 =>
              bench.clock.waitSampling()
              bench.until(dut.io.counted.toBoolean, "never counted")
              assert(dut.io.cursor.toLong == cursor)
            case 3 =>
          }
        }
        bench.flush()
        assert(dut.io.cursor.toLong == cursor && !dut.io.full.toBoolean)
        bench.check(expected)
      }
    }
  }

  test(
    "an item that does not fit, and all behind it, are dropped; what came before is written; the next start is clean") {
    compiled.doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(3))
      import bench.random
      for (round <- 0 until Rounds(1500)) {
        bench.stall = Seq(0.0, 0.3, 0.9)(random.nextInt(3))
        bench.pause = Seq(0.0, 0.5)(random.nextInt(2))
        // Also at the bottom of the address space.
        val bound = Seq(base, 0L, 0xffffff80L)(random.nextInt(3)) + random.nextInt(16)
        val end = bound + random.nextInt(80)
        var cursor = end
        var expected = Map[Long, Byte]()
        var full = false
        bench.start(end, bound)
        for (_ <- 0 until random.nextInt(30)) {
          val value = bench.value(if (round % 2 == 0) 64 else 20)
          bench.send(value)
          full |= cursor - value.bytes.size < bound
          if (!full) {
            expected ++= at(cursor, value.bytes)
            cursor -= value.bytes.size
          }
          if (random.nextInt(10) == 0) dut.io.flush #= random.nextBoolean()
          if (random.nextInt(5) == 0) {
            bench.until(dut.io.placed.toBoolean, "never placed")
            assert(dut.io.full.toBoolean == full, "it is not known yet whether all has room")
          }
        }
        bench.flush()
        assert(dut.io.full.toBoolean == full)
        if (!full) assert(dut.io.cursor.toLong == cursor)
        bench.check(expected)
      }
    }
  }

  test("rates and latencies: an item a cycle, a long one two; the cursor 3 cycles after an item, 4 after a long one") {
    compiled.doSim(seed = 4) { dut =>
      val bench = new Bench(dut, new Random(4))
      def cycles(values: Seq[Value]): Long = {
        bench.start(base + 0x8003, base)
        val from = bench.cycle
        values.foreach(bench.send)
        val taken = bench.cycle - from
        bench.flush()
        taken
      }
      assert(cycles(Seq.fill(200)(Value(BigInt(63, bench.random), 3, "fixed"))) <= 202)
      assert(cycles(Seq.fill(200)(Value(BigInt(55, bench.random), 3, "unsigned"))) <= 202)
      assert(cycles(Seq.fill(200)(Value(mask64, 3, "signed"))) <= 402)
      for ((value, latency) <- Seq(Value(5, 2, "unsigned") -> 3, Value(mask64, 3, "signed") -> 4)) {
        bench.start(base + 0x100, base)
        bench.clock.waitSampling(5)
        bench.send(value)
        // send() returns with the edge at which the item is taken.
        bench.clock.waitSampling(latency - 1)
        assert(dut.io.cursor.toLong > base + 0x100 - value.bytes.size && !dut.io.counted.toBoolean)
        bench.clock.waitSampling()
        assert(dut.io.cursor.toLong == base + 0x100 - value.bytes.size && dut.io.counted.toBoolean)
        bench.flush()
      }
    }
  }

  test("reset forgets what is under way") {
    compiled.doSim(seed = 5) { dut =>
      val bench = new Bench(dut, new Random(5))
      for (_ <- 0 until 20) {
        bench.stall = 1
        bench.start(base + 0x100, base)
        for (_ <- 0 until bench.random.nextInt(4)) bench.send(Value(BigInt(64, bench.random), 3, "fixed"))
        bench.held = None
        bench.clock.assertReset()
        sleep(35)
        bench.held = None
        bench.clock.deassertReset()
        bench.stall = 0.2
        bench.clock.waitSampling(3)
        bench.start(base + 0x207, base)
        val values = Seq.fill(20)(bench.value())
        values.foreach(bench.send)
        bench.flush()
        bench.check(at(base + 0x207, values.reverse.flatMap(_.bytes)))
      }
    }
  }
}
