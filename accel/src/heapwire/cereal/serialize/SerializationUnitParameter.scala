package heapwire.cereal.serialize

import heapwire.cereal.road.PathWord
import heapwire.memory.MemoryParameter
import spinal.core._

/** The parameters of a serialization unit.
  *
  * @param unit           the lower half of the owner words that the unit writes
  * @param classes        entries of the klass table, which has two ways
  * @param headersAhead   references whose headers are being read
  * @param accessEntries  blocks in the memory access interface, through which headers are read: 16, 32 or 64
  * @param blocksAhead    blocks that are fetched before a reference to them is met, when objects follow one another in
  *                       memory; 0: none
  * @param objectsAhead   numbered objects that are held on the chip with what has been read of them; further ones go to
  *                       the work area
  * @param objectReads    blocks of objects in flight
  * @param recentClaims   objects whose metadata may not be in memory yet, or not in what was read of it
  * @param combinerBlocks blocks that gather the stream's parts, and Puts in flight, with a port of 16 bytes
  * @param streamingBytes values from this length on do not allocate blocks in the shared cache
  * @param allocatedBytes size of the image, a power of two, from which on headers and metadata do not allocate blocks
  *                       in the shared cache; half of the shared cache in a cluster. More objects than the cache holds
  *                       would evict each other, with one block fetched and one written back for each
  * @param keptWords      words (of 16 bytes, or of 8 with a narrower port) of each packed section that stay in the
  *                       unit. A stream with shorter sections needs no round trip through the work area
  * @param claimants      units that claim objects at the same time; with more than one, claims are atomic among them
  *                       ([[ClaimArbiter]])
  * @param skyway         the unit also writes clones for Skyway (docs/reference/skyway.md)
  * @param clonesAhead    words of clones that wait for the numbers of references, with `skyway`
  * @param pipelined      false: one object and one reference after the other, as in the paper's "vanilla" unit
  * @param tagWidth       bits of a command's tag
  */
case class SerializationUnitParameter(
    unit: Int = 1,
    classes: Int = 256,
    headersAhead: Int = 16,
    accessEntries: Int = 64,
    blocksAhead: Int = 16,
    objectsAhead: Int = 16,
    objectReads: Int = 16,
    recentClaims: Int = 32,
    combinerBlocks: Int = 16,
    streamingBytes: Int = 8192,
    allocatedBytes: Int = 32768,
    keptWords: Int = 8,
    claimants: Int = 1,
    skyway: Boolean = false,
    clonesAhead: Int = 32,
    pipelined: Boolean = true,
    tagWidth: Int = 4) {
  require(unit >= 0 && unit < 65536, s"unit must have 16 bits, not be $unit")
  for ((what, value) <- Seq("classes" -> classes, "headersAhead" -> headersAhead, "objectsAhead" -> objectsAhead,
      "objectReads" -> objectReads, "recentClaims" -> recentClaims, "clonesAhead" -> clonesAhead))
    require(isPow2(value) && value >= 4, s"$what must be a power of two of at least 4, not $value")
  require(classes >= 64, s"classes must be at least 64, not $classes")
  require(Set(16, 32, 64)(accessEntries), s"accessEntries must be 16, 32 or 64, not $accessEntries")
  require(blocksAhead <= accessEntries / 4,
    s"blocksAhead must be at most a quarter of accessEntries, $accessEntries, not $blocksAhead")
  require(headersAhead <= 16, s"headersAhead must be at most 16, or claims' stamps would wrap, not $headersAhead")
  require(recentClaims >= headersAhead,
    s"recentClaims must not be less than headersAhead, $headersAhead, but is $recentClaims")
  require(recentClaims <= 64, s"recentClaims must be at most 64, or their stamps would wrap, not $recentClaims")
  require(claimants >= 1, s"claimants must be at least 1, not $claimants")
  for ((what, value) <- Seq("streamingBytes" -> streamingBytes, "allocatedBytes" -> allocatedBytes))
    require(isPow2(value), s"$what must be a power of two, not $value")
  require(isPow2(keptWords) && keptWords >= 2, s"keptWords must be a power of two of at least 2, not $keptWords")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")

  def shared: Boolean = claimants > 1

  /** Returns the blocks of the write combiner. With a narrower port a block takes longer, so fewer blocks cover the
    * memory's latency.
    */
  def combined(m: MemoryParameter): Int = if (PathWord.bytes(m) < 16) combinerBlocks / 2 max 4 else combinerBlocks
}

object SerializationUnitParameter {
  /** The paper's ablation: no pipelining. */
  val vanilla: SerializationUnitParameter = SerializationUnitParameter(pipelined = false, blocksAhead = 0)
}
