package heapwire.memory

/** A unit's compare-and-swap of an aligned 32-bit word in the shared cache, atomic with respect to all masters.
  *
  * The request is a PUT_PARTIAL_DATA of two memory words (size log2(2 * wordBytes)) with `param` [[Param]]. Its address
  * is that of the 32-bit word and need not be aligned to the size. The first beat is the expected value, the second the
  * new one, each repeated on every lane, with the mask of the word's lane. The answer is one ACCESS_ACK_DATA of a
  * memory word (size log2(wordBytes)) with the old content. It is `denied` outside of main memory.
  */
object CompareAndSwap {
  val Param = 4
}
