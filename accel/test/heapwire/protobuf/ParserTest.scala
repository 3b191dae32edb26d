package heapwire.protobuf

import heapwire.isa.Status
import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._

import scala.util.Random

/** The parser with its decoder, as the deserializer joins them. */
case class ParserSystem(p: MemoryParameter) extends Component {
  val parser = Parser(p)
  val io = new Bundle {
    val word = slave(Stream(RangeWord(p)))
    val start = slave(Flow(UInt(32 bits)))
    val directive = slave(Flow(Directive()))
    val kill = in Bool()
    val token = master(Stream(Token()))
    val chunk = master(Stream(ByteChunk(PathWord.bytes(p))))
  }
  parser.io.word << io.word
  parser.io.start << io.start
  parser.io.directive << io.directive
  parser.io.kill := io.kill
  io.chunk << parser.io.chunk
  io.token << parser.io.token.map(KeyDecoder(_)).m2sPipe(flush = io.kill)
}

class ParserTest extends AnyFunSuite {
  import Wire._

  private class Bench(dut: ParserSystem, val random: Random, stall: Double) {
    val clock = dut.clockDomain
    clock.forkStimulus(10)
    private var words = Seq.empty[(BigInt, Int, Int, Boolean)]
    dut.io.word.valid #= false
    dut.io.start.valid #= false
    dut.io.directive.valid #= false
    dut.io.kill #= false
    dut.io.token.ready #= false
    dut.io.chunk.ready #= false
    clock.waitSampling(3)
    private def luck = random.nextDouble() >= stall
    clock.onSamplings {
      if (dut.io.word.valid.toBoolean && dut.io.word.ready.toBoolean) {
        words = words.tail
        dut.io.word.valid #= false
      }
      if (words.nonEmpty && (luck || dut.io.word.valid.toBoolean)) {
        val (data, offset, count, last) = words.head
        dut.io.word.valid #= true
        dut.io.word.data #= data
        dut.io.word.offset #= offset
        dut.io.word.count #= count
        dut.io.word.last #= last
        dut.io.word.error #= false
      } else dut.io.word.valid #= false
    }

    /** Feeds the bytes at an offset, garbage around them. */
    def start(bytes: Array[Byte]): Unit = {
      val wordBytes = dut.p.wordBytes
      val offset = random.nextInt(wordBytes)
      val padded = Array.fill(offset)(random.nextInt().toByte) ++ bytes
      val filled = padded ++ Array.fill((wordBytes - padded.length % wordBytes) % wordBytes)(random.nextInt().toByte)
      val groups = if (bytes.isEmpty) Nil else filled.grouped(wordBytes).toSeq
      dut.io.start.valid #= true
      dut.io.start.payload #= bytes.length
      clock.waitSampling()
      dut.io.start.valid #= false
      words = groups.zipWithIndex.map { case (group, i) =>
        (group.zipWithIndex.map { case (b, k) => BigInt(b & 0xff) << (8 * k) }.sum, if (i == 0) offset else 0, wordBytes, i == groups.size - 1)
      }
    }

    def token(): (SpinalEnumElement[TokenKind.type], Long, Int, BigInt, Long, Int) = {
      while (!luck) clock.waitSampling()
      dut.io.token.ready #= true
      if (clock.waitSamplingWhere(3000)(dut.io.token.valid.toBoolean)) simFailure("no token")
      val t = dut.io.token
      val result = (t.kind.toEnum, t.number.toLong, t.wireType.toInt, t.value.toBigInt, t.offset.toLong, t.status.toInt)
      dut.io.token.ready #= false
      result
    }
    def direct(mode: SpinalEnumElement[ParserMode.type], left: Int, inputEnd: Boolean = false): Unit = {
      clock.waitSampling(random.nextInt(4))
      dut.io.directive.valid #= true
      dut.io.directive.mode #= mode
      dut.io.directive.frame #= false
      dut.io.directive.left #= left
      dut.io.directive.toInputEnd #= inputEnd
      clock.waitSampling()
      dut.io.directive.valid #= false
    }
    def chunks(length: Int): Array[Byte] = {
      val out = scala.collection.mutable.ArrayBuffer[Byte]()
      while (out.length < length) {
        while (!luck) clock.waitSampling()
        dut.io.chunk.ready #= true
        if (clock.waitSamplingWhere(3000)(dut.io.chunk.valid.toBoolean)) simFailure("no chunk")
        val data = dut.io.chunk.data.toBigInt
        for (i <- 0 until dut.io.chunk.count.toInt) out += (data >> (8 * i)).toByte
        assert(dut.io.chunk.last.toBoolean == (out.length >= length))
        dut.io.chunk.ready #= false
      }
      out.toArray
    }
  }

  for (width <- Seq(32, 64, 128)) test(s"width $width: random fields, packed runs, strings and skips") {
    SimConfig.compile(ParserSystem(MemoryParameter(dataWidth = width))).doSim(seed = 1) { dut =>
      val bench = new Bench(dut, new Random(width), stall = 0.3)
      val random = bench.random
      for (_ <- 0 until 25) {
        val fields = Seq.fill(random.nextInt(25))((random.nextInt(1 << (1 + random.nextInt(29))) max 1, Seq(0, 1, 2, 5)(random.nextInt(4)), random.nextInt(3)))
        val values = fields.map { case (_, wireType, _) => randomValue(random, wireType) }
        val payloads = fields.map { case (_, _, use) =>
          if (use == 0) Seq.fill(random.nextInt(12))(BigInt(random.nextInt(64), random)) else Nil
        }
        val bytes = scala.collection.mutable.ArrayBuffer[Byte]()
        val parts = for (((number, wireType, use), i) <- fields.zipWithIndex) yield {
          val offset = bytes.length
          bytes ++= varint(BigInt(number) << 3 | wireType, if (random.nextInt(4) == 0) random.nextInt(10) else 0)
          val body = if (wireType != 2) Array.empty[Byte] else if (use == 0) payloads(i).flatMap(varint(_, random.nextInt(3))).toArray
            else { val b = new Array[Byte](random.nextInt(70)); random.nextBytes(b); b }
          if (wireType == 2) bytes ++= varint(body.length, random.nextInt(3)) else bytes ++= encode(values(i), wireType, random)
          bytes ++= body
          (offset, body)
        }
        bench.start(bytes.toArray)
        for ((((number, wireType, use), i), (offset, body)) <- fields.zipWithIndex.zip(parts)) {
          val value = if (wireType == 2) BigInt(body.length) else values(i)
          assert(bench.token() == ((TokenKind.Field, number.toLong, wireType, value, offset.toLong, 0)))
          if (wireType == 2) (if (body.isEmpty) 3 else use) match {
            case 0 =>
              bench.direct(ParserMode.PackedVarint, body.length)
              for (element <- payloads(i)) assert(bench.token()._4 == element)
              assert(bench.token()._1 == TokenKind.PackedEnd)
            case 1 =>
              bench.direct(ParserMode.Bytes, body.length)
              assert(bench.chunks(body.length).sameElements(body))
            case 2 => bench.direct(ParserMode.Skip, body.length)
            case 3 => bench.direct(ParserMode.Field, 0)
          }
        }
        assert(bench.token()._1 == TokenKind.End)
        if (random.nextInt(4) == 0) {
          dut.io.kill #= true
          bench.clock.waitSampling(3)
          dut.io.kill #= false
        }
      }
    }
  }

  test("malformed input has its status and offset") {
    SimConfig.compile(ParserSystem(MemoryParameter())).doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(9), stall = 0.2)
      def bytes(values: Int*) = values.map(_.toByte).toArray
      val full = Seq.fill(9)(0x80)
      val cases: Seq[(Array[Byte], Status, Int)] = Seq(
        (bytes(0x80), Status.Truncated, 0),
        (bytes(0x08), Status.Truncated, 0),
        (bytes(0x08, 1, 0x08, 0xff), Status.Truncated, 2),
        (bytes(0x0d, 1, 2, 3), Status.Truncated, 0),
        (bytes(0x09, 1, 2, 3, 4, 5, 6, 7), Status.Truncated, 0),
        (bytes(full: _*), Status.Truncated, 0),
        (bytes((full ++ Seq(0x80, 0, 0)): _*), Status.VarintOverflow, 0),
        (bytes(0x80, 0x80, 0x80, 0x80, 0x10, 1), Status.VarintOverflow, 0),
        (bytes(0x88, 0x80, 0x80, 0x80, 0x80, 0x01, 1), Status.VarintOverflow, 0),
        (bytes(Seq(0x08) ++ Seq.fill(10)(0xff) ++ Seq(0): _*), Status.VarintOverflow, 0),
        (bytes(0x00, 1), Status.FieldNumberZero, 0),
        (bytes(0x07), Status.FieldNumberZero, 0),
        (bytes(0x0e), Status.BadWireType, 0),
        (bytes(0x08, 1, 0x0f), Status.BadWireType, 2),
        (bytes(0x88, 0x80, 0x80, 0x80, 0x80, 0x00), Status.Truncated, 0))
      for ((input, status, offset) <- cases) {
        bench.start(input)
        var token = bench.token()
        while (token._6 == 0 && token._1 != TokenKind.End) token = bench.token()
        assert((token._6, token._5) == ((status.code, offset.toLong)), input.map(b => f"$b%02x").mkString)
        dut.io.kill #= true
        bench.clock.waitSampling(8)
        dut.io.kill #= false
      }
    }
  }

  test("one key and value a cycle") {
    SimConfig.compile(ParserSystem(MemoryParameter())).doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(9), stall = 0)
      bench.start(Array.fill(200)(Seq[Byte](0x08, 0x05)).flatten)
      dut.io.token.ready #= true
      bench.clock.waitSamplingWhere(dut.io.token.valid.toBoolean)
      var tokens, cycles = 1
      while (tokens < 200) {
        bench.clock.waitSampling()
        cycles += 1
        if (dut.io.token.valid.toBoolean) tokens += 1
      }
      assert(cycles <= 202)
    }
  }
}
