package heapwire.protobuf

import heapwire.isa.DescriptorLayout
import heapwire.memory.{MemoryParameter, PathWord}
import spinal.core._

/** The shape of a protobuf unit.
  *
  * @param maxDepth       messages and groups open within the root at most; a command may ask for less
  * @param readsInFlight  blocks of input under way, with a port of 16 bytes
  * @param listReads      blocks under way when a list moves
  * @param cacheBytes     descriptor cache
  * @param combinerBlocks blocks in which writes gather, and Puts in flight, with a port of 16 bytes
  * @param streamingBytes messages from this length on do not allocate whole blocks in the shared cache
  * @param tagWidth       bits of a command's tag
  */
case class ProtobufParameter(
    maxDepth: Int = 100,
    readsInFlight: Int = 16,
    listReads: Int = 4,
    cacheBytes: Int = 4096,
    combinerBlocks: Int = 16,
    streamingBytes: Int = 8192,
    tagWidth: Int = 4) {
  require(maxDepth >= 1 && maxDepth <= 127, s"maxDepth must lie between 1 and 127, not $maxDepth")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")
  require(isPow2(streamingBytes), s"streamingBytes must be a power of two, not $streamingBytes")

  // Over a narrower port a block takes longer, so that fewer of them cover the memory's latency.
  private def fewer(count: Int, m: MemoryParameter): Int = if (PathWord.bytes(m) < 16) count / 2 max 4 else count
  def reads(m: MemoryParameter): Int = fewer(readsInFlight, m)
  def combined(m: MemoryParameter): Int = fewer(combinerBlocks, m)

  /** Levels 0 (the root) to maxDepth. */
  val levelWidth: Int = log2Up(maxDepth + 1)
  val presenceBits: Int = DescriptorLayout.MaxHasbitsWords * 32
}
