package heapwire.memory.cache

import heapwire.memory.BlockRam
import heapwire.memory.dram.{Fetch, Sequence}
import spinal.core._
import spinal.lib._

/** The tag entry of one way of a set. */
case class Line(c: CacheParameter) extends Bundle {
  val present, dirty = Bool()
  /** Granules whose data are in the cache. The others are in DRAM. */
  val valid = Bits(c.granules bits)
  val tag = UInt(c.tagWidth bits)
}

/** What the look-up knows of the newest request's block: the line that holds it or, if none does, the line that would
  * be replaced.
  */
case class Known(c: CacheParameter) extends Bundle {
  val resident = Bool()
  val way = UInt(log2Up(c.ways) bits)
  val line = Line(c)
  /** Number of the newest write to DRAM of this block, or of another block that shares its bucket. */
  val sequence = UInt(c.dram.sequenceWidth bits)
}

/** The cache's tags, which run ahead of its data. Every request is looked up in turn, and its decision is final in the
  * cycle in which the tags change. The data lane carries the decision out later, in order; streams run beside the data
  * lane.
  *
  * {{{
  *  arrival -> tags read | compared | decided: tags written, command to the lane or the stream,
  *                                    fetch from DRAM, write to DRAM numbered, invalidation
  * }}}
  *
  * Nothing stalls once the tags have been read: `roomy` guarantees in advance that every queue has room for the
  * requests under way. A request waits while an older request to its set is undecided, unless both are to the same
  * block: the state of the newest block is kept, so that requests to one block can follow each other every cycle.
  *
  * Latency: 3 cycles. All requests of all masters are ordered here, so LR's reservation is here, too.
  */
case class Lookup(c: CacheParameter) extends Component {
  private val p = c.memory
  val io = new Bundle {
    val arrival = slave(Stream(Arrival(c)))
    /** From [[Entry]]. */
    val coming = slave(Flow(UInt(32 bits)))
    val roomy = in(Bool())
    val sequences = in(Vec(Sequence(c.dram), c.dram.stripes))
    val lane = master(Flow(LaneCommand(c)))
    val stream = master(Flow(StreamCommand(c)))
    val fetch = master(Flow(Fetch(p, c.dram)))
    /** The stripe of a block that is decided to be written to DRAM. */
    val write = master(Flow(UInt(c.dram.stripeWidth bits)))
    val snooped = master(Flow(Snooped(c)))
  }
  private def blockOf(address: UInt) = address >> log2Up(p.blockBytes)
  private def setOf(address: UInt) = c.block(address).resize(c.setWidth)
  private def bucketOf(block: UInt) = block.resize(log2Up(c.buckets))

  val lines = List.fill(c.ways)(BlockRam(Mem(Bits(widthOf(Line(c)) bits), c.sets)))
  // A whole block RAM would be too much for few bits.
  val ages = Mem(Bits(c.ways - 1 bits), c.sets).addAttribute("ram_style",
    if (c.sets * (c.ways - 1) > 128) "block" else "distributed")
  val buckets = BlockRam(Mem(UInt(c.dram.sequenceWidth bits), c.buckets))

  /** Counts the sets that have been invalidated after reset. */
  val wipe = Reg(UInt(c.setWidth + 1 bits)) init 0
  val wiped = wipe.msb
  when(!wiped) { wipe := wipe + 1 }

  private val next = io.arrival
  private val address = next.request.address
  /** The request is to the same block as the one before. */
  val follows = Bool()

  val compare = new Area {
    val valid = RegNext(next.fire) init False
    private val arrival = RegNext(next.payload)
    val request = arrival.request
    val needed = arrival.needed
    val written = arrival.written
    val follows = RegNext(Lookup.this.follows)
    val found = lines.map(_.readSync(setOf(address), next.fire)).map(_.as(Line(c)))
    val ages = Lookup.this.ages.readSync(setOf(address), next.fire)
    val sequence = buckets.readSync(bucketOf(c.block(address)), next.fire)
    val tag = c.block(request.address) >> c.setWidth
    val hits = B(found.map(line => line.present && line.tag === tag))
  }

  val decide = new Area {
    val valid = RegNext(compare.valid) init False
    val request = RegNext(compare.request)
    val needed = RegNext(compare.needed)
    val written = RegNext(compare.written)
    val follows = RegNext(compare.follows)
    val found = compare.found.map(line => RegNext(line))
    val hits = RegNext(compare.hits)
    val ages = RegNext(compare.ages)
    val sequence = RegNext(compare.sequence)
    val inMemory = RegNext(c.inMemory(compare.request.address))
    val fromCore = RegNext(compare.request.origin.isCore)
    val block = c.block(request.address)

    val looked = Known(c)
    looked.resident := hits.orR
    looked.way := looked.resident ? OHToUInt(hits) | Ages.victim(ages)
    looked.line := Vec(found).read(looked.way)
    looked.sequence := sequence
    val last = Reg(Known(c))
    val known = follows ? last | looked

    private val deciding = valid
    val reservation = new Area {
      val valid = RegInit(False)
      val block = Reg(UInt(32 - log2Up(p.blockBytes) bits))
      /** The reserved block in the next cycle, in which the request behind this one is decided. */
      val next = (deciding && request.exclusive) ? blockOf(request.address) | block
      val same = RegNext(next === blockOf(compare.request.address))
      block := next
    }
    val fails = request.put && request.exclusive && !(reservation.valid && reservation.same)
    when(valid && request.exclusive) {
      reservation.valid := !request.put
    }
    when(valid && request.put && !fromCore && reservation.same) { reservation.valid := False }

    val here = known.line.valid.andMask(known.resident)
    val missing = (needed & ~here).orR
    val refused = !inMemory || fails
    val passes = !refused && request.passing && !known.resident
    val streams = passes && !request.put
    val stored = !refused && !passes
    val fill = stored && missing
    val evict = stored && !known.resident && known.line.present && known.line.dirty
    val sends = evict || passes && request.put

    val changed = Line(c)
    changed.present := True
    changed.dirty := request.put || known.resident && known.line.dirty
    changed.valid := fill ? B(c.granules bits, default -> True) | (here | written)
    changed.tag := block >> c.setWidth
    val changes = stored && (request.put || missing)

    /** The block that goes to DRAM. */
    val leaving = evict ? (known.line.tag @@ block.resize(c.setWidth)) | block
    val leavingStripe = c.dram.stripe(leaving, p)
    val number = c.dram.ofStripe(io.sequences.map(_.decided), leavingStripe) + 1

    when(valid) {
      last.resident := known.resident || stored
      last.way := known.way
      last.line := changes ? changed | known.line
      last.sequence := (passes && request.put) ? number | known.sequence
    }
    buckets.write(bucketOf(leaving), number, valid && sends)
  }

  /** Writes what was decided in the cycle before. */
  val write = new Area {
    val valid = RegNext(decide.valid) init False
    val request = RegNext(decide.request)
    private val set = RegNext(setOf(decide.request.address))
    private val changed = RegNext(decide.changed)
    private val ages = RegNext(decide.ages)
    private val way = RegNext(decide.known.way)
    private val changes = RegNext(decide.changes)
    private val used = RegNext(decide.stored && !decide.follows)
    for ((line, each) <- lines.zipWithIndex) line.write(
      address = wiped ? set | wipe.resize(c.setWidth),
      data = changed.asBits.andMask(wiped),
      enable = !wiped || valid && changes && way === each)
    Lookup.this.ages.write(set, Ages.used(ages, way), valid && used)
  }

  /** Finds out what the next request has to wait for while that request comes in: requests come in order, so the
    * previous request and the position of those before it are known then.
    */
  val reading = new Area {
    private def sameSet(other: Request) = setOf(other.address) === setOf(io.coming.payload)
    val known = RegInit(False) setWhen io.coming.valid
    follows := RegNextWhen(known && c.block(io.coming.payload) === c.block(address), io.coming.valid)
    /** A shift register of the cycles, one bit each, until every older request to the same set is decided. */
    val busy = RegInit(B(0, 3 bits))
    busy :=
      io.coming.valid ?
        ((next.valid && sameSet(next.request)) ## (compare.valid && sameSet(compare.request)) ##
          (decide.valid && sameSet(decide.request))) | (busy |>> 1)
    next.ready := io.roomy && wiped && (follows || !busy.orR)
  }

  import decide._
  io.lane.valid := valid && !streams
  io.lane.origin := request.origin
  io.lane.put := request.put
  io.lane.swap := request.swap
  io.lane.store := request.put && stored
  io.lane.pass := request.put && passes
  io.lane.denied := refused
  io.lane.size := request.size
  io.lane.first := request.address(log2Up(p.blockBytes) - 1 downto log2Up(p.wordBytes))
  io.lane.set := block.resized
  io.lane.way := known.way
  io.lane.evict := evict
  io.lane.fill := fill
  io.lane.tag := leaving >> c.setWidth
  io.lane.here := here | known.line.valid.andMask(evict)

  io.stream.valid := valid && streams
  io.stream.origin := request.origin
  io.stream.size := request.size

  io.fetch.valid := valid && (streams || fill)
  io.fetch.block := block
  io.fetch.first := streams ? io.lane.first | U(0)
  io.fetch.last := streams ? (io.lane.first | c.beats(request.size)) | U(p.wordsPerBlock - 1)
  io.fetch.fill := !streams
  io.fetch.after := known.sequence
  io.fetch.pending := c.dram.ofStripe(io.sequences.map(_.isPending(known.sequence)), c.dram.stripe(block, p))

  io.write.valid := valid && sends
  io.write.payload := leavingStripe

  io.snooped.valid := valid && request.put && !fromCore && !refused
  io.snooped.origin := request.origin
  io.snooped.size := request.size
  io.snooped.swap := request.swap
  io.snooped.block := block
}

/** Selects the line of a set to replace: a tree of bits, each of which points away from the most recently used line
  * (pseudo-LRU).
  */
object Ages {
  /** Returns the way to replace. */
  def victim(ages: Bits): UInt =
    if (widthOf(ages) == 1) ages.asUInt else (ages(0) ## (ages(0) ? ages(2) | ages(1))).asUInt

  /** Returns the bits after a use of `way`. */
  def used(ages: Bits, way: UInt): Bits =
    if (widthOf(ages) == 1) ~way.asBits
    else (way(1) ? !way(0) | ages(2)) ## (way(1) ? ages(1) | !way(0)) ## !way(1)
}
