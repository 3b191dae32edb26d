package heapwire.protobuf.serialize

import heapwire.memory.{MemoryParameter, PathWord}
import heapwire.protobuf.ByteRun
import spinal.core._

/** What the emitter hands on, see [[Item]]. */
object ItemKind extends SpinalEnum {
  /** Two values behind each other, each of them or none. */
  val Pair = newElement()
  /** Bytes as they are. */
  val Bytes = newElement()
  /** A nested message or packed field ends here; it starts here: `first` is its key, the length is not known yet. */
  val Mark, Close = newElement()
  val End, Fail = newElement()
}

/** One step of the output, downwards. */
case class Item(m: MemoryParameter) extends Bundle {
  val kind = ItemKind()
  /** Pair: comes first in the output: a key, or an element of two. Bytes: of 16 the upper 8. Fail: the status. */
  val first = Bits(Item.firstBits(m) bits)
  /** Pair: comes behind `first`. Bytes: the bytes, or the lower 8, from the first one that counts on. */
  val second = Bits(64 bits)
  val hasFirst, hasSecond = Bool()
  /** The second value is no varint but its first 4 or 8 bytes. */
  val fixed, wide = Bool()
  /** Bytes: how many count. Those of a text start at the word's first byte or, `upper`, at its 9th. */
  val count = UInt(log2Up(PathWord.bytes(m) + 1) bits)
  val upper = Bool()
  /** Bytes of a text to be checked, and the last of them. */
  val checked, last = Bool()
  val origin = UInt(32 bits)
}

object Item {
  /** Two elements at once are for words of 16 bytes; else the first value is a key. */
  def pairs(m: MemoryParameter): Boolean = PathWord.bytes(m) == 16
  def firstBits(m: MemoryParameter): Int = if (pairs(m)) 64 else 32
}

/** Bytes for the output: those of `first`, those of `second` behind them. */
case class CodedItem(m: MemoryParameter) extends Bundle {
  val first = ByteRun((Item.firstBits(m) + 6) / 7)
  val second = ByteRun(10 max PathWord.bytes(m))
  val total = UInt(5 bits)
  /** Together they are more than a word; the second one alone is; there is no first one. */
  val cut, long, alone = Bool()
}
