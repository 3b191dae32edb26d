package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Bytes to be written upwards. */
case class CopyJob() extends Bundle {
  val address, length = UInt(32 bits)
  /** Zeros; else bytes of the source. */
  val zeros = Bool()
  /** Zeros behind the last byte, up to the next multiple of 8, are written too. */
  val round = Bool()
  /** A zero is written behind the last byte, before it is rounded. */
  val terminated = Bool()
}

/** Bytes that pass, `most` (4 or 8) at most; those from `count` (at least 1) on are noise. */
case class CopiedBytes(most: Int) extends Bundle {
  val data = Bits(8 * most bits)
  val count = UInt(4 bits)
  val last = Bool()
}

/** The copier's side of a window of bytes. */
case class CopySource() extends Bundle with IMasterSlave {
  /** Bytes are wanted, and so many, up to 8, which a register says. */
  val wants = Bool()
  val take = UInt(4 bits)
  /** They are wanted and there, and are taken in this cycle. */
  val available = Bool()
  /** Those taken in the cycle before, the first in the low byte; noise behind them. */
  val bytes = Bits(64 bits)
  def asMaster(): Unit = {
    out(wants, take)
    in(available, bytes)
  }
}

/** Writes bytes of a source upwards to any address, `takes` (8 or 4) a cycle, or zeros, 8 a cycle.
  *
  * The source is asked for smaller powers of two until the address is a multiple of `takes`: such a piece is put on all lanes of its
  * size, and the mask begins where it belongs. The mask ends where the job does, so that lanes above a piece are written with
  * noise before the bytes themselves follow: nothing else is ever written outside the job.
  *
  * A source of 4 bytes a cycle is as much as a port of 32 bits brings, and saves a third of this and half of the text checker.
  *
  * The first bytes are asked for 2 cycles after `start`, and a granule is offered 2 cycles after its bytes were taken.
  */
case class Copier(takes: Int = 8) extends Component {
  require(takes == 8 || takes == 4, s"takes must be 8 or 4, not $takes")
  val io = new Bundle {
    /** Only while not busy. */
    val start = slave(Flow(CopyJob()))
    val source = master(CopySource())
    /** What came from the source, as it comes; nothing of an empty job. */
    val chunk = master(Flow(CopiedBytes(takes)))
    val write = master(Stream(EngineWrite()))
    /** Until the last write has been taken. */
    val busy = out Bool()
    /** That of the next write, without its high bits; the first one a cycle after `start`. */
    val granule = out UInt(15 bits)
    /** Ends at once, and withdraws what is offered on `write`. */
    val kill = in Bool()
  }

  val job = new Area {
    val begin = RegNext(io.start.valid && !io.kill) init False
    val run = RegInit(False)
    val zeros, round, terminated = Reg(Bool())
    /** Pieces may have 8 bytes. */
    val wide = if (takes == 8) True else zeros
    /** Where in its granule the next byte lies. */
    val low = Reg(UInt(3 bits))
    /** Bytes from the start of that granule on; until `begin`, from the next byte on. */
    val left = Reg(UInt(32 bits))
    val end = left(2 downto 0)
    private val few = left(31 downto 4) === 0
    private val oneMore = few && left(3)
    /** The granule is the one in which the job ends, before its last lane. */
    val tail = Reg(Bool())

    /** The next piece, and what of it there is: foreseen, so that the source's answer finds it in registers. */
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
    /** Nothing is left but zeros behind the last byte, or not even those. */
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
    when(begin || step) { left := left + (begin ? low.resize(32 bits) | U(32 bits, (2 downto 0) -> false, default -> true)) }
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
    }
    when(io.kill) { run := False }
  }

  /** The piece whose bytes come. */
  val arrival = new Area {
    val low = RegNext(job.low)
    val tail = RegNext(job.tail)
    val fromSource = RegNext(job.fromSource)
    /** Zeros from this lane on, if there are any. */
    private val end = job.end.andMask(!job.zeros)
    /** The byte of the granule that a lane is. */
    private def place(i: Int): UInt = if (takes == 8) U(i, 3 bits) else job.low(2 downto 2) @@ U(i, 2 bits)
    val blank = RegNext(Cat((0 until takes).map(i => (job.zeros || job.tail) && end <= place(i))))
    private val source = io.source.bytes.resize(8 * takes)
    val data = CopyPiece.lanes(source, CopyPiece.size(low, job.wide), blank)
    io.chunk.data := source
    io.chunk.count := RegNext(job.count)
    io.chunk.last := RegNext(job.last)
  }

  /** What has arrived: there is room for what was asked for. An entry is its piece's place, whether it is in the tail, its bytes. */
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
    // Four lanes are both halves; above a last piece in the lower half are zeros, and pieces that follow.
    io.write.data := (if (takes == 8) data else data.andMask(!tail || low(2)) ## data)
    /** Lanes of the last granule that the job has. */
    private val own = (0 until 8).map(i => job.round || job.end > i || job.terminated && job.end === i)
    io.write.mask := Cat((0 until 8).map(i => low <= i && (!tail || own(i))))
    io.write.trusted := False
  }
  io.busy := job.begin || job.run || queue.asked =/= queue.taken
}
