package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A direct-mapped, read-only cache of whole blocks, read by 16-byte words.
  *
  * A read asks in one cycle and is answered in the next (`hit`, `data`); one
  * read a cycle. A reader that misses asks again until it hits: the block is
  * fetched meanwhile, and those behind it are prefetched. `prefetch` asks for
  * further blocks in a row, best effort. Nothing at or beyond `limit` is prefetched.
  *
  *  - `invalidate` (pulse) drops everything, blocks under way included; for some 16 cycles behind it nothing hits.
  *  - `fault` (level, until `invalidate` or `clear`): the bus denied a block that a reader asked for.
  *
  * @param bytes size of the data
  */
case class BlockCache(p: MemoryParameter, bytes: Int = 4096) extends Component {
  require(isPow2(bytes) && bytes >= 4 * p.blockBytes, s"bytes must be a power of two of at least four blocks, not $bytes")
  private val slots = 4
  val node: NodeParameters = p.master("block_cache", slots, get = true)

  case class Prefetch() extends Bundle {
    /** The first block. */
    val address = UInt(p.addressWidth bits)
    val blocks = UInt(3 bits)
  }

  val io = new Bundle {
    val request = slave(Flow(UInt(p.addressWidth bits)))
    val hit = out Bool()
    val data = out Bits(128 bits)
    val fault = out Bool()
    val prefetch = slave(Flow(Prefetch()))
    val limit = in UInt(p.addressWidth bits)
    val invalidate, clear = in Bool()
    val idle = out Bool()
    val bus = master(Bus(node))
  }
  private val lines = bytes / p.blockBytes
  private val blockShift = log2Up(p.blockBytes)
  private val Block = HardType(UInt(p.addressWidth - blockShift bits))
  private val beatsPerGranule = 16 / p.wordBytes
  private def indexOf(block: UInt) = block.resize(log2Up(lines))
  private def tagOf(block: UInt) = block >> log2Up(lines)

  private val Tag = HardType(UInt(p.addressWidth - blockShift - log2Up(lines) bits))

  /** A memory for each of a granule's beats. */
  val data = Seq.fill(beatsPerGranule)(BlockRam(Mem(Bits(p.dataWidth bits), bytes / 16)))

  case class Line() extends Bundle {
    val valid = Bool()
    val tag = Tag()
  }

  /** What the lines have, if anything; written when the last of a line's block has come. Banks, so that they are soon cleared. */
  val tags = new Area {
    private val depth = lines min 16
    private val indexWidth = log2Up(depth)
    val banks = Seq.fill(lines / depth)(Mem(Line(), depth))
    val clearing = RegInit(True)
    val cleared = Reg(UInt(indexWidth bits)) init 0
    when(clearing) {
      cleared := cleared + 1
      clearing := !cleared.andR
    }
    when(io.invalidate) {
      clearing := True
      cleared := 0
    }
    val index = UInt(log2Up(lines) bits)
    val line = Line()
    val write = Bool()
    for ((bank, i) <- banks.zipWithIndex) {
      val mine = if (banks.size == 1) True else (index >> indexWidth) === i
      val next = CombInit(line)
      when(clearing) { next.valid := False }
      bank.write(clearing ? cleared | index.resize(indexWidth), next, clearing || write && mine)
    }
    def has(block: UInt): Bool = {
      val found = Vec(banks.map(_.readAsync(block.resize(indexWidth))))
      val line = if (banks.size == 1) found.head else found(block.resize(log2Up(lines)) >> indexWidth)
      line.valid && line.tag === tagOf(block)
    }
  }

  /** Fetches under way; slot 0 is for what a reader waits for. `filling`: beats are still to come. */
  val busy, filling, stale = RegInit(B(0, slots bits))
  val fetching = Vec.fill(slots)(Reg(UInt(log2Up(lines) bits)))
  val fetchingTags = Mem(Tag(), slots)
  private def underWay(which: Bits, block: UInt) =
    (0 until slots).map(i => which(i) && fetching(i) === indexOf(block)).orR

  /** Blocks that may be prefetched are looked up when no reader asks, or one asks for what is under way. */
  val ahead = new Area {
    val block = Reg(Block())
    val remaining = Reg(UInt(3 bits)) init 0
    val looks = Bool()
    val looked = RegNext(looks) init False
  }

  val lookup = new Area {
    val block = ahead.looks ? ahead.block | (io.request.payload >> blockShift)
    val asked = RegNext(io.request.valid && !ahead.looks) init False
    val askedBlock = RegNext(block)
    // A fetch that starts now does not write yet.
    val present = RegNext(tags.has(block) && !tags.clearing && !io.invalidate && !underWay(filling, block))
    val waits = underWay(busy, askedBlock)
    io.data := Cat(data.map(_.readSync(io.request.payload.resize(log2Up(bytes)) >> 4)))
    io.hit := asked && present
  }

  val fetch = new Area {
    val get = Stream(ChannelA(io.bus.p))
    val freePrefetch = ~busy(slots - 1 downto 1)
    val demand = lookup.asked && !lookup.present && !lookup.waits && !busy(0) && !io.fault && !tags.clearing
    val useless = lookup.present || lookup.waits || (lookup.askedBlock @@ U(0, blockShift bits)) >= io.limit
    val slot = ahead.looked ? (OHToUInt(OHMasking.firstV2(freePrefetch)) +^ U(1)).resize(log2Up(slots)) | U(0)
    ahead.looks := ahead.remaining =/= 0 && freePrefetch.orR && !ahead.looked &&
      (!io.request.valid || lookup.asked && !lookup.present && lookup.waits)
    get.valid := demand || ahead.looked && ahead.remaining =/= 0 && !useless && !tags.clearing
    get.opcode := Opcode.A.GET
    get.param := Param.Hint.NONE
    get.source := slot
    get.address := lookup.askedBlock @@ U(0, blockShift bits)
    get.size := blockShift
    get.debugId := 0
    get.m2sPipe() >> io.bus.a
    when(get.fire) {
      busy(slot) := True
      filling(slot) := True
      stale(slot) := io.invalidate
      fetching(slot) := indexOf(lookup.askedBlock)
    }
    fetchingTags.write(slot, tagOf(lookup.askedBlock), get.fire)
    when(ahead.looked && ahead.remaining =/= 0 && (useless || get.fire) || demand && get.fire) {
      ahead.block := lookup.askedBlock + 1
      ahead.remaining := demand ? U(slots - 1, 3 bits) | (ahead.remaining - 1)
    }
    when(io.prefetch.valid) {
      ahead.block := io.prefetch.address >> blockShift
      ahead.remaining := io.prefetch.blocks
      ahead.looked := False
    }
    when(io.clear || io.invalidate) {
      ahead.remaining := 0
      ahead.looked := False
    }
  }

  val fault = RegInit(False)
  io.fault := fault
  when(io.clear || io.invalidate) { fault := False }

  val refill = new Area {
    val d = io.bus.d
    d.ready := True
    val slot = d.source.resize(log2Up(slots))
    val beat = d.beatCounter().resize(log2Up(p.wordsPerBlock))
    val last = beat === p.wordsPerBlock - 1
    val denied = d.denied || d.corrupt
    val line = fetching(slot)
    val granule = (beat >> log2Up(beatsPerGranule)).resize(blockShift - 4)
    for ((memory, i) <- data.zipWithIndex) {
      val mine = if (beatsPerGranule == 1) True else beat.resize(log2Up(beatsPerGranule)) === i
      memory.write(line @@ granule, d.data, d.valid && mine)
    }
    val bad = RegInit(False)
    tags.write := d.valid && last
    tags.index := line
    tags.line.tag := fetchingTags.readAsync(slot)
    // A reader that asked in the cycle of the last beat does not know of it yet: the line stays
    // busy for that long, or the block would be fetched again.
    when(RegNext(d.valid && last) init False) { busy(RegNext(slot)) := False }
    when(d.valid) {
      bad := denied && !last || bad && !last
      when(last) {
        filling(slot) := False
        when((denied || bad) && slot === 0 && !stale(slot)) { fault := True }
      }
    }
  }
  tags.line.valid := !refill.denied && !refill.bad && !stale(refill.slot)
  when(io.invalidate) { stale.setAll() }
  io.idle := !busy.orR && !lookup.asked && ahead.remaining === 0 && !ahead.looked
}
