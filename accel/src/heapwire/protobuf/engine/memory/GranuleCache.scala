package heapwire.protobuf.engine.memory

import heapwire.memory.{BlockRam, Bounds, MemoryParameter}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The cache through which the engine reads tables and objects: direct-mapped and read-only, with lines of whole
  * blocks, read by granules of 16 bytes. Half of it holds tables and half objects, so that neither evicts the other.
  *
  * {{{
  *  cycle 0: request -> tags, data   | 1: compared, bounds | 2: hit and data, or a Get leaves
  * }}}
  *
  * It takes one request per cycle and answers exactly 2 cycles later. `early` is the granule one cycle earlier, valid
  * if the request then hits. If `hit` is low, the request must be repeated: the block is then being fetched, unless the
  * slot for demand fetches is in use. A request may also be passed over for a prefetch. The requester may change its
  * mind. A granule hits as soon as it has arrived.
  *
  *  - A block's neighbour is prefetched in three cases: when a demand fetch starts (or the requested block is outside
  *    its bounds); when an object's block is requested that is not the previous one; and, while `down`, when a table's
  *    block is requested that is not the previous one. The neighbour is the next block. For objects while `down`, it is
  *    the one before; unless a demand fetch starts, further blocks before that one follow: four in all at 128 bits,
  *    three at 64, two at 32. All must lie in the same run of as many blocks as there are lines of that kind. So a walk
  *    through objects waits only once, and so does a walk through tables, as opposed to a look-up.
  *  - `prefetch`: one prefetch is kept until there is a slot for it, with the run of blocks behind it (7 blocks at 128
  *    bits, 1 at 32). A later `prefetch` replaces it; a neighbour does not.
  *  - Prefetches are looked up in cycles without a request, or while a demand fetch is under way.
  *  - A block is read only if it overlaps the bounds of its kind; `tests/proofs` proves this. A request for any other
  *    block, cached or not, gets a `fault`. Empty bounds must lie at a multiple of the block size. Bounds must be stable
  *    while anything is under way.
  *  - `fault` (level, until `clear` or `invalidate`) rises with the answer to a request outside its bounds, or when the
  *    bus denied a demand fetch. No demand fetch starts while it is high. Any denied fetch invalidates everything.
  *  - `invalidate` (pulse) invalidates everything, `forget` (pulse) what was fetched for objects. Both include blocks
  *    under way: these are answered but not kept. After either or `clear`, a demand fetch that is under way raises no
  *    fault. A request in the cycle of a pulse is already answered accordingly. [[CacheEra]] says when a pulse costs a
  *    sweep, during which nothing hits.
  *
  * The bus may answer in any order of sources, from the cycle after the request on, with each block's beats in a row.
  *
  * @param bytes size of the data
  */
case class GranuleCache(p: MemoryParameter, bytes: Int = 8192) extends Component {
  require(isPow2(bytes) && bytes >= 8 * p.blockBytes,
    s"bytes must be a power of two of at least eight blocks, not $bytes")
  /** Number of fetches in flight. The first slot is for demand fetches, the others for prefetches. Four keep a
    * narrow port busy.
    */
  private val slots = if (p.dataWidth <= 32) 4 else 8
  /** Number of blocks in the run behind a prefetched block. At a narrow port a longer run would not be finished when a
    * small message is.
    */
  private val run = 2 * p.dataWidth / 32 - 1
  /** Number of blocks below the neighbour of a block that hit. Strings that lie below one another are then walked as
    * fast as blocks come.
    */
  private val further = log2Up(p.dataWidth / 16)
  val node: NodeParameters = p.master("granule_cache", slots, get = true)
  val io = new Bundle {
    val request, prefetch = slave(Flow(GranuleRead()))
    /** The request of the previous cycle is withdrawn: it is not answered and has no effect. */
    val cancel = in Bool ()
    /** With `prefetch`: a run of blocks above the prefetched one follows. */
    val rises = in Bool ()
    val hit = out(Bool())
    val data, early = out Bits (128 bits)
    val down = in(Bool())
    val tables, objects = in(Bounds(p))
    val invalidate, forget, clear = in(Bool())
    val fault = out(Bool())
    /** With `fault`: the last request was outside its bounds. */
    val outside = out(Bool())
    /** `idle`: nothing is outstanding. `waiting`: a demand fetch is. */
    val idle, waiting = out(Bool())
    val bus = master(Bus(node))
  }
  /** Lines of each kind. */
  private val lines = bytes / p.blockBytes / 2
  private val blockShift = log2Up(p.blockBytes)
  private val lineWidth = log2Up(lines)
  private val Line = HardType(UInt(lineWidth + 1 bits))
  private val Block = HardType(CacheBlock(p, lines))
  private def granuleOf(read: GranuleRead): UInt = read.address(blockShift - 1 downto 4)

  private def blockRam[T <: Data](memory: Mem[T]): Mem[T] = BlockRam(memory).addAttribute("no_rw_check")

  private val beatsPerGranule = 16 / p.wordBytes
  /** One memory per beat of a granule. */
  val data = Seq.fill(beatsPerGranule)(blockRam(Mem(Bits(p.dataWidth bits), bytes / 16)))
  val tags = blockRam(Mem(CacheLine(p, lines), 2 * lines))
  /** A block was denied: its line no longer holds what it held before. */
  val denied = RegInit(False)
  val era = new CacheEra(2 * lines, io.invalidate || denied, io.forget)

  /** The fetches under way, until their whole block can be read. */
  val busy = RegInit(B(0, slots bits))
  val fetching = Vec.fill(slots)(Reg(Line()))

  val fill = new Area {
    val d = io.bus.d
    d.ready := True
    val beat = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
    val bad = RegInit(False)
    val last = d.valid && beat.andR
    val failed = bad || d.denied || d.corrupt
    /** The slot of the newest beat. */
    val slot = RegNextWhen(d.source, d.valid)
    val whole = RegNext(last) init False
    when(d.valid) {
      beat := beat + 1
      bad := failed && !last
    }
    denied := last && failed
    for (i <- 0 until slots) when(whole && slot === i) { busy(i) := False }
    val granule = beat >> log2Up(beatsPerGranule)
    private val index = fetching(d.source.resize(log2Up(slots)))
    for ((memory, i) <- data.zipWithIndex) {
      val mine = if (beatsPerGranule == 1) True else beat.resize(log2Up(beatsPerGranule)) === i
      memory.write(index @@ granule, d.data, d.valid && mine)
    }
  }

  /** Cycle 0 and its registers: the block that is looked up, for a request (`asked`) or for a prefetch (`ahead`). */
  val look = new Area {
    /** `leaving`: a Get waits for the bus. `held`: a block is to be prefetched. */
    val leaving, held = RegInit(False)
    val heldBlock = Reg(Block())
    val block = Reg(Block())
    val asked, ahead, isHeld = RegInit(False)
    /** `heldAsked`: the block to prefetch was requested by `prefetch`, or follows such a block. Its followers lie above
      * it; those of a neighbour in a walk lie below.
      */
    val heldAsked, up = Reg(Bool())
    /** The number of blocks that follow it. */
    val heldMore, more = Reg(UInt(log2Up(run + 1) bits))
    up := heldAsked
    more := heldMore

    /** The neighbour's number is the block's plus or minus one: a bit inverts if the bits below are all ones, or all
      * zeros.
      */
    private val ones = block.index ^ B(lineWidth bits, default -> (io.down && block.isObject && !(ahead && up))).asUInt
    val neighbour = block.index ^
      B((0 until lineWidth).map(i => if (i == 0) True else ones(i - 1 downto 0).andR)).asUInt
    val alone = ones.andR
    val free = !busy(slots - 1 downto 1).andR
    /** Prefetches are looked up only when their Get can leave, and when no request can be answered. */
    private val may = held && !isHeld && free && !leaving
    private val first = may && busy(0)
    val takes = may && (busy(0) || !io.request.valid)
    private val asksFor = Block().of(io.request.payload)
    // A request is known late in the cycle, so it alone selects. Without a request, the held block is looked up; the
    // result counts only if `takes`.
    private val answers = io.request.valid && !first
    block := answers ? asksFor | heldBlock
    asked := answers && era.swept
    // What is held is dropped: the bounds of the next cycle may be those of another command.
    ahead := takes && era.swept && !(io.clear || io.invalidate)
    // A `prefetch` in this cycle replaces the held block.
    isHeld := takes && !io.prefetch.valid
    /** The granule has arrived, if the block is the one that is arriving. */
    val here = RegNext(granuleOf(io.request.payload) < fill.granule && !fill.bad)
    val arriving = RegNext(fill.slot)
    // Both line numbers are computed before one is selected.
    val tag = tags.readSync(answers ? asksFor.line | heldBlock.line)
    val granule = Cat(data.map(_.readSync(asksFor.line @@ granuleOf(io.request.payload))))
  }

  /** Cycle 1. */
  val compare = new Area {
    import look.{block, tag}
    val asked = look.asked && !io.cancel
    val present = tag.holds(block, era.now)
    val number = block.number
    private def bound(of: Bounds => UInt) = block.isObject ? of(io.objects) | of(io.tables)
    // The block overlaps the bounds of its kind if these are not empty. Each comparison is a subtraction from the block,
    // so the block need not be inverted.
    val behindBase = !(number < bound(_.base >> blockShift))
    val beforeLimit = number @@ U(0, 1 bit) <
      bound(range => (range.limit >> blockShift) @@ range.limit.resize(blockShift).orR)
    val inside = behindBase && beforeLimit
    private val at = B((0 until slots).map(i => fetching(i) === block.line))
    private val same = at & busy
    private val arrived = look.here && (0 until slots).map(i => same(i) && look.arriving === i).orR
    io.hit := RegNext(asked && inside && present && (!same.orR || arrived) && era.swept) init False
    io.data := RegNext(look.granule)
    io.early := look.granule
    private val may = asked && !busy(0) && !io.fault || look.ahead && look.free
    /** The block is fetched unless it is present. That is known last, so it comes last in everything that depends on
      * it.
      */
    private val lacks = may && !same.orR && !look.leaving && era.swept
    val starts = lacks && inside && !present
    val outside = asked && !inside && era.swept
    /** For each kind, the block that was requested last. */
    private val before = Vec.fill(2)(Reg(UInt(lineWidth bits)))
    private val kind = block.isObject.asUInt
    when(asked) { before(kind) := block.index }
    // For objects that are walked downwards, several blocks: the next message or string may be longer than a block.
    val chains = look.ahead && look.isHeld && look.more =/= 0 && !look.leaving
    private val next = (asked && (io.down || block.isObject) && before(kind) =/= block.index || chains) && !look.alone
    private val nextOfMissing = asked && lacks && !look.alone
    val moves = next || nextOfMissing && !present
    /** The neighbour replaces the held block, if there is one. */
    private val displaces = !look.held || look.heldMore === 0 && !look.heldAsked
    val keeps = next && (displaces || chains) || nextOfMissing && !look.held
  }

  /** Cycle 2: a Get, which leaves from these registers. */
  val fetch = new Area {
    import look.leaving
    val block = Reg(Block())
    val slot = Reg(UInt(log2Up(slots) bits))
    when(!leaving) {
      block := look.block
      slot := (OHToUInt(OHMasking.firstV2(~busy(slots - 1 downto 1))) +^ 1).andMask(!compare.asked).resized
    }
    leaving := leaving ? !io.bus.a.ready | compare.starts
    val a = io.bus.a
    a.valid := leaving
    a.opcode := Opcode.A.GET
    a.param := Param.Hint.NONE
    a.source := slot
    a.address := block.address
    a.size := blockShift
    a.debugId := 0
    for (i <- 0 until slots) when(leaving && slot === i) {
      busy(i) := True
      fetching(i) := block.line
    }
    val line = CacheLine(p, lines)
    line.era.all := era.now.all.andMask(era.swept)
    line.era.objects := era.now.objects
    line.tag := block.tag
    /** The first cycle of the Get. */
    val started = RegNext(compare.starts) init False
    tags.write(era.swept ? block.line | era.line, line, started || !era.swept)

    private val drop = io.invalidate || io.clear
    // A prefetch that could not leave is looked up again.
    look.held := io.prefetch.valid || (look.held && !(look.isHeld && !leaving) || compare.moves) && !drop
    when(compare.keeps) {
      look.heldBlock.tag := look.block.tag
      look.heldBlock.isObject := look.block.isObject
      look.heldBlock.index := look.neighbour
      look.heldAsked := look.ahead && look.up
      look.heldMore := look.ahead ? (look.more - 1) |
        U(further).andMask(look.block.isObject && io.down && !compare.starts).resized
    }
    when(io.prefetch.valid) {
      look.heldBlock := Block().of(io.prefetch.payload)
      look.heldMore := U(run).andMask(io.rises)
      look.heldAsked := True
    }
    /** Nobody waits for the block that the first slot fetches. */
    val disowned = Reg(Bool())
    private val disowns = drop || io.forget
    disowned := disowns || RegNext(disowns) || disowned && !(started && slot === 0)
    val fault = RegInit(False) setWhen (compare.outside || denied && fill.slot === 0 && !disowned) clearWhen drop
    io.fault := fault
    io.outside := RegNextWhen(compare.outside, !fault)
    io.waiting := busy(0) || leaving && slot === 0
  }
  io.idle := !(busy.orR || look.leaving || look.held || look.asked || look.ahead || !era.swept)
}
