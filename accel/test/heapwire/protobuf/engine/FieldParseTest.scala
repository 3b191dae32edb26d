package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.isa.FieldInstruction._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** `parfield`: random values of every type, compared with the expected content of memory. */
class FieldParseTest extends AnyFunSuite {
  private val repeated = 1 << RepeatedBit
  private val flag = 1 << FlagBit
  private val scalars = FieldType.all.filter(t => t.wireType != 2 && t.wireType != 3)
  private val allOnes = 0xffffffffL

  private def stored(kind: FieldType.Type, value: BigInt): Seq[Byte] = {
    val bits = 8 << kind.log2Size
    val low = value & ((BigInt(1) << bits) - 1)
    val result = kind match {
      case FieldType.Bool => if (value == 0) BigInt(0) else BigInt(1)
      case FieldType.Sint32 | FieldType.Sint64 => (low >> 1) ^
          (if (low.testBit(0)) (BigInt(1) << bits) - 1 else BigInt(0))
      case _ => low
    }
    (0 until (1 << kind.log2Size)).map(i => (result >> (8 * i)).toByte)
  }
  private val slotBytes = 512
  private val arenaBytes = 0x10000

  private class Sequence(val b: FieldBench, inputBytes: Array[Byte], fixedBytes: Int = 0x10000,
      flexibleBytes: Int = 0x10000) {
    private val offset = b.random.nextInt(70)
    val start = b.inputAt + offset
    val end = start + inputBytes.length
    b.memory.write(start, inputBytes)
    b.memory.write(b.messageAt, new Array[Byte](slotBytes))
    b.writable = Seq((b.messageAt, b.messageAt + slotBytes), (b.fixedAt, b.fixedAt + fixedBytes),
      (b.flexibleAt, b.flexibleAt + flexibleBytes))
    b.setUp(SetUp.Input, start, end)
    b.setUp(SetUp.Fixed, b.fixedAt, b.fixedAt + fixedBytes)
    b.setUp(SetUp.Flexible, b.flexibleAt, b.flexibleAt + flexibleBytes)
    b.setUp(SetUp.Destination, b.messageAt, b.messageAt + slotBytes)
  }
  private def text(b: FieldBench, reference: Long): Seq[Byte] = {
    import b.memory
    assert(reference % 8 == 0 && memory.word(reference) == 1 &&
      memory.word(reference + 4) == b.klass(RuntimeRegister.ByteString))
    val array = memory.word(reference + 12)
    assert(memory.word(array) == 1 && memory.word(array + 4) == b.klass(RuntimeRegister.ByteArray))
    memory.read(array + 16, memory.word(array + 8).toInt).toSeq
  }
  private def list(b: FieldBench, kind: FieldType.Type, reference: Long): Seq[Seq[Byte]] = {
    import b.memory
    val register = FieldType.listRegister(kind)
    assert(memory.word(reference) == 1 && memory.word(reference + 4) == b.klass(register), f"list at $reference%x")
    val (count, array) = (memory.word(reference + 8).toInt, memory.word(reference + 12))
    assert(memory.word(array) == 1 &&
        memory.word(array + 4) == 0x100L + 16 * (register.index + RuntimeRegister.ListToArray), f"array at $array%x")
    val capacity = memory.word(array + 8).toInt
    assert(count <= capacity && memory.word(array + 12) == 0)
    for (at <- array + 16 + (count << kind.log2Size) until (array + 16 + (capacity << kind.log2Size) + 7) / 8 * 8)
      assert(memory.byte(at) == 0, "slack is not zero")
    (0 until count).map(i => memory.read(array + 16 + (i << kind.log2Size), 1 << kind.log2Size).toSeq)
  }

  /** What to parse, and the expected result: the slot's bytes, the string, or one or more elements of a list. */
  private sealed trait Expected
  private case class Plain(bytes: Seq[Byte]) extends Expected
  private case class Text(bytes: Seq[Byte]) extends Expected
  private case class Elements(kind: FieldType.Type, values: Seq[Seq[Byte]]) extends Expected
  private case class Step(function: Int, slot: Int, value: Array[Byte], expected: Expected,
      reference: Option[Long] = None)
  private val words = Seq("", "a", "some text", "äöü", "日本語のテキスト", "🙂🙂",
    "x" * 15 + "é", "y" * 30 + "𝄞", "z" * 100)

  /** Returns random steps for 16 plain slots, 8 strings and 8 lists. Each plain slot and each list has one type. */
  private def randomSteps(dice: Random, count: Int): Seq[Step] = {
    val listKinds = Seq.fill(8)(FieldType.all.filterNot(_ == FieldType.Group)(dice.nextInt(17)))
    val plainKinds = Seq.fill(16)(scalars(dice.nextInt(scalars.size)))
    val wholeRuns = dice.nextBoolean()
    def body = {
      val checked = dice.nextBoolean();
      (checked, if (checked) words(dice.nextInt(words.size)).getBytes("UTF-8") else dice.nextBytes(dice.nextInt(60)))
    }
    var lastList = 0
    Seq.fill(count)(dice.nextInt(4)).map {
      case 0 =>
        val i = dice.nextInt(16)
        val value = Wire.randomValue(dice, plainKinds(i).wireType)
        Step(plainKinds(i).code, 8 * i, Wire.encode(value, plainKinds(i).wireType, dice),
          Plain(stored(plainKinds(i), value)))
      case 1 =>
        val (checked, bytes) = body
        Step((if (checked) FieldType.Str.code | flag else FieldType.Bytes.code), 128 + 4 * dice.nextInt(8),
          Wire.varint(bytes.length, dice.nextInt(2)) ++ bytes, Text(bytes.toSeq))
      case _ =>
        val i = if (wholeRuns && dice.nextInt(8) != 0) lastList else dice.nextInt(8)
        lastList = i
        val kind = listKinds(i)
        val slot = 160 + 4 * i
        kind match {
          case FieldType.Message =>
            val reference = dice.nextInt() & 0xfffffff8L
            Step(kind.code | repeated, slot, Array(),
              Elements(kind, Seq((0 until 4).map(i => (reference >> (8 * i)).toByte))), Some(reference))
          case FieldType.Str | FieldType.Bytes =>
            val (checked, bytes) = body
            Step((if (checked) FieldType.Str.code | flag else FieldType.Bytes.code) | repeated, slot,
              Wire.varint(bytes.length) ++ bytes, Elements(kind, Seq(bytes.toSeq)))
          case _ =>
            val packed = dice.nextBoolean()
            val values = Seq.fill(if (packed) dice.nextInt(20) else 1)(Wire.randomValue(dice, kind.wireType))
            val encoded = values.flatMap(Wire.encode(_, kind.wireType, dice)).toArray
            Step(kind.code | repeated | (if (packed) flag else 0), slot,
              if (packed) Wire.varint(encoded.length) ++ encoded else encoded,
              Elements(kind, values.map(stored(kind, _))))
        }
    }
  }

  for (width <- FieldBench.widths) {
    def compiled = FieldBench.compiled(width)()

    for ((stall, latency) <- Seq((0.0, 20 to 20), (0.4, 1 to 60)))
      test(s"width $width, stalls $stall: values of every type reach their slots") {
        compiled.doSim(seed = 1) { dut =>
          val b = new FieldBench(dut, new Random(width), stall, latency)
          for (round <- 0 until 25) {
            val dice = b.random
            val steps = randomSteps(dice, dice.nextInt(40))
            val keys = steps.map(step =>
              if (step.reference.isDefined) Array[Byte]()
              else dice.nextBytes(if (dice.nextInt(10) == 0) 200 else 1 + dice.nextInt(5)))
            val input = keys.zip(steps).flatMap { case (key, step) => key ++ step.value }.toArray
            val sequence = new Sequence(b, input)
            var at = sequence.start
            val seen = mutable.Set[Int]()
            val taken = mutable.ArrayBuffer[(Long, Int)]()
            for (((step, key), i) <- steps.zip(keys).zipWithIndex) {
              if (dice.nextInt(4) == 0) b.clock.waitSampling(dice.nextInt(60))
              val isList = (step.function & repeated) != 0
              val slot = b.messageAt + step.slot + (if (isList && seen(step.slot)) 1 else 0)
              step.expected match {
                case Elements(_, Seq()) =>
                case _ => seen += step.slot
              }
              step.reference match {
                case Some(reference) => assert(b.parfield(step.function, reference, slot) != allOnes)
                case None =>
                  val next = b.parfield(step.function, at + key.length, slot)
                  at += key.length + step.value.length
                  if (next != at) fail(s"round $round, step $i: ${step.function}; ${b.check(
                        Check.At).toHexString} for ${at.toHexString}, status ${b.check(Check.Status)}")
              }
              if (dice.nextInt(6) == 0) { val size = 1 + dice.nextInt(40); taken += ((b.take(size), size)) }
              if (dice.nextInt(20) == 0) b.check(Check.FixedTop)
            }
            val (fixedTop, flexibleTop) = (b.check(Check.FixedTop), b.check(Check.FlexibleTop))
            assert(b.check(Check.Status) == 0, s"round $round")
            assert(fixedTop >= b.fixedAt && fixedTop <= b.fixedAt + arenaBytes && flexibleTop >= b.flexibleAt)
            for ((address, size) <- taken)
              assert(address % 8 == 0 && address >= b.fixedAt && address + size <= fixedTop)
            for ((slot, all) <- steps.groupBy(_.slot)) {
              val address = b.messageAt + slot
              all.last.expected match {
                case Plain(bytes) =>
                  assert(b.memory.read(address, bytes.size).toSeq == bytes, s"round $round, slot $slot")
                case Text(bytes) => assert(text(b, b.memory.word(address)) == bytes, s"round $round, slot $slot")
                case Elements(kind, _) =>
                  val expected = all.flatMap(_.expected.asInstanceOf[Elements].values)
                  if (expected.isEmpty) assert(b.memory.word(address) == 0)
                  else {
                    val found = list(b, kind, b.memory.word(address))
                    val strings = kind == FieldType.Str || kind == FieldType.Bytes
                    def read(element: Seq[Byte]) = {
                      val reference = element.zipWithIndex.map { case (value, i) => (value & 0xffL) << (8 * i) }.sum
                      text(b, reference)
                    }
                    assert((if (strings) found.map(read) else found) == expected, s"round $round, slot $slot, $kind")
                  }
              }
            }
          }
        }
      }

    test(s"width $width: what is wrong ends in its status, and nothing outside is written") {
      compiled.doSim(seed = 2) { dut =>
        val b = new FieldBench(dut, new Random(width + 1), 0.2, 1 to 40)
        def outcome(input: Array[Byte], function: Int, slot: Long = b.messageAt, source: Long = 0, fixed: Int = 64,
            flexible: Int = 64): (Long, Long) = {
          val s = new Sequence(b, input, fixed, flexible)
          val next = b.parfield(function, s.start + source, slot)
          val at = b.check(Check.At)
          val status = b.check(Check.Status)
          if (status != 0 && next != allOnes)
            assert((function & flag) != 0, "only a run or a checked string may fail later")
          (status, if (status == 0) 0 else at - s.start)
        }
        def is(status: Status, at: Long = 0) = (status.code.toLong, at)
        def bytes(values: Int*) = values.map(_.toByte).toArray
        val (int32, string, fixed64) = (FieldType.Int32.code, FieldType.Str.code, FieldType.Fixed64.code)
        assert(outcome(bytes(0x80, 0x80), int32) == is(Status.Truncated))
        assert(outcome(bytes(), int32) == is(Status.Truncated))
        assert(outcome(Array.fill(10)(0x80.toByte) ++ bytes(1), int32) == is(Status.VarintOverflow))
        assert(outcome(Array.fill(9)(0x80.toByte) ++ bytes(1), int32) == is(Status.Ok))
        assert(outcome(new Array[Byte](7), fixed64) == is(Status.Truncated))
        assert(outcome(bytes(5, 1, 2, 3, 4), string) == is(Status.Truncated))
        assert(outcome(bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), string) == is(Status.Truncated))
        assert(outcome(bytes(2, 1, 2, 3), int32 | repeated | flag) == is(Status.Ok))
        assert(outcome(bytes(2, 1, 0x82, 3), int32 | repeated | flag) == is(Status.BadLength, 2))
        assert(outcome(bytes(2, 1, 0x82), int32 | repeated | flag) == is(Status.Truncated, 2))
        assert(outcome(bytes(2, 0xc3, 0x28), string | flag) == is(Status.InvalidUtf8))
        assert(outcome(bytes(1, 0xc3), string | flag) == is(Status.InvalidUtf8))
        assert(outcome(bytes(2, 0xc3, 0x28), string) == is(Status.Ok))
        assert(outcome(bytes(1), 0) == is(Status.BadCommand) && outcome(bytes(1), 31) == is(Status.BadCommand))
        assert(outcome(bytes(1), FieldType.Message.code) == is(Status.BadCommand) &&
          outcome(bytes(1), int32 | flag) == is(Status.BadCommand))
        assert(outcome(bytes(1), int32, b.messageAt + 2) == is(Status.BadAlignment))
        assert(outcome(new Array[Byte](8), fixed64, b.messageAt + 4) == is(Status.BadAlignment))
        assert(outcome(bytes(1), int32, b.messageAt - 4) == is(Status.OutOfBounds))
        assert(outcome(bytes(1), int32, b.messageAt + slotBytes) == is(Status.OutOfBounds))
        assert(outcome(bytes(1), int32, source = -1)._1 == Status.OutOfBounds.code &&
          outcome(bytes(1), int32, source = 2)._1 == Status.OutOfBounds.code)
        assert(outcome(33.toByte +: new Array[Byte](33), string) == is(Status.FixedArenaFull))
        assert(outcome(32.toByte +: new Array[Byte](32), string) == is(Status.Ok))
        assert(outcome(13.toByte +: new Array[Byte](13), int32 | repeated | flag) == is(Status.FlexibleArenaFull))
        assert(outcome(12.toByte +: new Array[Byte](12), int32 | repeated | flag) == is(Status.Ok))
        assert(outcome(bytes(1, 0), int32 | repeated | flag, fixed = 8) == is(Status.FixedArenaFull))
        assert(outcome(bytes(1, 0), int32 | repeated | flag, flexible = 8) == is(Status.FlexibleArenaFull))
        // The slot says that there is a list, but it refers to none, or to one elsewhere.
        assert(outcome(bytes(1), int32 | repeated, b.messageAt + 1) == is(Status.BadObject))
        // After a sequence has failed nothing is taken, and the next sequence is not affected.
        val s = new Sequence(b, bytes(0x80, 1, 2))
        assert(b.parfield(fixed64, s.start, b.messageAt) == allOnes &&
          b.parfield(int32, s.start + 2, b.messageAt) == allOnes)
        assert(b.take(8) == 0 && b.check(Check.Status) == Status.Truncated.code &&
          b.check(Check.Status) == Status.Broken.code)
        assert(b.memory.word(b.messageAt) == 0)
        // An answer equal to the source means "not taken", so no failed instruction answers that.
        new Sequence(b, bytes(1))
        assert(b.parfield(int32, 0xffffffffL, b.messageAt) == 0 && b.parfield(int32, 0xffffffffL, b.messageAt) == 0)
        assert(b.parfield(int32, 0, b.messageAt) == allOnes && b.check(Check.At) == 0xfffffffeL &&
          b.check(Check.Status) == Status.OutOfBounds.code)
        // A sequence that was ended by BREAK.
        new Sequence(b, 40.toByte +: new Array[Byte](40))
        b.setUp(SetUp.Break, 0, 0)
        assert(b.parfield(int32, b.inputAt, b.messageAt) == allOnes && b.check(Check.Status) == Status.Broken.code)
      }
    }

    test(s"width $width: reset in mid-sequence leaves nothing behind") {
      compiled.doSim(seed = 3) { dut =>
        val b = new FieldBench(dut, new Random(width + 2), 0.2, 1 to 40)
        for (_ <- 0 until 12) {
          val s = new Sequence(b, 40.toByte +: new Array[Byte](40), fixedBytes = 0x100, flexibleBytes = 0x100)
          val start = s.start
          b.parfield(if (b.random.nextBoolean()) FieldType.Str.code | flag else FieldType.Int32.code | flag | repeated,
            start, b.messageAt)
          b.clock.waitSampling(1 + b.random.nextInt(40))
          b.reset()
          assert(b.check(Check.Status) == Status.Broken.code)
          val again = new Sequence(b, Array[Byte](7))
          assert(b.parfield(FieldType.Int32.code, again.start, b.messageAt + 8) == again.end)
          assert(b.check(Check.Status) == 0 && b.memory.word(b.messageAt + 8) == 7)
        }
      }
    }
  }
}
