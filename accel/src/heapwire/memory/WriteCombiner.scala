package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Up to 16 bytes for an aligned 16-byte word of memory, whatever the width of the port. */
case class MaskedWrite(p: MemoryParameter) extends Bundle with GatheredWord {
  val address = UInt(p.addressWidth bits)
  val data = Bits(128 bits)
  val mask = Bits(16 bits)
}

/** Gathers scattered writes into blocks, fully associatively, and sends each
  * block as one Put: a full block as soon as it is full, another when room is
  * wanted or on `flush`. A later write to a byte wins over an earlier one.
  *
  * Takes one write a cycle while an entry is free. Up to `blocks` Puts are in
  * flight, never two of them to one block; an entry is reused when its Put has
  * been acknowledged. Puts have at least 16 bytes.
  */
case class WriteCombiner(p: MemoryParameter, blocks: Int = 16) extends Component {
  require(isPow2(blocks) && blocks >= 4, s"blocks must be a power of two of at least 4, not $blocks")
  val node: NodeParameters = p.master("write_combiner", blocks, put = true)
  val io = GatherPort(MaskedWrite(p), node)
  private val granules = p.blockBytes / 16
  private val granuleWidth = log2Up(granules)
  private val blockShift = log2Up(p.blockBytes)
  private val beatsPerGranule = 16 / p.wordBytes
  private val Index = HardType(UInt(log2Up(blocks) bits))

  /** An entry is free, gathering, waiting to be sent, or in flight. */
  val gathering, waiting, inFlight = RegInit(B(0, blocks bits))
  val touched = Reg(Bits(blocks bits))
  val tag = Vec.fill(blocks)(Reg(UInt(p.addressWidth - blockShift bits)))
  val masks = Mem(Bits(p.blockBytes bits), blocks)
  /** `tag` again, to be read by index. */
  val tags = Mem(UInt(p.addressWidth - blockShift bits), blocks)
  val data = ByteRam(16, blocks * granules)

  val entry = new Area {
    val free = ~(gathering | waiting | inFlight)
    val firstFree = OHMasking.firstV2(free)
    val anyFree = free.orR
    val freeCount = CountOne(free)
    /** Registered: an entry should be made free. */
    val short = RegNext(freeCount <= 2) init False
  }

  val accept = new Area {
    val block = io.write.address >> blockShift
    val granule = io.write.address(blockShift - 1 downto 4)
    val hits = Vec(for (i <- 0 until blocks) yield gathering(i) && tag(i) === block)
    val hit = hits.orR
    val index = Index()
    index := OHToUInt(hit ? hits.asBits | entry.firstFree)
    io.write.ready := hit || entry.anyFree || io.drop
    val fire = io.write.fire && !io.drop && io.write.mask.orR
    val oldMask = hit ? masks.readAsync(index, writeFirst) | B(0, p.blockBytes bits)
    val newMask = oldMask | (io.write.mask.resize(p.blockBytes) |<< (granule << 4))
    masks.write(index, newMask, fire)
    tags.write(index, block, fire)
    data.io.write.mask := io.write.mask.andMask(fire)
    data.io.write.address := index @@ granule
    data.io.write.data := io.write.data
    when(fire) {
      gathering(index) := True
      touched(index) := True
      tag(index) := block
    }
    /** The write of the last cycle, to see whether it filled its block. */
    val written = RegNext(fire) init False
    val writtenIndex = RegNext(index)
    val writtenMask = RegNext(newMask)
    val full = written && writtenMask.andR && gathering(writtenIndex)
  }

  /** At most one entry a cycle goes from gathering to waiting. */
  val close = new Area {
    val victim = Reg(Index()) init 0
    val queue = StreamFifo(Index(), blocks)
    val firstGathering = OHToUInt(OHMasking.firstV2(gathering))
    val push = queue.io.push
    push.valid := False
    push.payload := accept.writtenIndex
    when(accept.full) {
      push.valid := !io.drop
    } elsewhen (io.flush) {
      push.valid := gathering.orR && !io.drop
      push.payload := firstGathering
    } elsewhen (entry.short && queue.io.occupancy === 0) {
      // Second chance: an entry that was written since the last visit stays.
      victim := victim + 1
      touched(victim) := False
      push.valid := gathering(victim) && !touched(victim) && !io.drop
      push.payload := victim
    }
    when(push.valid) {
      gathering(push.payload) := False
      waiting(push.payload) := True
    }
    when(io.drop) { gathering.clearAll() }
  }

  val send = new Area {
    case class Plan() extends Bundle {
      val index = Index()
      val mask = Bits(p.blockBytes bits)
      val block = UInt(p.addressWidth - blockShift bits)
    }
    case class Beat() extends Bundle {
      val index = Index()
      val block = UInt(p.addressWidth - blockShift bits)
      val first = UInt(granuleWidth bits)
      val size = UInt(log2Up(blockShift + 1) bits)
      val full = Bool()
      val mask = Bits(p.wordBytes bits)
      val lane = UInt(log2Up(beatsPerGranule) bits)
    }
    val plan = close.queue.io.pop.map { index =>
      val plan = Plan()
      plan.index := index
      plan.mask := masks.readAsync(index, writeFirst)
      plan.block := tags.readAsync(index)
      plan
    }.m2sPipe()
    // The same block on its way already: order would be lost.
    val conflict = (for (i <- 0 until blocks) yield inFlight(i) && tag(i) === plan.block && plan.index =/= i).orR
    val range = new Area {
      val used = Vec(plan.mask.subdivideIn(16 bits).map(_.orR))
      val first = UInt(granuleWidth bits)
      val count = UInt(granuleWidth + 1 bits)
      val size = UInt(log2Up(blockShift + 1) bits)
      first := 0
      count := granules
      size := blockShift
      // From the largest range down to one granule: the smallest that holds all wins.
      for (log2 <- granuleWidth - 1 to 0 by -1; start <- 0 until granules by (1 << log2)) {
        val outside = (0 until granules).filter(i => i < start || i >= start + (1 << log2)).map(used(_))
        when(!outside.orR) {
          first := start
          count := 1 << log2
          size := log2 + 4
        }
      }
      val complete = Vec(plan.mask.subdivideIn(16 bits).map(_.andR))
      val full = (for (i <- 0 until granules) yield complete(i) || U(i) < first || U(i) >= first +^ count).andR
    }
    val started = RegInit(False)
    val beat = Reg(UInt(log2Up(granules * beatsPerGranule) bits)) init 0
    val beats = range.count << log2Up(beatsPerGranule)
    val position = (range.first << log2Up(beatsPerGranule)).resize(widthOf(beat)) + beat
    val cmd = Stream(Beat())
    cmd.valid := plan.valid && (started || !conflict)
    cmd.index := plan.index
    cmd.block := plan.block
    cmd.first := range.first
    cmd.size := range.size
    cmd.full := range.full
    cmd.mask := plan.mask.subdivideIn(p.wordBytes bits).read(position)
    cmd.lane := position.resized
    val last = beat === beats - 1
    plan.ready := cmd.ready && cmd.valid && last
    when(cmd.fire) {
      started := !last
      beat := last ? U(0) | (beat + 1)
      waiting(plan.index) := False
      inFlight(plan.index) := True
    }
    val beating = cmd.m2sPipe()
    data.io.read.enable := cmd.ready
    data.io.read.address := plan.index @@ (position >> log2Up(beatsPerGranule)).resize(granuleWidth)
    io.bus.a << beating.map { beat =>
      val a = ChannelA(io.bus.p)
      a.opcode := beat.full.mux(Opcode.A.PUT_FULL_DATA(), Opcode.A.PUT_PARTIAL_DATA())
      a.param := (io.streaming && beat.full && beat.size === blockShift) ?
        B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits) | B(Param.Hint.NONE, 3 bits)
      a.source := beat.index
      a.address := beat.block @@ beat.first @@ U(0, 4 bits)
      a.size := beat.size.resized
      a.mask := beat.mask
      a.data := data.io.read.data.subdivideIn(p.dataWidth bits).read(beat.lane)
      a.corrupt := False
      a.debugId := 0
      a
    }
  }

  val acknowledge = new Area {
    val d = io.bus.d
    d.ready := True
    val index = d.source.resize(widthOf(Index()))
    when(d.valid) { inFlight(index) := False }
    io.error := d.valid && d.denied
  }

  io.idle := !gathering.orR && !waiting.orR && !inFlight.orR && !accept.written && !io.write.valid
}
