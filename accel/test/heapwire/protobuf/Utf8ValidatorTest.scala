package heapwire.protobuf

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import scala.util.Random

class Utf8ValidatorTest extends AnyFunSuite {
  private def isUtf8(bytes: Array[Byte]): Boolean =
    try { StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)); true } catch { case _: CharacterCodingException => false }

  private val edges = Seq(0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
    0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff)
  /** One of every sequence of up to four bytes at the borders of the classes, then random texts and damaged ones. */
  private def cases(random: Random): Iterator[Array[Byte]] = {
    val short = for (a <- edges; b <- edges; c <- edges) yield Array(a, b, c).map(_.toByte)
    val four = for (a <- Seq(0xe1, 0xef, 0xf0, 0xf1, 0xf4); b <- edges; c <- edges; d <- Seq(0x7f, 0x80, 0xbf, 0xc2)) yield Array(a, b, c, d).map(_.toByte)
    val points = Seq(0x24, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff)
    val long = Iterator.fill(3000) {
      val text = Seq.fill(random.nextInt(30))(new String(Character.toChars(points(random.nextInt(points.size))))).mkString.getBytes(StandardCharsets.UTF_8)
      if (text.nonEmpty && random.nextBoolean()) text(random.nextInt(text.length)) = edges(random.nextInt(edges.size)).toByte
      if (random.nextInt(4) == 0) text.dropRight(1) else text
    }
    edges.iterator.map(a => Array(a.toByte)) ++ short.iterator ++ four.iterator ++ long
  }

  for (size <- Seq(8, 16)) test(s"chunks of $size bytes: agrees with the Java library") {
    SimConfig.compile(Utf8Validator(size)).doSim(seed = 1) { dut =>
      val random = new Random(1)
      dut.clockDomain.forkStimulus(10)
      dut.io.chunk.valid #= false
      dut.io.clear #= false
      var wrong = false
      dut.clockDomain.onSamplings { wrong |= dut.io.error.toBoolean }
      dut.clockDomain.waitSampling(3)
      for (text <- cases(random) if text.nonEmpty) {
        val pad = if (random.nextBoolean()) Array.fill(random.nextInt(20))('x'.toByte) else Array.empty[Byte]
        val bytes = pad ++ text
        var at = 0
        wrong = false
        while (at < bytes.length) {
          val count = size min (bytes.length - at)
          dut.io.chunk.valid #= true
          dut.io.chunk.count #= count
          dut.io.chunk.last #= at + count == bytes.length
          dut.io.chunk.data #= (0 until size).map(i => BigInt((if (i < count) bytes(at + i).toInt else random.nextInt()) & 0xff) << (8 * i)).sum
          dut.clockDomain.waitSampling()
          dut.io.chunk.valid #= false
          if (random.nextInt(4) == 0) dut.clockDomain.waitSampling(random.nextInt(3))
          at += count
        }
        dut.clockDomain.waitSampling(3)
        assert(wrong == !isUtf8(bytes), bytes.map(b => f"$b%02x").mkString)
        if (wrong) {
          dut.io.clear #= true
          dut.clockDomain.waitSampling()
          dut.io.clear #= false
        }
      }
    }
  }
}
