package heapwire.protobuf.engine

import heapwire.Rounds
import heapwire.isa._
import heapwire.isa.FieldInstruction._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

/** `seroutput`, `serfield`, `chksuccess`: random fields of every type, compared with their encoding. */
class FieldSerializeTest extends AnyFunSuite {
  private val repeated = 1 << RepeatedBit
  private val flag = 1 << FlagBit
  private val scalars = FieldType.all.filter(t => t.wireType != 2 && t.wireType != 3)

  private def bytes(value: BigInt, size: Int): Array[Byte] = Array.tabulate(size)(i => (value >> (8 * i)).toByte)
  /** Returns a random value as it is stored in an object; often an edge case. */
  private def value(kind: FieldType.Type, dice: Random): BigInt = {
    val bits = 8 << kind.log2Size
    val mask = (BigInt(1) << bits) - 1
    if (kind == FieldType.Bool) BigInt(if (dice.nextBoolean()) 1 + dice.nextInt(255) else 0)
    else dice.nextInt(4) match {
      case 0 => BigInt(7, dice)
      case 1 => (BigInt(1) << dice.nextInt(bits)) - dice.nextInt(2)
      case 2 => mask - BigInt(dice.nextInt(bits), dice)
      case _ => BigInt(1 + dice.nextInt(bits), dice) & mask
    }
  }
  /** Returns the encoding of a stored value. */
  private def wire(kind: FieldType.Type, stored: BigInt): Array[Byte] = {
    val bits = 8 << kind.log2Size
    val signed = if (stored.testBit(bits - 1)) stored - (BigInt(1) << bits) else stored
    kind match {
      case FieldType.Bool => Wire.varint(if (stored == 0) 0 else 1)
      case FieldType.Int32 | FieldType.Enum => Wire.varint(signed)
      case FieldType.Sint32 | FieldType.Sint64 =>
        Wire.varint(((signed << 1) ^ (signed >> (bits - 1))) & ((BigInt(1) << bits) - 1))
      case _ if kind.wireType == 0 => Wire.varint(stored)
      case _ => bytes(stored, 1 << kind.log2Size)
    }
  }
  private val texts = Seq("", "a", "plain ascii text", "äöü", "日本語のテキスト", "🙂🙂",
    "x" * 15 + "é", "y" * 30 + "𝄞")

  /** A field in memory: the instructions to issue, in order, and the expected bytes. */
  private case class Case(issue: Seq[(Int, Long, Long)], expected: Array[Byte])
  private def randomCase(b: FieldBench, depth: Int): Case = {
    val dice = b.random
    val number = if (dice.nextBoolean()) 1 + dice.nextInt(15) else 1 + dice.nextInt((1 << 29) - 1)
    val slot = { b.top = (b.top + 7) / 8 * 8; val at = b.top + 8 * dice.nextInt(2); b.top += 24; at }
    def delimited(body: Array[Byte]) = Wire.key(number, 2) ++ Wire.varint(body.length) ++ body
    dice.nextInt(8) match {
      case 0 | 1 =>
        val kind = scalars(dice.nextInt(scalars.size))
        val v = value(kind, dice)
        val at = slot + (if (kind.log2Size < 3) dice.nextInt(8 >> kind.log2Size) << kind.log2Size else 0)
        b.memory.write(at, bytes(v, 1 << kind.log2Size))
        Case(Seq((kind.code, at, number)), Wire.key(number, kind.wireType) ++ wire(kind, v))
      case 2 | 3 =>
        val checked = dice.nextBoolean()
        val body = if (checked) texts(dice.nextInt(texts.size)).getBytes("UTF-8")
        else dice.nextBytes(dice.nextInt(if (dice.nextInt(5) == 0) 400 else 40))
        b.word(slot, if (body.isEmpty && dice.nextBoolean()) 0 else b.byteString(body))
        Case(Seq(((if (checked) FieldType.Str.code | flag else FieldType.Bytes.code), slot, number)), delimited(body))
      case 4 =>
        val kind = scalars(dice.nextInt(scalars.size))
        val small = dice.nextBoolean()
        val values = Seq.fill(dice.nextInt(40))(
          if (small) BigInt(if (kind == FieldType.Bool) 1 else dice.nextInt(300)) else value(kind, dice))
        val packed = dice.nextBoolean()
        b.word(slot,
          if (values.isEmpty && dice.nextBoolean()) 0
          else b.list(kind, values.flatMap(bytes(_, 1 << kind.log2Size)).toArray, values.size))
        val body = values.map(wire(kind, _))
        Case(Seq((kind.code | repeated | (if (packed) flag else 0), slot, number)),
          if (packed) { if (values.isEmpty) Array() else delimited(body.flatten.toArray) }
          else body.flatMap(Wire.key(number, kind.wireType) ++ _).toArray)
      case 5 =>
        val strings = Seq.fill(dice.nextInt(9))(dice.nextBytes(dice.nextInt(30)))
        b.word(slot, b.list(FieldType.Bytes, strings.flatMap(s => bytes(b.byteString(s), 4)).toArray, strings.size))
        Case(Seq((FieldType.Bytes.code | repeated, slot, number)), strings.flatMap(delimited).toArray)
      case 6 if depth > 0 =>
        val group = dice.nextBoolean()
        val fields = Seq.fill(dice.nextInt(5))(randomCase(b, depth - 1))
        val code = if (group) FieldType.Group.code else FieldType.Message.code
        val body = fields.flatMap(_.expected).toArray
        Case(((code | Tail, 0L, number.toLong) +: fields.reverse.flatMap(_.issue)) :+ ((code, 0L, number.toLong)),
          if (group) Wire.key(number, 3) ++ body ++ Wire.key(number, 4) else delimited(body))
      case _ =>
        val body = dice.nextBytes(dice.nextInt(40))
        if (dice.nextInt(3) == 0) b.word(slot, b.unknownFields)
        else b.word(slot, b.list(FieldType.Bool, body, body.length))
        Case(Seq((Raw, slot, 0)), if (b.memory.word(slot) == b.unknownFields) Array() else body)
    }
  }
  private def open(b: FieldBench, size: Int): Unit = {
    b.writable = Seq((b.outputAt, b.outputAt + size))
    b.setUp(SetUp.Output, b.outputAt, size)
    b.setUp(SetUp.Heap, b.heapAt, b.top)
  }

  for (width <- FieldBench.widths) {
    def compiled = FieldBench.compiled(width)()

    for ((stall, latency) <- Seq((0.0, 20 to 20), (0.4, 1 to 60)))
      test(s"width $width, stalls $stall: fields of every type become their encoding") {
        compiled.doSim(seed = 1) { dut =>
          val b = new FieldBench(dut, new Random(width), stall, latency)
          for (round <- 0 until Rounds(40)) {
            b.top = b.heapAt
            val fields = Seq.fill(b.random.nextInt(12))(randomCase(b, 3))
            val expected = fields.flatMap(_.expected).toArray
            val size = if (b.random.nextBoolean()) expected.length else expected.length + b.random.nextInt(100)
            open(b, size)
            for ((function, slot, number) <- fields.reverse.flatMap(_.issue)) {
              if (b.random.nextInt(3) == 0) b.clock.waitSampling(b.random.nextInt(40))
              b.serfield(function, slot, number)
            }
            val length = b.check(Check.Length)
            val status = b.check(Check.Status)
            assert((status, length) == ((0L, expected.length.toLong)),
              s"round $round, at ${b.check(Check.At).toHexString}")
            val found = b.memory.read(b.outputAt + size - length, length.toInt)
            assert(found.sameElements(expected),
              s"round $round: ${found.map("%02x".format(_)).mkString} is not " +
                expected.map("%02x".format(_)).mkString)
            assert(b.check(Check.Status) == Status.Broken.code)
          }
        }
      }

    for ((stall, latency) <- Seq((0.0, 20 to 20), (0.4, 1 to 60)))
      test(s"width $width, stalls $stall: an output that is too small is told of, wherever it ends") {
        compiled.doSim(seed = 3) { dut =>
          val b = new FieldBench(dut, new Random(width + 2), stall, latency)
          for (round <- 0 until Rounds(400)) {
            b.top = b.heapAt
            val field = randomCase(b, 1)
            if (field.expected.nonEmpty) {
              open(b, field.expected.length - 1 - b.random.nextInt(field.expected.length min 12))
              for ((function, slot, number) <- field.issue) b.serfield(function, slot, number)
              if (b.random.nextBoolean()) b.check(Check.Length)
              assert(b.check(Check.Status) == Status.OutputFull.code, s"round $round")
            }
          }
        }
      }

    test(s"width $width: behind a write that is denied nothing is written, whenever the answer comes") {
      compiled.doSim(seed = 4) { dut =>
        val b = new FieldBench(dut, new Random(width + 3), 0, 5 to 40)
        val at = b.heapAt
        b.word(at, 7)
        b.word(at + 4, 0)
        b.top = at + 64
        val outside = 0x40100000L
        for (round <- 0 until Rounds(400)) {
          // The output begins in memory and ends outside: its last block, which is sent first, is denied.
          b.writable = Seq((outside - 2048, outside + 64))
          b.setUp(SetUp.Output, outside - 2048, 2048 + 64)
          b.setUp(SetUp.Heap, at, b.top)
          val before = b.ports.last.log.size
          for (_ <- 0 until 60) {
            if (b.random.nextInt(3) == 0) b.clock.waitSampling(b.random.nextInt(60))
            b.serfield(FieldType.Fixed64.code, at, 3)
          }
          b.check(Check.Length)
          assert(b.check(Check.Status) == Status.BusFault.code)
          assert(b.ports.last.log.size - before <= 2, s"round $round")
        }
      }
    }

    test(s"width $width: what is wrong ends in its status, and nothing outside is written") {
      compiled.doSim(seed = 2) { dut =>
        val b = new FieldBench(dut, new Random(width + 1), 0.2, 1 to 40)
        def outcome(fields: (Int, Long, Long)*): (Long, Long) = sized(64, fields: _*)
        def sized(size: Int, fields: (Int, Long, Long)*): (Long, Long) = {
          open(b, size)
          for ((function, slot, number) <- fields) b.serfield(function, slot, number)
          val length = b.check(Check.Length)
          (b.check(Check.Status), length)
        }
        def is(status: Status, length: Long = 0) = (status.code.toLong, length)
        val (int32, fixed64, string) = (FieldType.Int32.code, FieldType.Fixed64.code, FieldType.Str.code)
        val at = b.heapAt
        b.top = at + 64
        b.word(at, 300)
        assert(outcome((int32, at, 1)) == is(Status.Ok, 3) && sized(3, (int32, at, 1)) == is(Status.Ok, 3))
        assert(sized(2, (int32, at, 1)) == is(Status.OutputFull) && sized(0, (int32, at, 1)) == is(Status.OutputFull) &&
          sized(0) == is(Status.Ok))
        assert(outcome((int32, at + 2, 1)) == is(Status.BadAlignment) &&
          outcome((fixed64, at + 4, 1)) == is(Status.BadAlignment))
        assert(outcome((int32, at - 4, 1)) == is(Status.OutOfBounds) &&
          outcome((int32, b.top, 1)) == is(Status.OutOfBounds))
        assert(outcome((int32, at, 0)) == is(Status.FieldNumberZero) &&
          outcome((int32, at, 1L << 29)) == is(Status.BadCommand))
        assert(outcome((31, at, 1)) == is(Status.BadCommand) && outcome((int32 | flag, at, 1)) == is(Status.BadCommand))
        assert(outcome((FieldType.Message.code | repeated, at, 1)) == is(Status.BadCommand) &&
          outcome((Raw | flag, at, 1)) == is(Status.BadCommand))
        assert(outcome((FieldType.Message.code, at, 1)) == is(Status.BadCommand) &&
          outcome((FieldType.Message.code | Tail, at, 1)) == is(Status.BadCommand))
        assert(outcome((0 to MaxDepth).map(_ => (FieldType.Message.code | Tail, at, 1L)): _*) ==
          is(Status.DepthExceeded))
        val deep = (0 until MaxDepth).map(_ => (FieldType.Group.code, at, 1L))
        assert(sized(200, deep: _*) == is(Status.Ok, MaxDepth))
        // Bad references: outside of the heap, misaligned, beyond its end, to an array that is longer than the heap.
        val text = b.byteString("text".getBytes)
        def slot(value: Long): Long = { b.word(at + 8, value); at + 8 }
        assert(outcome((string, slot(text), 1)) == is(Status.Ok, 6) &&
          outcome((string, slot(0), 1)) == is(Status.Ok, 2))
        // An answer of all ones would mean that the query was not taken, and software would repeat it forever.
        assert(outcome((string, slot(0xffffffffL), 1)) == is(Status.BadObject))
        open(b, 64)
        b.serfield(string, slot(0xffffffffL), 1)
        assert(b.check(Check.At) == 0xfffffffeL && b.check(Check.Status) == Status.BadObject.code)
        for (wrong <- Seq(at - 8, text + 4, b.top - 8, 0xfffffff8L))
          assert(outcome((string, slot(wrong), 1)) == is(Status.BadObject))
        val array = b.memory.word(text + 12)
        for (wrong <- Seq(0L, at - 16, array + 4, b.top)) {
          b.word(text + 12, wrong)
          assert(outcome((string, slot(text), 1)) == is(Status.BadObject))
        }
        b.word(text + 12, array)
        for (length <- Seq(5000L, 0x7fffffffL, 0xffffffffL)) {
          b.word(array + 8, length)
          assert(outcome((string, slot(text), 1)) == is(Status.BadObject))
        }
        b.word(array + 8, 4)
        val list = b.list(FieldType.Int32, new Array[Byte](16), 4)
        b.word(list + 8, 1000)
        assert(outcome((int32 | repeated, slot(list), 1)) == is(Status.BadObject) &&
          outcome((int32 | repeated, slot(0), 1)) == is(Status.Ok))
        val strings = b.list(FieldType.Str, bytes(BigInt(text) << 32, 8), 2)
        assert(outcome((string | repeated, slot(strings), 1)) == is(Status.BadObject))
        val broken = b.byteString(Array(0x61, 0xc3, 0x28).map(_.toByte))
        assert(outcome((string | flag, slot(broken), 1)) == is(Status.InvalidUtf8) &&
          outcome((string, slot(broken), 1)) == is(Status.Ok, 5))
        // The first fault is the one reported.
        assert(outcome((int32, at, 1), (string | flag, slot(broken), 1), (int32, at, 0)) == is(Status.InvalidUtf8))
        // A complete output takes no further fields; one that was left for another sequence is gone.
        open(b, 64)
        b.serfield(int32, at, 1)
        b.check(Check.Length)
        b.serfield(int32, at, 1)
        assert(b.check(Check.Status) == Status.BadCommand.code)
        open(b, 64)
        b.serfield(string, slot(text), 1)
        assert(sized(8, (int32, at, 2)) == is(Status.Ok, 3))
        open(b, 64)
        b.serfield(string, slot(text), 1)
        b.setUp(SetUp.Break, 0, 0)
        b.serfield(int32, at, 1)
        assert(b.check(Check.Status) == Status.Broken.code)
        b.setUp(SetUp.Output, 0xffffff00L, 0x200)
        assert(b.check(Check.Status) == Status.OutOfBounds.code)
      }
    }

    test(s"width $width: reset in mid-sequence leaves nothing behind") {
      compiled.doSim(seed = 3) { dut =>
        val b = new FieldBench(dut, new Random(width + 2), 0.2, 1 to 40)
        for (_ <- 0 until 15) {
          b.top = b.heapAt
          val fields = Seq.fill(6)(randomCase(b, 2))
          open(b, 20000)
          for ((function, slot, number) <- fields.reverse.flatMap(_.issue)) b.serfield(function, slot, number)
          b.clock.waitSampling(b.random.nextInt(60))
          b.reset()
          open(b, 16)
          b.word(b.heapAt, 5)
          b.serfield(FieldType.Uint32.code, b.heapAt, 1)
          assert(b.check(Check.Length) == 2 && b.check(Check.Status) == 0 && b.memory.byte(b.outputAt + 15) == 5)
        }
      }
    }
  }
}
