package heapwire.protobuf.engine.write

import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** The ports of the [[Scanner]] to the program, the cache, the hasbits and the registers. The [[WriterPath]] around the
  * scanner passes them through.
  */
class ScannerPorts extends Bundle {
  val scan = slave(ScanPort())
  /** Address of the next entry's granule. */
  val request = master(Flow(UInt(32 bits)))
  /** It is the entries' turn to make a request. */
  val turn = out Bool ()
  /** `blocked`: the cache took another requester's request. `hit`: the cache has the granule requested 2 cycles ago. */
  val blocked, hit = in Bool ()
  /** The cache's data become the current entry. */
  val load = out Bool ()
  val entry = in(TableEntry())
  val facts = in(TypeFacts())
  /** The open message is a C struct; its counts have four bytes. */
  val native, wide = in Bool ()
  /** log2 of the bytes of a scalar or an element of the entry. */
  val log2Size = in UInt (2 bits)
  /** Hasbits: the field's bit is wanted; its word is at hand; the bit is set. */
  val wantBit = out Bool ()
  val bitReady, seen = in Bool ()
  /** `ask` requests the granule with the entry's slot, its case word (`atCase`) or the element (`atElement`). The
    * granule becomes the current one once it is `ready`: 2 cycles later at the earliest, for an element 3.
    */
  val ask = out Bool ()
  val atCase, atElement = out Bool ()
  /** A slot or case word may be requested in this cycle; the cache reads it in any case. */
  val mayAsk = out Bool ()
  /** The request is for the slot of the arriving entry, not of the current one. */
  val atNext = out Bool ()
  /** `ahead`: while elements are put, the granule below is requested. `steps`: the element moves into that granule,
    * which becomes the current one.
    */
  val ahead, steps = out Bool ()
  val ready = in Bool ()
  /** The granule is here in the next cycle, if the cache hits. */
  val nearly = in Bool ()
  /** The granule is here, if the cache hits, which is known late in the cycle. Nothing may be taken by this signal
    * alone, but the next granule may be requested.
    */
  val hereIfHit = in Bool ()
  /** The requested word with the one above it, and the low bits of its address. */
  val value = in Bits (64 bits)
  val lane = in UInt (2 bits)
  /** One bit per byte of the current granule: the byte is zero. */
  val zeros = in Bits (16 bits)
  /** For a slot or case word: its low byte, the byte above, the upper half of its word, and the word above are zero. */
  val noByte, noSecond, noUpper, noAbove = in Bool ()
  /** The current element: it is the first one; its address has the same high bits (from bit 6) as the base of the
    * bounds. Below, `element` is its low address bits, `move` moves it by `by` bytes (an element to be requested is
    * there), and `take` sets it to the current word.
    */
  val isFirst, atBase = in Bool ()
  /** A search for a string's end, which goes upwards. */
  val upwards = out Bool ()
  val move, take = out Bool ()
  /** `by` is relative to the current word instead of the element. */
  val fromWord = out Bool ()
  val by = out SInt (10 bits)
  val element = in UInt (4 bits)
  /** Bytes of a string that must be UTF-8 have been put, and it is not known yet whether they are valid. */
  val inText = out Bool ()
  /** The requested data lie in the block in which objects end (valid when `ready`), or outside of the bounds. */
  val atLimit, outside = in Bool ()
}
