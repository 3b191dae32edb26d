package heapwire.cereal.road

import spinal.core._

/** Splits a span at the borders of blocks of `words` memory words, and shows the current part. `first` and `last` are
  * its words within `block`; `ends`: it is the span's last part. `next()` goes on to the next part, or to the first
  * part of the next span; `restart()` goes back to the first part.
  */
class SpanParts(span: Span, words: Int) extends Area {
  private val width = log2Up(words)
  /** Number of the span's words in earlier parts. */
  private val done = Reg(UInt(widthOf(span.count) bits)) init 0
  private val start = span.word + done
  private val left = span.count - done
  private val room = U(words, width + 1 bits) - start.resize(width)
  val isFirst = done === 0
  val ends = left <= room
  val block = start >> width
  val first = start.resize(width)
  val last = ends ? (first + left.resize(width) - 1) | U(words - 1, width bits)
  def next(): Unit = done := (ends ? U(0) | (done + room))
  def restart(): Unit = done := 0
}
