package heapwire.cereal.serialize

import heapwire.cereal.road._
import heapwire.isa.ObjectLayout
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** A reference whose object is to be visited. */
case class Visit() extends Bundle {
  val address = UInt(32 bits)
  /** The object has been numbered before. It is visited again because its turn to be written has come. */
  val again = Bool()
  /** The graph's root, to which no slot refers. */
  val root = Bool()
}

/** What was found at a reference. */
case class Header() extends Bundle {
  val visit = Visit()
  val isNull = Bool()
  /** The reference is misaligned, or no object can be there; nothing was read. */
  val bad = Bool()
  /** The bus denied the read. */
  val error = Bool()
  val window = Vec.fill(Window.Slots)(Bits(32 bits))
  /** The object starts in the middle of a path word. `whole`: all of its window was read. */
  val middle, whole = Bool()
  val registered = Bool()
  val shape = ClassShape()
  /** Bytes of an array's elements. `long`: they exceed 32 bits. */
  val extent = UInt(32 bits)
  val long = Bool()
  /** Number of bytes from the object's address to the limit. */
  val room = UInt(32 bits)
  def read: Bool = !isNull && !bad
}

/** Reads the first 32 bytes of each referenced object and looks up its class: the reading part of Cereal's header
  * manager (ISCA 2020, section V.B). Many reads are in flight; results come in order.
  *
  * It reads only blocks of the [[MemoryAccessInterface]] that overlap the bounds. Latency: that of the memory, 1 cycle
  * to and 1 from the bus, 1 for each word of the window, and 1 for arrays. Throughput: one null reference per cycle;
  * for others, as many cycles as the window has words, and one more for arrays. The address of a header that was read
  * is on the output at least one cycle before it is valid, so that a look-up of one cycle is possible.
  *
  * In a chain of objects, each address is in the object before. So while no other object is under way, the first
  * reference in a window is sent ahead as a hint, 2 or 3 cycles before the visit, which judges the address.
  */
case class HeaderReader(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  private val bytes = PathWord.bytes(m)
  private val shift = PathWord.shift(m)
  private val count = Window.words(m)
  /** Path words of a whole window that starts in the middle of one. */
  private val most = if (Window.canBeShort(m)) count + 1 else count
  private val blockBytes = MemoryAccessInterface.EntryBytes
  private val blockShift = log2Up(blockBytes)
  val io = new Bundle {
    val bound, limit = in UInt (32 bits)
    val visit = slave(Stream(Visit()))
    val span = master(Stream(Span(m)))
    /** For the span: its object is written next and is not read again. */
    val again = out(Bool())
    val word = slave(Stream(SpanWord(m)))
    val lookup = master(Stream(Bits(32 bits)))
    val found = in(Bool())
    val shape = in(ClassShape())
    val header = master(Stream(Header()))
    /** A header's read is on its way (pulse), from the cycle in which its first request may reach the bus. */
    val issued = out(Bool())
    /** Another read may start; a read that is on its way continues. */
    val allowed = in(Bool())
    /** Nothing is under way but a reference and the object that contains it; never without `pipelined`. */
    val alone = in(Bool())
    /** A block to fetch within the bounds, of the object that is probably visited next. May be withdrawn. */
    val hint = master(Stream(UInt(32 - log2Up(MemoryAccessInterface.EntryBytes) bits)))
    /** Nothing is under way. */
    val empty = out(Bool())
  }
  /** The slot of an array's first element. */
  private val FirstElement = ObjectLayout.Metadata.ArrayElements / 4
  case class Order() extends Bundle {
    val visit = Visit()
    val isNull, bad = Bool()
  }
  val order = StreamFifo(Order(), p.headersAhead, latency = 1)
  /** The block of the last byte within the bounds; no block behind it is read. */
  val lastBlock = RegNext((io.limit - 1) >> blockShift)
  /** The highest address of an object, which has at least 16 bytes. */
  val highest = RegNext(io.limit - 16)

  val ask = new Area {
    val address = io.visit.address
    val entry = Order()
    entry.visit := io.visit.payload
    entry.isNull := address === 0
    entry.bad := !entry.isNull && (address(2 downto 0) =/= 0 || address < io.bound || address > highest)
    val reads = !entry.isNull && !entry.bad
    /** The object starts in the middle of a path word, so its window takes another word. That word is left out, unless
      * nothing else could be read meanwhile.
      */
    val middle = if (Window.canBeShort(m)) address(shift - 1) else False
    val alone = Bool()
    val full = middle && alone
    /** A part of the span may have been requested in an earlier cycle. Its data may be old by the time the rest is
      * requested.
      */
    val offered = RegInit(False)
    val turn = (io.allowed || offered) && (if (p.pipelined) True else order.io.occupancy === 0)
    val offset = address(blockShift - 1 downto shift)
    /** Path words from there to the end of the block. */
    val room = U(blockBytes / bytes, widthOf(offset) + 1 bits) - offset
    val wanted = full ? U(count + 1, widthOf(room) bits) | U(count, widthOf(room) bits)
    val cut = room < wanted && (address >> blockShift) === lastBlock
    val words = cut ? room | wanted
    order.io.push.valid := io.visit.valid && turn && (!reads || io.span.ready)
    order.io.push.payload := entry
    io.span.valid := io.visit.valid && turn && reads && order.io.push.ready
    io.span.word := (address >> shift) @@ U(0, shift - log2Up(m.wordBytes) bits)
    io.again := io.visit.again
    io.span.count := (words << log2Up(PathWord.beats(m))).resized
    io.visit.ready := turn && order.io.push.ready && (!reads || io.span.ready)
    io.issued := io.span.valid && !offered
    offered := io.span.valid && !io.span.ready
    alone := offered ? RegNext(alone) | io.alone
  }

  /** For each read under way: the object starts in the middle of a path word; the window is whole nevertheless. */
  case class Start() extends Bundle {
    val middle, full = Bool()
  }
  val starts = StreamFifo(Start(), p.headersAhead, latency = 1)
  starts.io.push.valid := io.span.fire
  starts.io.push.middle := ask.middle
  starts.io.push.full := ask.full

  val gather = new Area {
    // The read's first words may be here before its last ones are requested.
    val input = PathSpan(m, io.word).continueWhen(starts.io.pop.valid)
    val parts = Vec.fill(most)(Reg(Bits(8 * bytes bits)))
    val at = Reg(UInt(log2Up(most) bits)) init 0
    val complete, error = RegInit(False)
    /** The class is being looked up; the answer has been stored. */
    val looking, looked = RegInit(False)
    val registered, middle, whole = Reg(Bool())
    val shape = Reg(ClassShape())
    val leaves = Bool()
    val first = at === 0
    val free = !complete || leaves
    // The first word always contains the klass: an object starts in its lower or its upper half.
    io.lookup.valid := input.valid && first && free
    io.lookup.payload := input.data(63 downto 32)
    if (Window.canBeShort(m)) when(starts.io.pop.middle) { io.lookup.payload := input.data(127 downto 96) }
    input.ready := free && (!first || io.lookup.ready)
    starts.io.pop.ready := input.fire && input.last
    when(leaves) {
      complete := False
      looked := False
    }
    looking := io.lookup.fire
    when(looking) {
      looked := True
      registered := io.found
      shape := io.shape
    }
    when(input.fire) {
      for (i <- 0 until most) when(at === i) { parts(i) := input.data }
      error := input.error || error && !first
      at := input.last ? U(0) | (at + 1)
      middle := starts.io.pop.middle
      whole := !starts.io.pop.middle || starts.io.pop.full
      complete := input.last
    }
  }

  val result = new Area {
    val entry = order.io.pop.payload
    val reads = !entry.isNull && !entry.bad
    /** The entry has been first for a cycle. `known`: its window and its class are here; `measured`: for at least a
      * cycle, which arrays need.
      */
    val settled = RegNext(order.io.pop.valid && !order.io.pop.fire) init False
    val known = gather.complete && gather.looked
    val measured = RegNext(known && !gather.leaves) init False
    val here = !reads || settled && known && (measured || !gather.shape.isArray)
    io.header.valid := order.io.pop.valid && here
    order.io.pop.ready := io.header.ready && here
    gather.leaves := io.header.fire && reads
    io.header.visit := entry.visit
    io.header.isNull := entry.isNull
    io.header.bad := entry.bad
    io.header.error := gather.error
    io.header.middle := gather.middle
    io.header.whole := gather.whole
    io.header.registered := gather.registered
    io.header.shape := gather.shape
    val length = io.header.window(ObjectLayout.Array.Length / 4).asUInt
    val extent = RegNext(length.resize(35) |<< gather.shape.shift)
    io.header.long := extent(34 downto 32) =/= 0
    io.header.extent := extent(31 downto 0)
    io.header.room := RegNext(io.limit - entry.visit.address)
    val flat = gather.parts.asBits.subdivideIn(32 bits)
    for (i <- 0 until Window.Slots) {
      io.header.window(i) := flat(i)
      if (Window.canBeShort(m)) when(gather.middle) { io.header.window(i) := flat(i + 2) }
    }
  }

  /** Of several references only the first is a hint: the visits of the others come before memory can answer it. The
    * target's window may lie in two blocks; the second one follows in a later cycle.
    */
  val hint = new Area {
    val slots = 4 until Window.Slots
    private val shape = gather.shape
    val isReference = B(slots.map { i =>
      val brought = if (i >= Window.ShortSlots) gather.whole else True
      brought && (shape.isArray ? (if (i == FirstElement) shape.isReferences else False) | shape.references(i - 4))
    })
    val target =
      MuxOH.or(OHMasking.firstV2(isReference), slots.map(i => io.header.window(i).asUInt), bypassIfSingle = true)
    val block = target >> blockShift
    val gone = RegInit(False)
    val first = gather.complete && gather.looked && gather.registered && io.alone && isReference.orR && !gone &&
      target >= io.bound && target <= highest
    val rest = RegInit(False)
    val restBlock = Reg(UInt(widthOf(block) bits))
    io.hint.valid := first || rest
    io.hint.payload := first ? block | restBlock
    when(io.hint.fire || io.visit.valid) { rest := False }
    when(first && io.hint.ready) {
      gone := True
      rest := target(blockShift - 1 downto 0) =/= 0 && block =/= lastBlock
      restBlock := block + 1
    }
    when(gather.leaves || !gather.complete) { gone := False }
  }
  io.empty := !order.io.pop.valid && order.io.occupancy === 0
}
