package heapwire.protobuf.engine.read

import heapwire.protobuf.engine.memory.GranuleWrite
import spinal.core._
import spinal.lib._

/** A job: bytes to be written upwards. */
case class CopyJob() extends Bundle {
  val address, length = UInt(32 bits)
  /** Write zeros instead of bytes of the source. */
  val zeros = Bool()
  /** Also write zeros behind the last byte, up to the next multiple of 8. */
  val round = Bool()
  /** Write a zero behind the last byte, before rounding. */
  val terminated = Bool()
  /** Write nothing: the bytes only pass. */
  val dry = Bool()
}

/** Bytes on their way through, at most `most` (4 or 8). Bytes from `count` (at least 1) on are undefined. */
case class CopiedBytes(most: Int) extends Bundle {
  val data = Bits(8 * most bits)
  val count = UInt(4 bits)
  val last = Bool()
}

/** The copier's side of a window of bytes. */
case class CopySource() extends Bundle with IMasterSlave {
  /** `wants`: the copier wants `take` bytes, up to 8. `take` comes from a register. */
  val wants = Bool()
  val take = UInt(4 bits)
  /** The wanted bytes are there, and are taken in this cycle. */
  val available = Bool()
  /** The bytes taken in the previous cycle, the first one in the low byte; undefined behind them. */
  val bytes = Bits(64 bits)
  def asMaster(): Unit = {
    out(wants, take)
    in(available, bytes)
  }
}

/** Writes bytes of a source upwards to any address, `takes` (8 or 4) per cycle, or zeros, 8 per cycle.
  *
  * Until the address is a multiple of `takes`, the copier takes smaller powers of two from the source. Such a piece is
  * repeated on all lanes of its size, and the mask begins at the piece's place. The mask ends where the job ends, so
  * lanes above a piece are first written with undefined data and then with the bytes that belong there. Nothing is ever
  * written outside the job.
  *
  * 4 bytes per cycle is as much as a 32-bit port delivers; it saves a third of this component and half of the text
  * checker. The first bytes are requested 2 cycles after `start`, and a granule is offered 2 cycles after its bytes
  * were taken.
  */
case class Copier(takes: Int = 8) extends Component {
  require(takes == 8 || takes == 4, s"takes must be 8 or 4, not $takes")
  val io = new Bundle {
    /** Allowed only while not `busy`. */
    val start = slave(Flow(CopyJob()))
    val source = master(CopySource())
    /** The bytes from the source, as they come. An empty job has none. */
    val chunk = master(Flow(CopiedBytes(takes)))
    val write = master(Stream(GranuleWrite()))
    /** High until the last write has been taken. */
    val busy = out(Bool())
    /** The granule of the next write, without its high address bits; valid from one cycle after `start`. */
    val granule = out UInt (15 bits)
    /** Ends the job at once, and withdraws what is offered on `write`. */
    val kill = in(Bool())
  }

  val job = new Area {
    val begin = RegNext(io.start.valid && !io.kill) init False
    val run = RegInit(False)
    val zeros, round, terminated, dry = Reg(Bool())
    /** Pieces may have 8 bytes. */
    val wide = if (takes == 8) True else zeros
    /** Lane of the next byte in its granule. */
    val low = Reg(UInt(3 bits))
    /** Bytes that are left, counted from the start of that granule; until `begin`, counted from the next byte. */
    val left = Reg(UInt(32 bits))
    val end = left(2 downto 0)
    private val few = left(31 downto 4) === 0
    private val oneMore = few && left(3)
    /** The job ends in this granule, before its last lane. */
    val tail = Reg(Bool())

    /** The size of the next piece and the number of its bytes that belong to the job. They are computed a cycle ahead,
      * so that they are in registers when the source answers.
      */
    val piece = CopyPiece.size(low, wide)
    private def ahead(low: UInt, end: UInt, tail: Bool): Bits = {
      val piece = CopyPiece.size(low, wide)
      val rest = (end - low).resize(4 bits)
      val isRest = tail && rest <= piece
      isRest ## (tail && rest === 0) ## (isRest ? rest | piece)
    }
    private val next = Reg(Bits(6 bits))
    val isRest = next(5)
    val count = next(3 downto 0).asUInt
    /** Only zeros behind the last byte are left, or nothing. */
    val bare = next(4)
    private val nothing = bare && !terminated && !(round && low =/= 0)
    private val closes = !tail && CopyPiece.closes(low, wide)
    val last = isRest || closes && oneMore && end === 0
    val fromSource = !zeros && !bare

    val room = Bool()
    io.source.wants := run && room && fromSource
    io.source.take := count
    val fire = run && room && !nothing && (!fromSource || io.source.available)
    private val step = fire && closes
    when(begin || step) {
      left := left + (begin ? low.resize(32 bits) | U(32 bits, (2 downto 0) -> false, default -> true))
    }
    when(step) { tail := oneMore }
    private val lowNext = low + piece.resize(3 bits)
    when(fire) {
      low := lowNext
      next := ahead(lowNext, end, closes ? oneMore | tail)
    }
    when(fire && isRest || nothing) { run := False }
    when(begin) {
      val isLast = few && !left(3) && !(end +^ low).msb
      run := True
      tail := isLast
      next := ahead(low, end + low, isLast)
    }
    when(io.start.valid) {
      low := io.start.address.resized
      left := io.start.length
      zeros := io.start.zeros
      round := io.start.round
      terminated := io.start.terminated
      dry := io.start.dry
    }
    when(io.kill) { run := False }
  }

  /** The piece whose bytes arrive in this cycle. */
  val arrival = new Area {
    val low = RegNext(job.low)
    val tail = RegNext(job.tail)
    val fromSource = RegNext(job.fromSource)
    /** Zeros begin at this lane, if there are any. */
    private val end = job.end.andMask(!job.zeros)
    /** Returns the byte of the granule that is on lane `i`. */
    private def place(i: Int): UInt = if (takes == 8) U(i, 3 bits) else job.low(2 downto 2) @@ U(i, 2 bits)
    val blank = RegNext(Cat((0 until takes).map(i => (job.zeros || job.tail) && end <= place(i))))
    private val source = io.source.bytes.resize(8 * takes)
    val data = CopyPiece.lanes(source, CopyPiece.size(low, job.wide), blank)
    io.chunk.data := source
    io.chunk.count := RegNext(job.count)
    io.chunk.last := RegNext(job.last)
  }

  /** The pieces that have arrived; what was requested has room here. An entry holds the piece's lane, whether it is in
    * the tail, and its bytes.
    */
  val queue = new Area {
    val asked, arrived, taken = Reg(UInt(3 bits)) init 0
    job.room := (asked ^ taken) =/= 4
    when(job.fire) { asked := asked + 1 }
    arrived := asked
    when(io.write.fire) { taken := taken + 1 }
    when(io.kill) { Seq(asked, arrived, taken).foreach(_ := 0) }
    private val arrives = asked =/= arrived
    io.chunk.valid := arrives && arrival.fromSource

    val entries = Mem(Bits(4 + 8 * takes bits), 4)
    entries.addAttribute("ram_style", "distributed")
    entries.write(arrived.resized, arrival.tail ## arrival.low ## arrival.data, arrives)
    private val entry = entries.readAsync(taken.resize(2 bits), writeFirst)
    private val tail = entry.msb
    private val low = entry(8 * takes, 3 bits).asUInt

    val granule = Reg(UInt(29 bits))
    when(io.write.fire && !tail && CopyPiece.closes(low, job.wide)) { granule := granule + 1 }
    when(io.start.valid) { granule := io.start.address >> 3 }
    io.granule := granule.resized
    io.write.valid := arrived =/= taken
    io.write.address := granule @@ U(0, 3 bits)
    private val data = entry.resize(8 * takes)
    // With four lanes, both halves get the same data. Above a last piece in the lower half there are zeros, or later
    // pieces.
    io.write.data := (if (takes == 8) data else data.andMask(!tail || low(2)) ## data)
    /** Lanes of the last granule that belong to the job. */
    private val own = (0 until 8).map(i => job.round || job.end > i || job.terminated && job.end === i)
    io.write.mask := Cat((0 until 8).map(i => low <= i && (!tail || own(i)))).andMask(!job.dry)
  }
  io.busy := job.begin || job.run || queue.asked =/= queue.taken
}
