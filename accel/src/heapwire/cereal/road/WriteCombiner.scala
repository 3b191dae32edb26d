package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Gathers scattered writes into blocks, fully associatively, and sends each block as one Put: a full block as soon as
  * it is full, others when room is needed or on `flush`. A later write to a byte replaces an earlier one.
  *
  * It takes one write per cycle while an entry is free. Up to `blocks` Puts are in flight, never two of them to one
  * block. An entry is reused once its Put has been acknowledged. A Put has at least a [[PathWord]].
  */
case class WriteCombiner(p: MemoryParameter, blocks: Int = 16) extends Component {
  require(isPow2(blocks) && blocks >= 4, s"blocks must be a power of two of at least 4, not $blocks")
  val node: NodeParameters = p.master("write_combiner", blocks, put = true)
  val io = GatherPort(PathWrite(p), node)
  private val size = PathWord.bytes(p)
  private val granules = p.blockBytes / size
  private val granuleWidth = log2Up(granules)
  private val blockShift = log2Up(p.blockBytes)
  private val beatsPerGranule = PathWord.beats(p)
  private val Index = HardType(UInt(log2Up(blocks) bits))
  private val Block = HardType(UInt(p.addressWidth - blockShift bits))

  /** The state of an entry: free (none of these), gathering, waiting to be sent, or in flight. */
  val gathering, waiting, inFlight = RegInit(B(0, blocks bits))
  /** The entry is in use, and no later entry is for the same block. */
  val newest = RegInit(B(0, blocks bits))
  val touched = Reg(Bits(blocks bits))
  val tag = Vec.fill(blocks)(Reg(Block()))
  /** A copy of `tag`, to be read by index. */
  val tags = Mem(Block(), blocks)

  /** The granules of an entry. */
  case class Granules() extends Bundle {
    /** Some byte of the granule was written; every byte was. */
    val used, complete = Bits(granules bits)
  }
  val states = Mem(Granules(), blocks)
  /** The written bytes of a used granule. `data` also has a flag beside each byte. */
  val masks = Mem(Bits(size bits), blocks * granules)
  val data = ByteRam(size, blocks * granules, laneBits = 9)

  val entry = new Area {
    val free = ~(gathering | waiting | inFlight)
    /** Registered: few entries are free, so one should be freed. */
    val short = RegNext(CountOne(free) <= 2) init False
    /** A free entry, found in the cycle before. */
    val spareValid = RegInit(False)
    val spare = Reg(Index())
    val others = free & ~UIntToOh(spare, blocks).andMask(spareValid)
    val taken = Bool()
    when(taken || !spareValid) {
      spareValid := others.orR
      spare := OHToUInt(OHMasking.firstV2(others))
    }
  }

  /** A write, and the latest entry for its block that was in use a cycle ago. */
  case class Found() extends Bundle {
    val write = PathWrite(p)
    val matched = Bool()
    val index = Index()
  }

  val accept = new Area {
    private def blockOf(write: PathWrite) = write.address >> blockShift
    val wanted = io.write.throwWhen(io.drop || !io.write.mask.orR)
    val matches = Bits(blocks bits)
    for (i <- 0 until blocks) matches(i) := newest(i) && tag(i) === blockOf(wanted.payload)
    val joined = Stream(Found())
    val found = joined.m2sPipe(flush = io.drop)
    val block = blockOf(found.write)
    val granule = found.write.address(blockShift - 1 downto PathWord.shift(p))
    val index = Index()
    // Two consecutive writes to one block: the first write's tag cannot be compared yet.
    val repeats = found.valid && blockOf(wanted.payload) === block
    joined.arbitrationFrom(wanted)
    joined.write := wanted.payload
    joined.matched := matches.orR || repeats
    joined.index := repeats ? index | OHToUInt(matches)

    val hit = found.matched && gathering(found.index)
    index := hit ? found.index | entry.spare
    found.ready := hit || entry.spareValid
    val fire = found.fire && !io.drop
    entry.taken := fire && !hit
    /** An older entry for the same block must be acknowledged first. */
    val follows = found.matched && (waiting | inFlight)(found.index)

    val old = states.readAsync(index)
    val used = old.used.andMask(hit)
    val complete = old.complete.andMask(hit)
    val granuleUsed = used(granule)
    val mask = found.write.mask | masks.readAsync(index @@ granule).andMask(granuleUsed)
    val state = Granules()
    state.used := used | UIntToOh(granule, granules)
    state.complete := complete | UIntToOh(granule, granules).andMask(mask.andR)
    states.write(index, state, fire)
    masks.write(index @@ granule, mask, fire)
    tags.write(index, block, fire)
    // The first write to a granule also clears the flags of its other bytes.
    data.io.write.mask := (found.write.mask | B(size bits, default -> !granuleUsed)).andMask(fire)
    data.io.write.address := index @@ granule
    data.io.write.data := Cat((0 until size).map(i => found.write.mask(i) ## found.write.data(8 * i, 8 bits)))
    when(fire) {
      gathering(index) := True
      touched(index) := True
      when(!hit) {
        when(found.matched) { newest(found.index) := False }
        newest(index) := True
        tag(index) := block
      }
    }
    /** The write of the last cycle, to check whether it completed its block. */
    val written = RegNext(fire) init False
    val writtenIndex = RegNext(index)
    val writtenComplete = RegNext(state.complete)
    val full = written && writtenComplete.andR && gathering(writtenIndex)
  }

  /** At most one entry per cycle changes from gathering to waiting. */
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
    when(io.drop) {
      gathering.clearAll()
      newest := newest & ~gathering
    }
  }

  val acknowledge = new Area {
    val d = io.bus.d
    d.ready := True
    val index = d.source.resize(widthOf(Index()))
    when(d.valid) {
      inFlight(index) := False
      newest(index) := False
    }
    io.error := d.valid && d.denied
  }

  /** Entries that wait for an older entry with the same block, so that the order is kept. */
  val order = new Area {
    val held = RegInit(B(0, blocks bits))
    val behind = Vec.fill(blocks)(Reg(Index()))
    for (i <- 0 until blocks) when(acknowledge.d.valid && behind(i) === acknowledge.index) { held(i) := False }
    when(entry.taken) {
      held(accept.index) := accept.follows && !(acknowledge.d.valid && accept.found.index === acknowledge.index)
      behind(accept.index) := accept.found.index
    }
  }

  val send = new Area {
    case class Plan() extends Bundle {
      val index = Index()
      val block = Block()
      val granules = Granules()
      /** The lowest and the highest used granule. */
      val low, high = UInt(granuleWidth bits)
      /** [[io.streaming]] when the block was taken: equal for all its beats, and for a beat as long as it waits. */
      val streaming = Bool()
    }
    case class Beat() extends Bundle {
      val index = Index()
      val block = Block()
      val first = UInt(granuleWidth bits)
      val size = UInt(log2Up(blockShift + 1) bits)
      val full, used, streaming = Bool()
      val lane = UInt(log2Up(beatsPerGranule) bits)
    }
    val plan = close.queue.io.pop.map { index =>
      val plan = Plan()
      plan.index := index
      plan.block := tags.readAsync(index)
      plan.granules := states.readAsync(index)
      plan.streaming := io.streaming
      plan.low := OHToUInt(OHMasking.firstV2(plan.granules.used))
      plan.high := U(granules - 1, granuleWidth bits) - OHToUInt(OHMasking.firstV2(plan.granules.used.reversed))
      plan
    }.m2sPipe()
    val range = new Area {
      /** The bits of a granule's index that differ within the smallest range that holds all used granules. */
      val within = UInt(granuleWidth bits)
      for (i <- 0 until granuleWidth) within(i) := (plan.low >> i) =/= (plan.high >> i)
      val first = plan.low & ~within
      val size = (0 until granuleWidth).foldLeft(U(PathWord.shift(p), log2Up(blockShift + 1) bits)) { (size, i) =>
        within(i) ? U(PathWord.shift(p) + i + 1, widthOf(size) bits) | size
      }
      val full = (0 until granules).map(i =>
        plan.granules.complete(i) || (U(i, granuleWidth bits) & ~within) =/= first).andR
    }
    val started = RegInit(False)
    val beat = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
    val lastBeat =
      if (beatsPerGranule == 1) range.within else range.within @@ U(beatsPerGranule - 1, log2Up(beatsPerGranule) bits)
    val granule = range.first | (beat >> log2Up(beatsPerGranule)).resize(granuleWidth)
    val cmd = Stream(Beat())
    cmd.valid := plan.valid && (started || !order.held(plan.index))
    cmd.index := plan.index
    cmd.block := plan.block
    cmd.first := range.first
    cmd.size := range.size
    cmd.full := range.full
    cmd.streaming := plan.streaming
    cmd.used := plan.granules.used(granule)
    cmd.lane := beat.resized
    val last = beat === lastBeat
    plan.ready := cmd.ready && cmd.valid && last
    when(cmd.fire) {
      started := !last
      beat := last ? U(0) | (beat + 1)
      waiting(plan.index) := False
      inFlight(plan.index) := True
    }
    val beating = cmd.m2sPipe()
    data.io.read.enable := cmd.ready
    data.io.read.address := plan.index @@ granule
    val lanes = data.io.read.data.subdivideIn(9 * p.wordBytes bits).read(beating.lane).subdivideIn(9 bits)
    io.bus.a << beating.map { beat =>
      val a = ChannelA(io.bus.p)
      a.opcode := beat.full.mux(Opcode.A.PUT_FULL_DATA(), Opcode.A.PUT_PARTIAL_DATA())
      a.param := (beat.streaming && beat.full && beat.size === blockShift) ? B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits) |
        B(Param.Hint.NONE, 3 bits)
      a.source := beat.index
      a.address := beat.block @@ beat.first @@ U(0, PathWord.shift(p) bits)
      a.size := beat.size.resized
      a.mask := Cat(lanes.map(_.msb)).andMask(beat.used)
      a.data := Cat(lanes.map(_.resize(8)))
      a.corrupt := False
      a.debugId := 0
      a
    }
  }

  io.idle := !gathering.orR && !waiting.orR && !inFlight.orR && !accept.written && !accept.found.valid &&
    !io.write.valid
}
