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
  val short = Bool()
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
  */
case class HeaderReader(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  private val bytes = PathWord.bytes(m)
  private val shift = PathWord.shift(m)
  private val count = Window.words(m)
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
    /** Nothing is under way. */
    val empty = out(Bool())
  }
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
    /** A part of the span may have been requested in an earlier cycle. Its data may be old by the time the rest is
      * requested.
      */
    val offered = RegInit(False)
    val turn = (io.allowed || offered) && (if (p.pipelined) True else order.io.occupancy === 0)
    val offset = address(blockShift - 1 downto shift)
    /** Path words from there to the end of the block. */
    val room = U(blockBytes / bytes, widthOf(offset) + 1 bits) - offset
    val cut = room < count && (address >> blockShift) === lastBlock
    val words = cut ? room | U(count, widthOf(room) bits)
    order.io.push.valid := io.visit.valid && turn && (!reads || io.span.ready)
    order.io.push.payload := entry
    io.span.valid := io.visit.valid && turn && reads && order.io.push.ready
    io.span.word := (address >> shift) @@ U(0, shift - log2Up(m.wordBytes) bits)
    io.again := io.visit.again
    io.span.count := (words << log2Up(PathWord.beats(m))).resized
    io.visit.ready := turn && order.io.push.ready && (!reads || io.span.ready)
    io.issued := io.span.valid && !offered
    offered := io.span.valid && !io.span.ready
  }

  /** For each read under way: the object starts in the middle of a path word. */
  val middles = StreamFifo(Bool(), p.headersAhead, latency = 1)
  middles.io.push.valid := io.span.fire
  middles.io.push.payload := ask.address(3)

  val gather = new Area {
    // The read's first words may be here before its last ones are requested.
    val input = PathSpan(m, io.word).continueWhen(middles.io.pop.valid)
    val parts = Vec.fill(count)(Reg(Bits(8 * bytes bits)))
    val at = Reg(UInt(log2Up(count) bits)) init 0
    val complete, error = RegInit(False)
    /** The class is being looked up; the answer has been stored. */
    val looking, looked = RegInit(False)
    val registered, short = Reg(Bool())
    val shape = Reg(ClassShape())
    val leaves = Bool()
    val first = at === 0
    val free = !complete || leaves
    val middle = if (Window.canBeShort(m)) middles.io.pop.payload else False
    // The first word always contains the klass: an object starts in its lower or its upper half.
    io.lookup.valid := input.valid && first && free
    io.lookup.payload := input.data(63 downto 32)
    if (Window.canBeShort(m)) when(middle) { io.lookup.payload := input.data(127 downto 96) }
    input.ready := free && (!first || io.lookup.ready)
    middles.io.pop.ready := input.fire && input.last
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
      for (i <- 0 until count) when(at === i) { parts(i) := input.data }
      error := input.error || error && !first
      at := input.last ? U(0) | (at + 1)
      short := middle
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
    io.header.short := gather.short
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
      if (Window.canBeShort(m)) when(gather.short) { io.header.window(i) := flat((i + 2) % Window.Slots) }
    }
  }
  io.empty := !order.io.pop.valid && order.io.occupancy === 0
}
