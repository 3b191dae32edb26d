package heapwire.core

import heapwire.memory._
import heapwire.memory.cache.CacheParameter
import spinal.core._

/** Writes the Verilog of a very small memory system for the proofs: one master of the core, one of a unit, 16 blocks of
  * memory, and a cache of 4 sets of 2 ways. Argument: target folder.
  */
object FabricVerilog extends App {
  private val memory = MemoryParameter(dataWidth = 128, blockBytes = 32)
  private val dram = LiteDramParameter(memoryBytes = 512, stripes = 1, stripeBytes = 512)
  private val unit = memory.master("unit", 4, get = true, put = true)
  SpinalConfig(targetDirectory = args(0), defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(Fabric(CacheParameter(memory, dram, cores = Seq(CoreRoad.node(memory)), units = Seq(unit),
          bytes = 256, ways = 2)))
}
