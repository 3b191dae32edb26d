package heapwire.memory

import spinal.core._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.tilelink._

/** The parameters of the units' path to memory.
  *
  * @param dataWidth  bits of a memory word: the width of the DRAM port
  * @param blockBytes the unit of coherence and of the shared cache; no request crosses a block's border
  */
case class MemoryParameter(dataWidth: Int = 128, blockBytes: Int = 64) {
  require(Set(32, 64, 128)(dataWidth), s"dataWidth must be 32, 64 or 128 bits, not $dataWidth")
  require(isPow2(blockBytes) && blockBytes >= 32 && blockBytes * 8 > dataWidth,
    s"blockBytes must be a power of two of at least 32 and more than one memory word, not $blockBytes")

  val addressWidth = 32
  def wordBytes: Int = dataWidth / 8
  def wordsPerBlock: Int = blockBytes / wordBytes
  def wordRange: Range = log2Up(wordBytes) - 1 downto 0
  def blockRange: Range = log2Up(blockBytes) - 1 downto 0

  /** Returns a TileLink master with `sources` ids and the transfers that it may emit. */
  def master(name: String, sources: Int, get: Boolean = false, put: Boolean = false): NodeParameters = {
    def upTo(allowed: Boolean) = if (allowed) SizeRange.upTo(blockBytes) else SizeRange.none
    object Name extends spinal.core.Nameable
    Name.setName(name)
    NodeParameters(
      m = M2sParameters(addressWidth, dataWidth,
        List(M2sAgent(Name,
            M2sSource(
              id = SizeMapping(0, sources),
              emits = M2sTransfers(get = upTo(get), putFull = upTo(put), putPartial = upTo(put)))))),
      s = S2mParameters.none())
  }
}
