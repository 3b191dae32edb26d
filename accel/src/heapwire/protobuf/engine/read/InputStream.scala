package heapwire.protobuf.engine.read

import heapwire.memory._
import heapwire.protobuf.engine.logic.Same
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Reads a range of memory in order, ahead of its user: the aligned words of 8 bytes from the one that holds the
  * range's first byte to the one that holds its last.
  *
  * {{{
  *  start -> request register -> A        D -> slots of a block (block RAM) -> register -> word
  * }}}
  *
  * It reads whole blocks, up to `slots` of them in flight. Slots are used in turn; answers may come in any order. The
  * first request leaves in the cycle after `start`, further ones every 2 cycles. A word is offered 3 cycles after its
  * beat has come, without waiting for the rest of its block. It delivers a word per cycle, or one every 2 cycles if
  * memory words have 4 bytes. An answer may come in the cycle after its request at the earliest.
  */
case class InputStream(p: MemoryParameter, slots: Int = 8) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")
  val node: NodeParameters = p.master("input_stream", slots, get = true)

  val io = new Bundle {
    /** Allowed only while `idle`. Ignored together with `stop`. */
    val start = slave(Flow(StreamRange()))
    /** From the next cycle on no word is offered and no new read is requested. `idle` follows once all reads are
      * answered.
      */
    val stop = in(Bool())
    val word = master(Stream(StreamWord()))
    /** No read is in flight, and no word is left. */
    val idle = out(Bool())
    val bus = master(Bus(node))
  }
  private val blockShift = log2Up(p.blockBytes)
  private val slotWidth = log2Up(slots)
  /** What is read from a slot per cycle: a word, or half of one. */
  private val pieceBytes = p.wordBytes min 8
  private val halves = 8 / pieceBytes
  private val piecesPerBeat = p.wordBytes / pieceBytes
  private val Slot = HardType(UInt(slotWidth bits))
  private val Piece = HardType(UInt(blockShift - log2Up(pieceBytes) bits))

  val ask = new Area {
    val block = Reg(UInt(32 - blockShift bits))
    val end = Reg(UInt(32 bits))
    /** So much of the range is left that its blocks should not be allocated in the shared cache: the core's hits would
      * wait behind them.
      */
    val streaming = Reg(Bool())
    /** Not in the first cycle of a range: `end` and `block` were those of the range before. */
    private val isLong =
      RegNext((end - (block << blockShift)) >> log2Up(InputStream.StreamingBytes) =/= 0 && !io.start.valid)
    /** `offered`: a request is on the bus. `more`: other requests will follow. `beyond`: the previous request was for
      * the block in which `end` lies.
      */
    val offered, more = RegInit(False)
    val beyond = Reg(Bool())
    /** `next`: the slot of the next request, with its lap in the highest bit. `last`: the slot of the last request. */
    val next = Reg(UInt(slotWidth + 1 bits))
    val last = Reg(Slot())
    val full = Bool()

    val atEnd = Same(block, end >> blockShift)
    val taken = offered && io.bus.a.ready
    when(taken) {
      offered := False
      block := block + 1
      beyond := atEnd
      next := next + 1
      last := next.resized
      streaming := isLong
    }
    when(!offered && more) {
      when((end(p.blockRange) === 0) ? atEnd | beyond) { more := False } otherwise { offered := !full && !io.stop }
    }
    when(io.start.valid) {
      offered := !io.stop
      more := True
      beyond := False
      block := io.start.address >> blockShift
      end := io.start.end
      next := 0
      streaming := False
    }
    when(io.stop) { more := False }

    val a = io.bus.a
    a.valid := offered
    a.opcode := Opcode.A.GET
    a.param := streaming ? B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits) | B(Param.Hint.NONE, 3 bits)
    a.source := next.resized
    a.address := block @@ U(0, blockShift bits)
    a.size := blockShift
    a.debugId := 0
  }

  case class Beat() extends Bundle {
    val data = Bits(p.dataWidth bits)
    val error = Bool()
  }
  /** A beat is never read in the cycle in which it is written. */
  val beats = BlockRam(Mem(Beat(), slots * p.wordsPerBlock)).addAttribute("no_rw_check")

  val arrive = new Area {
    val d = io.bus.d
    d.ready := True
    /** Number of beats of `slot` that have arrived. 0 means all of them, as `laps` says. */
    val count = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
    val slot = RegNextWhen(d.source.resize(slotWidth), d.valid)
    val source = d.source.resize(slotWidth)
    val beat = Beat()
    beat.data := d.data
    beat.error := d.denied || d.corrupt
    beats.write(source @@ count, beat, d.valid)
    when(d.valid) { count := count + 1 }
    val done = d.valid && count.andR

    /** For each slot, the lap of the last block that arrived. */
    val laps = Reg(Bits(slots bits))
    when(done) { laps(source) := (source < ask.next.resize(slotWidth)) === ask.next.msb }
    when(io.start.valid) { laps.setAll() }

    val outstanding = Reg(UInt(slotWidth + 1 bits)) init 0
    when(ask.taken =/= done) { outstanding := outstanding + (done #* slotWidth ## True).asUInt }
  }

  val deliver = new Area {
    /** There are words to be read from slots. */
    val active = RegInit(False)
    val slot = Reg(UInt(slotWidth + 1 bits))
    val piece, lastPiece = Reg(Piece())
    val beat = piece >> log2Up(piecesPerBeat)
    ask.full := (ask.next ^ slot) === slots

    val advance = !io.word.valid || io.word.ready
    val here = arrive.laps(slot.resize(slotWidth)) === slot.msb ||
      arrive.slot === slot.resize(slotWidth) && beat < arrive.count
    val read = active && here
    val isLast = !ask.more && slot.resize(slotWidth) === ask.last && piece === lastPiece
    when(read && advance) {
      piece := piece + 1
      when(piece.andR) { slot := slot + 1 }
      when(isLast) { active := False }
    }
    when(io.start.valid) {
      val last = io.start.end.resize(blockShift) - 1
      active := True
      slot := 0
      piece := (io.start.address(blockShift - 1 downto 3) << log2Up(halves)).resized
      lastPiece := ((last >> 3) << log2Up(halves)).resize(widthOf(Piece())) | halves - 1
    }

    val out = beats.readSync(slot.resize(slotWidth) @@ beat, advance)
    /** `valid`: a piece comes out of the memory. `ends`: it is the last one of its word. */
    val valid = RegInit(False)
    val which = RegNextWhen(piece, advance)
    val ends = if (halves == 1) True else which(0)
    val offered = RegInit(False)
    val word = Reg(StreamWord())
    when(advance) {
      valid := read
      offered := valid && ends
      word.error := out.error
      if (piecesPerBeat == 1 && halves == 1) word.data := out.data
      if (piecesPerBeat == 2) word.data := which(0) ? out.data(127 downto 64) | out.data(63 downto 0)
      if (halves == 2)
        for (half <- 0 until 2) when(which(0) === Bool(half == 1)) { word.data(32 * half, 32 bits) := out.data }
    }
    when(io.stop) {
      active := False
      valid := False
      offered := False
    }
    io.word.valid := offered
    io.word.payload := word
  }

  io.idle := !ask.offered && arrive.outstanding === 0 && !deliver.active && !deliver.valid && !deliver.offered
}

object InputStream {
  /** If at least this many bytes are left, blocks are not allocated in the shared cache. */
  val StreamingBytes = 4096
}
