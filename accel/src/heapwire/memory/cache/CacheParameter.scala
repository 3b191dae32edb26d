package heapwire.memory.cache

import heapwire.memory.{LiteDramParameter, MemoryParameter}
import spinal.core._
import spinal.lib.bus.tilelink.NodeParameters

/** The parameters of the shared cache.
  *
  * @param cores  the core's masters: they never access anything outside main memory and rely on order; one may delay an
  *               answer
  * @param units  all other masters: their writes are snooped, and their answers may come out of order
  * @param narrow number of units, the first ones, whose writes are at most a 32-bit word, repeated on every lane, as
  *               the core's are
  * @param bytes  size, a power of two
  * @param ways   2 or 4
  * @param snoop  false only in tests that show what coherence is for
  */
case class CacheParameter(memory: MemoryParameter, dram: LiteDramParameter, cores: Seq[NodeParameters],
    units: Seq[NodeParameters],
    bytes: Int, ways: Int, narrow: Int = 0, snoop: Boolean = true) {
  require(ways == 2 || ways == 4, s"the shared cache has 2 or 4 ways, not $ways")
  require(isPow2(bytes) && bytes >= 4 * ways * memory.blockBytes,
    s"bytes must be a power of two of at least ${4 * ways * memory.blockBytes}, not $bytes")
  require(cores.nonEmpty && units.nonEmpty, "the cache has at least one core master and one unit master")

  val masters: Seq[NodeParameters] = cores ++ units
  val sourceWidth: Int = masters.map(_.m.sourceWidth).max
  val portWidth: Int = log2Up(masters.size)
  val sets: Int = bytes / ways / memory.blockBytes
  val setWidth: Int = log2Up(sets)
  val tagWidth: Int = dram.blockWidth(memory) - setWidth
  val beatWidth: Int = log2Up(memory.wordsPerBlock)
  /** 32-bit words per block. Each has a valid bit, so that a store of a word needs no fetch. */
  val granules: Int = memory.blockBytes / 4
  val lanes: Int = memory.dataWidth / 32
  /** Entries of the bucket table. Consecutive blocks have consecutive entries, and two sets never share one. A read
    * waits for a pending write of another block of its bucket: sixteen times as many entries as blocks keep that below
    * 5 %. A very small memory has an entry for each block.
    */
  val buckets: Int = (2048 max sets max (16 * dram.writeBlocks * dram.stripes)) min (1 << dram.blockWidth(memory))
  require(log2Up(dram.stripeBytes / memory.blockBytes) + log2Up(dram.stripes) <= log2Up(buckets),
    s"a bucket is for blocks of one stripe: $buckets buckets are too few for stripes of ${dram.stripeBytes} bytes")

  def inMemory(address: UInt): Bool = address(31 downto log2Up(dram.memoryBytes)) ===
    (dram.memoryBase >> log2Up(dram.memoryBytes))
  def block(address: UInt): UInt = address(log2Up(dram.memoryBytes) - 1 downto log2Up(memory.blockBytes))
  /** Returns the number of memory words of a request of 2^size bytes, minus one. */
  def beats(size: UInt): UInt = B((0 until beatWidth).map(bit => size > log2Up(memory.wordBytes) + bit)).asUInt
}

/** The master and source id of a request, to which the answer goes. */
case class Origin(c: CacheParameter) extends Bundle {
  val port = UInt(c.portWidth bits)
  val source = UInt(c.sourceWidth bits)
  def isCore: Bool = port < c.cores.size
}

/** A request as it passes the look-up. */
case class Request(c: CacheParameter) extends Bundle {
  val origin = Origin(c)
  /** `put`: a write; with `swap`, a compare-and-swap. Otherwise the request is a read. */
  val put, swap = Bool()
  /** The core's LR or SC. */
  val exclusive = Bool()
  /** The request asks for no allocation. */
  val passing = Bool()
  val address = UInt(32 bits)
  /** log2 of the request's bytes. */
  val size = UInt(3 bits)
}

/** A beat of a request. Data and mask are defined for a put only. */
case class Beat(c: CacheParameter) extends Bundle {
  val request = Request(c)
  val data = Bits(c.memory.dataWidth bits)
  val mask = Bits(c.memory.wordBytes bits)
}

/** A memory word to be written. */
case class Word(c: CacheParameter) extends Bundle {
  val data = Bits(c.memory.dataWidth bits)
  val mask = Bits(c.memory.wordBytes bits)
}

/** The look-up's decision for the data lane. The data lane executes it in this order: evict, then fill, then the
  * request itself.
  */
case class LaneCommand(c: CacheParameter) extends Bundle {
  val origin = Origin(c)
  val put, swap = Bool()
  /** Where the put's words go: into the cache (`store`), to DRAM (`pass`), or nowhere. */
  val store, pass = Bool()
  /** The answer says that nothing was done. */
  val denied = Bool()
  val size = UInt(3 bits)
  val first = UInt(c.beatWidth bits)
  val set = UInt(c.setWidth bits)
  val way = UInt(log2Up(c.ways) bits)
  val evict, fill = Bool()
  /** The tag of the block that goes to DRAM: the victim's or the put's. */
  val tag = UInt(c.tagWidth bits)
  /** Valid granules: the victim's if there is a victim (then the new block has none), otherwise the block's. */
  val here = Bits(c.granules bits)
}

/** A read that bypasses the cache. */
case class StreamCommand(c: CacheParameter) extends Bundle {
  val origin = Origin(c)
  val size = UInt(3 bits)
}

/** A unit's write, whose block is to be invalidated in the core's data cache. */
case class Snooped(c: CacheParameter) extends Bundle {
  val origin = Origin(c)
  val size = UInt(3 bits)
  val swap = Bool()
  val block = UInt(c.dram.blockWidth(c.memory) bits)
}

/** A beat of an answer. */
case class Answer(c: CacheParameter) extends Bundle {
  val origin = Origin(c)
  val size = UInt(3 bits)
  val isData, denied, last = Bool()
  val data = Bits(c.memory.dataWidth bits)
}
