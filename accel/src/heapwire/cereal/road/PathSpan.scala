package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** A [[PathWord]] of a span. */
case class PathSpanWord(p: MemoryParameter) extends Bundle {
  val data = Bits(PathWord.bits(p) bits)
  val error = Bool()
  /** The last word of its span. */
  val last = Bool()
}

/** Joins the memory words of spans to [[PathWord]]s; a span must start and end at a [[PathWord]]. Combinational. With a
  * narrow port, a word waits for its second half.
  */
object PathSpan {
  def apply(p: MemoryParameter, words: Stream[SpanWord]): Stream[PathSpanWord] = {
    val joined = Stream(PathSpanWord(p))
    if (PathWord.beats(p) == 1) {
      joined.arbitrationFrom(words)
      joined.data := words.data
      joined.error := words.error
    } else {
      val half = RegInit(False)
      val held = RegNextWhen(words.payload, words.fire)
      joined.valid := words.valid && half
      words.ready := !half || joined.ready
      when(words.fire) { half := !half }
      joined.data := words.data ## held.data
      joined.error := words.error || held.error
    }
    joined.last := words.last
    joined
  }
}
