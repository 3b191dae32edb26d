package heapwire.protobuf.serialize

import heapwire.memory.{MemoryParameter, PathWord}
import heapwire.protobuf.ByteRun
import spinal.core._
import spinal.lib._

/** Cuts coded items into runs of no more than a word's bytes, the last one first:
  * an item as a whole if it fits, else its first value for itself, and of a
  * varint that is longer than a word what is beyond it. Combinational.
  */
object ItemCutter {
  def apply(m: MemoryParameter, coded: Stream[CodedItem], flush: Bool): Stream[ByteRun] = {
    val bytes = PathWord.bytes(m)
    val run = Stream(ByteRun(bytes))
    val item = coded.payload
    /** What is behind a word's bytes of the second value has left; all of it has. */
    val beyond, second = RegInit(False)
    val cut = item.cut
    val long = if (widthOf(item.second.data) > 8 * bytes) item.long && !beyond && !second else False
    val withFirst = !cut || second
    val withSecond = !cut || !second
    val low = item.second.data.resize(8 * bytes)
    val piece = if (widthOf(item.second.data) > 8 * bytes) {
      val high = item.second.data >> (8 * bytes)
      (low.dropLow(widthOf(high)) & B(8 * bytes - widthOf(high) bits, default -> !long)) ## (long ? high | low.resize(widthOf(high)))
    } else low
    val shift = item.first.count.andMask(!cut)
    run.valid := coded.valid
    run.data := item.first.data.andMask(withFirst).resize(8 * bytes) | (piece |<< (shift << 3)).andMask(withSecond)
    val secondCount = long ? (item.second.count - bytes).resize(5) | (beyond ? U(bytes, 5 bits) | item.second.count.resize(5))
    run.count := (cut ? (second ? item.first.count.resize(5) | secondCount) | item.total).resized
    val last = !cut || second || !long && item.alone
    coded.ready := run.ready && last
    when(run.fire) {
      beyond := long
      second := cut && !last && !long
    }
    when(flush) {
      beyond := False
      second := False
    }
    run
  }
}
