package heapwire.memory

/** A unit's compare-and-swap of an aligned 32-bit word in the shared cache, atomic to all masters.
  *
  * A PUT_PARTIAL_DATA of two memory words (size log2(2 * wordBytes)) with `param` [[Param]] at the word's own address, whatever its
  * alignment to the size. First comes the expected value, then the new one, each on every lane, with
  * the mask of the word's lane. The answer is one ACCESS_ACK_DATA of a memory word (size log2(wordBytes)): what stood there before.
  * It is `denied` outside of main memory.
  */
object CompareAndSwap {
  val Param = 4
}
