package heapwire.memory

import heapwire.memory.cache.{CacheParameter, SharedCache}
import heapwire.memory.dram.DramRoad
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The memory system of a cluster: the shared cache and its path to LiteDRAM.
  *
  *  - `cores`: the core's masters. They never access anything outside main memory.
  *  - `units`: masters of the units and of DMA. Their writes invalidate blocks in the core's data cache (`invalidate`,
  *    `invalidated`). Addresses outside main memory are denied. A master's requests to one block keep their order, with
  *    one exception: a later write may overtake a read that asks for no allocation and misses.
  */
case class Fabric(c: CacheParameter) extends Component {
  val io = new Bundle {
    val cores = Vec(c.cores.map(node => slave(Bus(node))))
    val units = Vec(c.units.map(node => slave(Bus(node))))
    val invalidate = master(Stream(UInt(32 bits)))
    val invalidated = slave(Stream(NoData()))
    val reads = Vec.fill(c.dram.stripes)(master(c.dram.readPort(c.memory)))
    val writes = Vec.fill(c.dram.stripes)(master(c.dram.writePort(c.memory)))
  }
  val cache = SharedCache(c)
  val road = DramRoad(c.memory, c.dram)
  for ((bus, master) <- cache.io.masters.zip(io.cores ++ io.units)) bus << master
  io.invalidate << cache.io.invalidate
  cache.io.invalidated << io.invalidated

  road.io.fetch << cache.io.fetch
  cache.io.fetched << road.io.words
  road.io.decide << cache.io.write
  road.io.word << cache.io.store
  cache.io.sequences := road.io.sequences
  cache.io.fetchRoomy := road.io.roomy
  cache.io.fetchPressed := road.io.pressed
  for (k <- 0 until c.dram.stripes) {
    io.reads(k) <> road.io.reads(k)
    io.writes(k) <> road.io.writes(k)
  }
}
