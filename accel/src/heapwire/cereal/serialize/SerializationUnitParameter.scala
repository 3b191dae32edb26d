package heapwire.cereal.serialize

import heapwire.cereal.road.PathWord
import heapwire.memory.MemoryParameter
import spinal.core._

/** The shape of a serialization unit.
  *
  * @param unit           what it writes into the lower half of an object's owner word
  * @param classes        places in the table of klasses, two ways
  * @param headersAhead   references whose headers are being read
  * @param accessEntries  blocks in the memory access interface, through which headers are read
  * @param blocksAhead    blocks that are fetched before a reference to them is met, when objects lie one behind the
  *                       other; 0: none
  * @param objectsAhead   objects that are numbered and held on chip with what has been read of them; beyond that they
  *                       go to the work area
  * @param objectReads    blocks of objects under way
  * @param recentClaims   objects whose metadata may not be in memory yet, or not in what was read of it
  * @param combinerBlocks blocks in which the stream's parts gather, and Puts in flight, with a port of 16 bytes
  * @param streamingBytes values from this length on do not allocate blocks in the shared cache
  * @param allocatedBytes of an image, a power of two; in a cluster half of the shared cache: headers and metadata of
  *                       the objects behind do not allocate blocks in the shared cache: more objects than it holds
  *                       would drive each other out, a block fetched and a block written back for each
  * @param claimants      units that claim objects at the same time: with more than one, claims are atomic among them
  *                       ([[ClaimArbiter]])
  * @param skyway         it writes clones for Skyway, too (docs/skyway.md)
  * @param clonesAhead    words of clones that wait for numbers of references, with `skyway`
  * @param pipelined      false: one object after the other, one reference after the other, as the paper's "vanilla"
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
    claimants: Int = 1,
    skyway: Boolean = false,
    clonesAhead: Int = 32,
    pipelined: Boolean = true,
    tagWidth: Int = 4) {
  require(unit >= 0 && unit < 65536, s"unit must have 16 bits, not be $unit")
  for ((what, value) <- Seq("classes" -> classes, "headersAhead" -> headersAhead, "objectsAhead" -> objectsAhead,
      "objectReads" -> objectReads, "recentClaims" -> recentClaims, "clonesAhead" -> clonesAhead))
    require(isPow2(value) && value >= 4, s"$what must be a power of two of at least 4, not $value")
  require(headersAhead <= 16, s"headersAhead must be at most 16, or claims' stamps would wrap, not $headersAhead")
  require(recentClaims >= headersAhead, s"recentClaims must not be less than headersAhead, $headersAhead, but is $recentClaims")
  require(recentClaims <= 64, s"recentClaims must be at most 64, or their stamps would wrap, not $recentClaims")
  require(claimants >= 1, s"claimants must be at least 1, not $claimants")
  for ((what, value) <- Seq("streamingBytes" -> streamingBytes, "allocatedBytes" -> allocatedBytes))
    require(isPow2(value), s"$what must be a power of two, not $value")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")

  def shared: Boolean = claimants > 1

  /** Over a narrower port a block takes longer, so that fewer of them cover the memory's latency. */
  def combined(m: MemoryParameter): Int = if (PathWord.bytes(m) < 16) combinerBlocks / 2 max 4 else combinerBlocks
}

object SerializationUnitParameter {
  /** The paper's ablation: no pipelining. */
  val vanilla: SerializationUnitParameter = SerializationUnitParameter(pipelined = false, blocksAhead = 0)
}
