package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The memory access interface of Cereal (ISCA 2020, section V.A), for the part of a unit that visits objects: its
  * reads, in order and with each block fetched once, and its writes.
  *
  * An entry is a block that was fetched or is being fetched. A request for a block that has an entry uses that entry,
  * and waits for it if necessary. Any other request replaces the oldest entry for which nobody waits. A table maps an
  * index, the low bits of a block's number, to the entry. If two blocks have the same index, the table has the newer
  * one, and the other block would be fetched again. Consecutive blocks are fetched before they are wanted
  * ([[SequentialPrefetcher]]). Writes pass through here ahead of the reads behind them, and update or remove the
  * entries of their blocks. So a read never returns data that are older than a write that left before it.
  *
  *  - `command`, `word`: spans, and their words in order. `again` with a command: the shared cache does not allocate
  *    for blocks that it lacks.
  *  - `hint`: a block that will be wanted next; it is fetched in a cycle without a command, before the prefetcher's
  *    blocks. May be withdrawn.
  *  - `passing`: the shared cache does not allocate for any read or write.
  *  - `write`: Puts of one [[PathWord]] and their answers, which are always taken (`write.d.ready` is ignored).
  *  - `bound`, `limit`: the range of bytes in which blocks may be prefetched, and claims written.
  *  - `forget`, if `shared`: another master has written to this address. Requests from the next cycle on do not use
  *    what was fetched before.
  *  - `clear` (level, until `idle`): nothing more is requested, words are dropped, and entries are invalidated. Writes
  *    still pass.
  *
  * Latency: 1 cycle to the bus, in a guard against writes outside of the bounds; 1 cycle from the bus for a word that is
  * waited for; 3 cycles from the command for a word that is here. Throughput: one request and one word per cycle. Space
  * for words is reserved before they are requested, so the bus is never blocked.
  *
  * @param entries blocks, a power of two
  * @param orders  parts of spans that are requested and not yet taken, a power of two
  * @param ahead   blocks to fetch before they are wanted; 0: none
  * @param writer  the master whose writes pass through
  * @param shared  other masters write to what is read here
  */
case class MemoryAccessInterface(p: MemoryParameter, writer: NodeParameters, entries: Int, orders: Int, ahead: Int,
    shared: Boolean = false) extends Component {
  require(isPow2(entries) && entries >= 4, s"entries must be a power of two of at least 4, not $entries")
  require(isPow2(orders) && orders >= 4, s"orders must be a power of two of at least 4, not $orders")
  private val words = MemoryAccessInterface.EntryBytes / p.wordBytes
  private val beatWidth = log2Up(words)
  private val entryShift = log2Up(MemoryAccessInterface.EntryBytes)
  private val indexWidth = log2Up(entries)
  private val blockWidth = p.addressWidth - entryShift
  private val sourceWidth = indexWidth max writer.m.sourceWidth
  val node: NodeParameters = p.master("memory_access_interface", 2 << sourceWidth, get = true, put = true)
  val io = new Bundle {
    val command = slave(Stream(Span(p)))
    val again = in(Bool())
    val hint = slave(Stream(UInt(p.addressWidth - log2Up(MemoryAccessInterface.EntryBytes) bits)))
    val passing = in(Bool())
    val word = master(Stream(SpanWord(p)))
    val write = slave(Bus(writer))
    val bound, limit = in UInt (p.addressWidth bits)
    val forget = shared generate slave(Flow(UInt(p.addressWidth bits)))
    val clear = in(Bool())
    val idle = out(Bool())
    /** A write outside of the bounds was refused (pulse). */
    val violation = out(Bool())
    /** A word is due and has not arrived. */
    val waiting = out(Bool())
    val bus = master(Bus(node))
  }

  private def small[T <: Data](payload: HardType[T], depth: Int): Mem[T] =
    Mem(payload, depth).addAttribute("ram_style", "distributed")
  /** Entries are used in turn. For each: its block, whether the fetch is under way, and whether the bus denied it. */
  val turn = Reg(UInt(indexWidth bits)) init 0
  val blocks = small(UInt(blockWidth bits), entries)
  val busy, denied = RegInit(B(0, entries bits))
  /** The entry for each index, if there is one. */
  val places = small(UInt(indexWidth bits), entries)
  val valid = RegInit(B(0, entries bits))
  private def index(block: UInt) = block.resize(indexWidth)
  class Place(block: UInt) extends Area {
    val entry = places.readAsync(index(block))
    val here = valid(index(block)) && blocks.readAsync(entry) === block
  }

  // ---- orders: parts of spans that are due -----------------------------------
  case class Order() extends Bundle {
    val entry = UInt(indexWidth bits)
    val first, last = UInt(beatWidth bits)
    val ends = Bool()
  }
  val order = small(Order(), orders)
  private val orderWidth = log2Up(orders)
  val count = Reg(UInt(orderWidth + 1 bits)) init 0
  // Wider than the number of orders requires, so that the number of an old entry's order rarely looks like that of a
  // due one.
  private val stampWidth = orderWidth + 3
  val head, tail = Reg(UInt(stampWidth bits)) init 0
  /** The newest order for each entry. */
  val newest = small(UInt(stampWidth bits), entries)

  val d = io.bus.d
  private val answersRead = !d.source.msb
  val arrival = new Area {
    val valid = d.valid && answersRead
    val entry = d.source.resize(indexWidth)
    /** Number of the entry's beats that have arrived. */
    val beat = Reg(UInt(beatWidth bits)) init 0
    val last = beat.andR
    when(valid) {
      beat := beat + 1
      denied(entry) := d.denied || d.corrupt
      when(last) { busy(entry) := False }
    }
  }

  // ---- writes ----------------------------------------------------------------
  val write = new Area {
    val a = io.write.a
    /** The write on the bus has more beats to come. */
    val inside = RegInit(False)
    private val beats = PathWord.beats(p)
    val beat = if (beats == 1) U(0, 1 bits) else Reg(UInt(log2Up(beats) bits)) init 0
    val last = if (beats == 1) True else beat.andR
    val word = (a.address >> log2Up(p.wordBytes)) | beat.resized
    val block = word >> beatWidth
    private val place = new Place(block)
    val hit = place.here
    val pending = busy(place.entry)
    val target = place.entry @@ word.resize(beatWidth)
    /** The entry cannot be updated: its word is being read, another word is being written, or the data of the fetch may
      * be older than the write.
      */
    val forgets = Bool()
  }

  // ---- requests ---------------------------------------------------------------
  val get = Stream(UInt(blockWidth bits))
  val seek = new Area {
    val part = new SpanParts(io.command.payload, words)
    val wants = io.command.valid && !count.msb && !io.clear
    val guess = Stream(UInt(blockWidth bits))
    val block = io.command.valid ? part.block | guess.payload
    val place = new Place(block)
    val here = place.here
    /** A due order still waits for the next entry in turn, so that entry is passed over: the order may belong to this
      * very span, of which nothing is taken before all is requested.
      */
    val used = busy(turn) || (newest.readAsync(turn) - tail) < count
    val lacks = (wants || guess.valid && !io.command.valid && !io.clear) && !here
    get.valid := lacks && !used
    when(lacks && used) { turn := turn + 1 }
    get.payload := block
    val found = here || get.fire
    val takes = wants && found
    guess.ready := !io.command.valid && found
    io.command.ready := takes && part.ends
    val entry = Order()
    entry.entry := here ? place.entry | turn
    entry.first := part.first
    entry.last := part.last
    entry.ends := part.ends
    order.write(head.resized, entry, takes)
    newest.write(entry.entry, head, takes)
    when(takes) {
      head := head + 1
      part.next()
    }
    blocks.write(turn, block, get.fire)
    places.write(index(block), turn, get.fire)
    when(get.fire) {
      turn := turn + 1
      busy(turn) := True
    }
    when(io.clear) { part.restart() }
    if (ahead > 0) {
      val prefetcher = SequentialPrefetcher(blockWidth, ahead)
      // The block in which an object begins.
      prefetcher.io.seen.valid := takes && !io.again && part.isFirst
      prefetcher.io.seen.payload := part.block
      prefetcher.io.first := RegNext(io.bound >> entryShift)
      prefetcher.io.last := RegNext((io.limit - 1) >> entryShift)
      prefetcher.io.clear := io.clear
      guess << StreamArbiterFactory().lowerFirst.noLock.on(Seq(io.hint, prefetcher.io.next))
    } else {
      guess << io.hint
    }
  }
  val a = Stream(ChannelA(io.bus.p))
  // Reads have priority over writes that have not begun. They cannot delay writes forever: an unacknowledged claim takes
  // a place, and without places there are no reads.
  private val puts = !get.valid || write.inside
  a.valid := write.a.valid || get.valid && !write.inside
  a.opcode := puts ? io.write.a.opcode | Opcode.A.GET()
  a.param := B(Param.Hint.NONE, 3 bits)
  // Equal for all beats of a write.
  private val passing =
    RegNextWhen(io.passing, if (PathWord.beats(p) == 1) True else !write.inside && !write.a.fire) init False
  when(passing || !puts && io.again && io.command.valid) { a.param := Param.Hint.NO_ALLOCATE_ON_MISS }
  a.source := puts ? (U(1, 1 bits) @@ io.write.a.source.resize(sourceWidth)) | turn.resized
  a.address := puts ? io.write.a.address | (get.payload @@ U(0, entryShift bits))
  a.size := puts ? io.write.a.size.resized | U(entryShift, widthOf(a.size) bits)
  a.data := io.write.a.data
  a.mask := puts ? io.write.a.mask | B(a.mask.bitsRange -> true)
  a.corrupt := False
  a.debugId := 0
  get.ready := a.ready && !puts
  write.a.ready := a.ready && puts
  /** A request in `a` may change until it is taken. The guard's register keeps it from then on. */
  val guard = WriteGuard(p, node, io.bound -> io.limit)
  guard.io.up << a
  io.bus.a << guard.io.down
  io.violation := guard.io.violation
  when(write.a.fire) {
    if (PathWord.beats(p) > 1) write.beat := write.beat + 1
    write.inside := !write.last
  }

  when(io.clear) {
    valid.clearAll()
  } otherwise {
    if (shared) {
      val old = io.forget.payload >> entryShift
      when(io.forget.valid && new Place(old).here) { valid(index(old)) := False }
    }
    when(get.fire) { valid(index(get.payload)) := True }
    when(write.a.fire && write.hit && write.forgets) { valid(index(write.block)) := False }
  }

  // ---- arriving and delivered words ------------------------------------------
  val data = ByteRam(p.wordBytes, entries * words)
  data.io.write.address := arrival.valid ? (arrival.entry @@ arrival.beat) | write.target
  data.io.write.data := arrival.valid ? d.data | io.write.a.data
  data.io.write.mask := arrival.valid ? B(p.wordBytes bits, default -> true) |
    io.write.a.mask.andMask(write.a.fire && write.hit && !write.forgets)

  val delivery = new Area {
    val next = order.readAsync(tail.resized)
    val entry = next.entry
    val fresh = RegInit(True)
    val following = Reg(UInt(beatWidth bits))
    val beat = fresh ? next.first | following
    val last = beat === next.last
    val due = count =/= 0
    val arriving = arrival.entry === entry
    val partial = RegNextWhen(arrival.entry, arrival.valid) === entry && arrival.beat > beat
    val here = due && (!busy(entry) || partial)
    val place = entry @@ beat
    case class Late() extends Bundle {
      val last, error = Bool()
    }
    val late = Reg(Late())
    val isLate = RegInit(False)
    val output = Stream(SpanWord(p))
    /** The arriving word is the one that is wanted. */
    val direct = due && busy(entry) && arrival.valid && arriving && arrival.beat === beat && !isLate
    output.valid := isLate || direct
    output.data := isLate ? data.io.read.data | d.data
    output.error := isLate ? late.error | (d.denied || d.corrupt)
    output.last := isLate ? late.last | (last && next.ends)
    val reads = here && (!isLate || output.ready)
    data.io.read.enable := reads
    data.io.read.address := place
    write.forgets := write.pending || arrival.valid || here && write.target === place
    when(reads) {
      late.last := last && next.ends
      late.error := denied(entry)
      isLate := True
    } elsewhen (output.ready) {
      isLate := False
    }
    val passed = reads || direct && output.ready
    when(passed) {
      fresh := last
      following := beat + 1
      when(last) { tail := tail + 1 }
    }
    val held = output.m2sPipe()
    io.word << held.throwWhen(io.clear)
    count := count + seek.takes.asUInt - (passed && last).asUInt
  }

  d.ready := True
  io.write.d.valid := d.valid && !answersRead
  io.write.d.opcode := Opcode.D.ACCESS_ACK
  io.write.d.param := 0
  io.write.d.source := d.source.resized
  io.write.d.size := d.size
  io.write.d.sink := 0
  io.write.d.denied := d.denied

  io.idle := !busy.orR && count === 0 && !delivery.isLate && !delivery.held.valid
  io.waiting := delivery.due && !delivery.held.valid
}

object MemoryAccessInterface {
  /** Bytes of a block here, as in the paper's Table I. It is smaller than the shared cache's block, because most
    * objects need no more, and a larger block would also contain its neighbour's data.
    */
  val EntryBytes = 32
}
