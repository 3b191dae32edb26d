package heapwire.protobuf.engine.logic

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import scala.util.Random

/** Texts for the checkers of UTF-8, and the judgement of the Java library. */
object Texts {
  def isUtf8(bytes: Array[Byte]): Boolean =
    try { StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)); true }
    catch { case _: CharacterCodingException => false }

  private val edges =
    Seq(0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
      0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff)
  /** Returns sequences of up to four bytes at the borders of the byte classes, then random texts, some of them damaged.
    */
  def cases(random: Random): Iterator[Array[Byte]] = {
    val short = for (a <- edges; b <- edges; c <- edges) yield Array(a, b, c).map(_.toByte)
    val four = for (a <- Seq(0xe1, 0xef, 0xf0, 0xf1, 0xf4); b <- edges; c <- edges; d <- Seq(0x7f, 0x80, 0xbf, 0xc2))
      yield Array(a, b, c, d).map(_.toByte)
    val points = Seq(0x24, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff)
    val long = Iterator.fill(3000) {
      val text = Seq.fill(random.nextInt(30))(
        new String(Character.toChars(points(random.nextInt(points.size))))).mkString.getBytes(StandardCharsets.UTF_8)
      if (text.nonEmpty && random.nextBoolean())
        text(random.nextInt(text.length)) = edges(random.nextInt(edges.size)).toByte
      if (random.nextInt(4) == 0) text.dropRight(1) else text
    }
    edges.iterator.map(a => Array(a.toByte)) ++ short.iterator ++ four.iterator ++ long
  }
}
