package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.tilelink._
import spinal.lib.bus.tilelink.coherent.{Cache, CacheParam}
import spinal.lib.system.tag.MappedTransfers

/** What the fabric joins.
  *
  * @param cores        TileLink masters of the core; they never leave main memory
  * @param units        masters of the units (and of DMA): their writes are snooped
  *                     into the core's data cache, addresses outside main memory are denied
  * @param cacheBytes   the shared cache, a power of two
  * @param cacheWays    its ways
  * @param generalSlots requests it holds at a time
  * @param snoop        false only in tests that show what coherence is for
  */
case class FabricParameter(
    memory: MemoryParameter,
    dram: LiteDramParameter,
    cores: Seq[NodeParameters],
    units: Seq[NodeParameters],
    cacheBytes: Int = 16 * 1024,
    cacheWays: Int = 4,
    generalSlots: Int = 16,
    snoop: Boolean = true
) {
  require(isPow2(cacheBytes) && cacheBytes >= cacheWays * memory.blockBytes * 2,
    s"cacheBytes must be a power of two of at least ${cacheWays * memory.blockBytes * 2}, not $cacheBytes")
  require(cores.nonEmpty && units.nonEmpty, "a fabric joins at least one core master and one unit master")
}

/** The memory system of a cluster: masters, range check, snoop, the shared
  * write-back cache, and the bridge to LiteDRAM.
  *
  * {{{
  *  units -> arbiter -> range check -> snoop filter -+-> arbiter -> cache -> bridge -> LiteDRAM
  *                          \-> denied   |           |
  *  core (data, instructions) -----------)-----------+
  *                                       +-> invalidate -> the core's data cache
  * }}}
  *
  * The cache may reorder two requests to one block, so a master keeps at most one
  * outstanding where their order matters. A request waits for every other one to its set, in a loop
  * beside the pipeline: a Put that streams to where reads are under way would hold up all behind it, so the
  * loop and the buffers of Puts have room for as many as there are slots. A.param = 2 asks for no allocation.
  */
case class Fabric(f: FabricParameter) extends Component {
  private val p = f.memory
  private val unitNode = Arbiter.downNodeFrom(f.units)
  /** The cache wants one acquiring master: this one never asks for anything. */
  private val acquirer = NodeParameters(
    m = M2sParameters(p.addressWidth, p.dataWidth, List(M2sAgent(this, M2sSource(
      id = SizeMapping(0, 1), emits = M2sTransfers(acquireT = SizeRange(p.blockBytes), acquireB = SizeRange(p.blockBytes)))))),
    s = S2mParameters.none())

  val io = new Bundle {
    val cores = Vec(f.cores.map(node => slave(Bus(node))))
    val units = Vec(f.units.map(node => slave(Bus(node))))
    val invalidate = master(Stream(UInt(p.addressWidth bits)))
    val invalidated = slave(Stream(NoData()))
    val reservationBreak = master(Flow(UInt(p.addressWidth bits)))
    val reads = Vec.fill(f.dram.stripes)(master(f.dram.readPort(p)))
    val writes = Vec.fill(f.dram.stripes)(master(f.dram.writePort(p)))
  }

  val units = new Area {
    val arbiter = Arbiter(f.units, unitNode)
    for ((bus, i) <- io.units.zipWithIndex) arbiter.io.ups(i) << bus

    val range = RangeCheck(unitNode, f.dram)
    range.io.up.a << arbiter.io.down.a.pipelined(m2s = true, s2m = true)
    // Both ways: without, a unit's readiness would go through every arbiter up to the DRAM's readers in one cycle.
    arbiter.io.down.d << range.io.up.d.pipelined(m2s = true, s2m = true)

    val snoop = SnoopFilter(unitNode, p, enabled = f.snoop)
    snoop.io.up << range.io.down
    io.invalidate << snoop.io.invalidate
    snoop.io.invalidated << io.invalidated
    io.reservationBreak := snoop.io.reservationBreak
  }

  private val upNodes = f.cores ++ Seq(unitNode, acquirer)
  private val merged = Arbiter.downMastersFrom(upNodes.map(_.m))
  private val cacheUp = NodeParameters(merged, Cache.upS2m(this, p.blockBytes, f.generalSlots))

  val cache = new Cache(CacheParam(
    unp = cacheUp,
    downPendingMax = f.generalSlots,
    cacheWays = f.cacheWays,
    cacheBytes = f.cacheBytes,
    blockSize = p.blockBytes,
    aBufferCount = f.generalSlots max 8,
    ctrlLoopbackDepth = f.generalSlots,
    generalSlotCount = f.generalSlots,
    generalSlotCountUpCOnly = 1,
    probeCount = 2,
    coherentRegion = _ => False,
    allocateOnMiss = (_, _, _, _, param) => param =/= Param.Hint.NO_ALLOCATE_ON_MISS
  ))

  val joined = new Area {
    val nodes = upNodes.map(node => NodeParameters(node.m, if (node.m.withBCE) cacheUp.s else S2mParameters.none()))
    val arbiter = Arbiter(nodes, cacheUp)
    for ((bus, i) <- io.cores.zipWithIndex) arbiter.io.ups(i) << bus
    arbiter.io.ups(io.cores.size) << units.snoop.io.down
    val idle = arbiter.io.ups.last
    idle.a.valid := False
    idle.a.payload.assignDontCare()
    idle.b.ready := True
    idle.c.valid := False
    idle.c.payload.assignDontCare()
    idle.d.ready := True
    idle.e.valid := False
    idle.e.payload.assignDontCare()

    cache.io.up.a << arbiter.io.down.a.pipelined(m2s = true, s2m = true)
    arbiter.io.down.b << cache.io.up.b
    cache.io.up.c << arbiter.io.down.c
    arbiter.io.down.d << cache.io.up.d.pipelined(m2s = true, s2m = true)
    cache.io.up.e << arbiter.io.down.e
  }

  val bridge = LiteDramBridge(cache.io.down.p, p, f.dram)
  bridge.io.up << cache.io.down
  for (i <- 0 until f.dram.stripes) {
    io.reads(i) <> bridge.io.reads(i)
    io.writes(i) <> bridge.io.writes(i)
  }
}
