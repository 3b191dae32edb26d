package heapwire.protobuf.serialize

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction, StandardCharsets}

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class TextCheckerTest extends AnyFunSuite {
  private def isText(bytes: Array[Byte]): Boolean = try {
    StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes))
    true
  } catch { case _: CharacterCodingException => false }

  /** First and last code points of each length, and their neighbours that are none. */
  private val pieces: Seq[Array[Byte]] = {
    def raw(bytes: Int*) = bytes.map(_.toByte).toArray
    Seq(0, 0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xfff, 0x1000, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x10ffff)
      .map(point => new String(Character.toChars(point)).getBytes(StandardCharsets.UTF_8)) ++
      Seq(raw(0xc0, 0x80), raw(0xc1, 0xbf), raw(0xe0, 0x9f, 0xbf), raw(0xed, 0xa0, 0x80), raw(0xed, 0xbf, 0xbf), raw(0xf0, 0x8f, 0xbf, 0xbf),
        raw(0xf4, 0x90, 0x80, 0x80), raw(0xf5, 0x80, 0x80, 0x80), raw(0xff), raw(0xfe), raw(0x80), raw(0xbf, 0xbf))
  }

  for (size <- Seq(16, 8)) test(s"words of $size bytes: texts of valid and invalid pieces, whole and cut, at any place in their words, are judged as the JDK judges them") {
    SimConfig.compile(TextChecker(size)).doSim(seed = 1) { dut =>
      val random = new Random(2)
      dut.clockDomain.forkStimulus(10)
      dut.io.word.valid #= false
      dut.io.clear #= false
      dut.clockDomain.waitSampling(3)
      var good, bad = 0
      for (i <- 0 until 20000) {
        val valid = pieces.take(15)
        val from = if (i % 3 == 0) pieces else valid
        val filler = Array.fill(random.nextInt(18))('a'.toByte)
        var bytes = filler ++ Seq.fill(random.nextInt(12))(from(random.nextInt(from.size))).flatten
        if (i % 4 == 1 && bytes.nonEmpty) bytes = bytes.take(random.nextInt(bytes.length) + 1)
        if (i % 16 == 2 && bytes.nonEmpty) bytes(random.nextInt(bytes.length)) = random.nextInt(256).toByte
        if (bytes.nonEmpty) {
          val start = 8 * random.nextInt(size / 8)
          val padded = Array.fill[Byte](start)(0) ++ bytes
          val words = padded.grouped(size).toSeq.reverse
          var wrong = false
          for ((word, k) <- words.zipWithIndex) {
            if (random.nextInt(4) == 0) {
              dut.io.word.valid #= false
              dut.clockDomain.waitSampling()
            }
            dut.io.word.valid #= true
            dut.io.word.bytes #= word.zipWithIndex.map { case (b, j) => BigInt(b & 0xff) << 8 * j }.sum
            dut.io.word.last #= k == words.size - 1
            dut.clockDomain.waitSampling()
            wrong |= dut.io.wrong.toBoolean
          }
          dut.io.word.valid #= false
          assert(wrong != isText(bytes), bytes.map(b => f"${b & 0xff}%02x").mkString(" "))
          if (wrong) bad += 1 else good += 1
        }
      }
      assert(good > 3000 && bad > 3000)
    }
  }
}
