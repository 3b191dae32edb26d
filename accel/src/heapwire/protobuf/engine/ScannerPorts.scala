package heapwire.protobuf.engine

import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** What the [[Scanner]] has to do with the program, the cache, the hasbits and the registers; the [[WriterPath]] around
  * it passes all of it by.
  */
class ScannerPorts extends Bundle {
  val scan = slave(ScanPort())
  /** The next entry's granule. */
  val request = master(Flow(UInt(32 bits)))
  /** It is the entries' turn to ask. */
  val turn = out Bool ()
  /** The cache took another's request; it has what was asked for 2 cycles ago. */
  val blocked, hit = in Bool ()
  /** The cache's data become the entry at hand. */
  val load = out Bool ()
  val entry = in(TableEntry())
  val facts = in(TypeFacts())
  /** The open message is a C struct; its counts have four bytes. */
  val native, wide = in Bool ()
  /** Bytes of a scalar or an element of the entry. */
  val log2Size = in UInt (2 bits)
  /** Hasbits: wanted, at hand, set. */
  val wantBit = out Bool ()
  val bitReady, seen = in Bool ()
  /** The granule that the entry's slot, or its case word, or the element lies in becomes the one at hand, once it is
    * `ready`: of the former ones 2 cycles later at the earliest, of an element 3.
    */
  val ask = out Bool ()
  val atCase, atElement = out Bool ()
  /** A slot or case word may be asked for in this cycle: the cache reads it in any case. */
  val mayAsk = out Bool ()
  /** Asked for is the slot of the entry that comes, not of the one at hand. */
  val atNext = out Bool ()
  /** While elements are put the granule below may be asked for; it becomes the one at hand when the element moves into
    * it.
    */
  val ahead, steps = out Bool ()
  val ready = in Bool ()
  /** It is here in the next cycle, if the cache has it. */
  val nearly = in Bool ()
  /** It is here, if the cache has it, which is known late in the cycle. By this alone nothing is taken, but what comes
    * next may be asked for.
    */
  val hereIfHit = in Bool ()
  /** The word asked for, with the one above it; the low bits of its address. */
  val value = in Bits (64 bits)
  val lane = in UInt (2 bits)
  /** Which bytes of the granule at hand are zero. */
  val zeros = in Bits (16 bits)
  /** Of a slot or case word: its low byte, the one above, the upper half of its word, the word above are zero. */
  val noByte, noSecond, noUpper, noAbove = in Bool ()
  /** The element at hand is the first one; its address, less the low 6 bits, is that of the bounds' base; its low bits.
    * It moves by so many bytes (an element to be asked for lies there); it becomes the word at hand.
    */
  val isFirst, atBase = in Bool ()
  /** A string's end is looked for: upwards. */
  val upwards = out Bool ()
  val move, take = out Bool ()
  /** What is asked for lies so far from the word at hand, not from the element. */
  val fromWord = out Bool ()
  val by = out SInt (10 bits)
  val element = in UInt (4 bits)
  /** Bytes of a string that has to be UTF-8 have been put, and it is not known yet whether it is. */
  val inText = out Bool ()
  /** What was asked for lies in the block in which objects end, as is known when it is `ready`; or outside of the
    * bounds.
    */
  val atLimit, outside = in Bool ()
}
