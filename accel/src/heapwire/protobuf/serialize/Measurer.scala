package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Finds out how long strings and bytes of C structs are: `Terminated` and
  * `Counted` operations leave as `Text` ones, what is empty as a scalar or, if it
  * may be left out, not at all. Others pass, a cycle each, two if they refer to a C struct's bytes.
  *
  * Whatever C structs refer to is checked against the bounds here: BAD_OBJECT;
  * a string without its NUL, and more bytes than there is room for, are DOES_NOT_FIT.
  *
  * A string costs 4 cycles, the latency of a read and a cycle for each word; up to
  * `ahead` words behind its end are read, never any beyond its room.
  */
case class Measurer(m: MemoryParameter, ahead: Int = 4) extends Component {
  require(isPow2(ahead) && ahead >= 2, s"ahead must be a power of two of at least 2, not $ahead")
  val io = new Bundle {
    val input = slave(Stream(Op()))
    val output = master(Stream(Op()))
    val bounds = in(HeapBounds())
    /** Counts have four bytes, else two. */
    val wide = in Bool()
    val request = master(Stream(CachedRead(m)))
    val word = slave(Stream(CachedWord(m)))
    val kill = in Bool()
  }
  object State extends SpinalEnum { val Pass, Check, Measure, Length, Sum, Give = newElement() }
  import State._
  val state = RegInit(Pass)
  val op = io.input.payload
  val text = op.kind === OpKind.Terminated

  /** The word to be asked for next, that comes next, and the last one that may be read. */
  private val shift = PathWord.shift(m)
  val asking, coming, last = Reg(UInt(32 - shift bits))
  val allAsked = Reg(Bool())
  /** Words under way, and how many of them are for nobody any more. */
  private val countWidth = log2Up(2 * ahead + 1)
  val wanted, unwanted = Reg(UInt(countWidth bits)) init 0
  /** What was found; of a string, its NUL. */
  val length, at, nul = Reg(UInt(32 bits))
  val status = Reg(Bits(Status.Width bits))

  private val output = Stream(Op())
  output.valid := False
  output.payload := op
  io.input.ready := False
  io.output << output.m2sPipe(flush = io.kill)

  private val countSize = io.wide ? U(4, 3 bits) | U(2, 3 bits)
  /** The bytes are looked for in a C struct. */
  val refers = op.isMeasured || op.direct && op.isPayload
  /** Behind a string's room, a count, or bytes whose count is known; a cycle late. */
  val end = new Area {
    private val counted = state === Sum || state === Give
    private val size = UInt(36 bits)
    size := op.high.resize(36) |<< op.encoding.log2Size
    when(op.isMeasured) { size := text ? op.high.resize(36) | countSize.resize(36) }
    when(counted) { size := length.resized }
    val value = RegNext((counted ? at | op.low).resize(37) + size)
    val outside = io.bounds.limit < value
  }
  /** Where the operation refers to is below the bounds or not aligned; is not below the limit; a cycle late. */
  val start = new Area {
    private val alignment = op.isMeasured ? (countSize - 1).andMask(!text) | ((U(1, 4 bits) |<< op.encoding.log2Size) - 1)(2 downto 0)
    val wrong = RegNext(op.low < io.bounds.bound || (op.low(2 downto 0) & alignment) =/= 0)
    val beyond = RegNext(!(op.low < io.bounds.limit))
  }
  /** A string's room ends within the bounds. */
  val within = Reg(Bool())

  /** Of the word that has come. */
  val look = new Area {
    val first = coming === op.low(31 downto shift)
    val from = first ? op.low(shift - 1 downto 0) | U(0, shift bits)
    val ones = B(PathWord.bytes(m) bits, default -> true)
    val zeros = Cat(io.word.data.subdivideIn(8 bits).map(_ === 0)) & (ones |<< from).resize(PathWord.bytes(m))
    val index = OHToUInt(OHMasking.firstV2(zeros))
    val found = zeros.orR
    val lane = io.word.four(op.low)
    val narrow = op.low(1) ? lane(31 downto 16) | lane(15 downto 0)
    val count = (io.wide ? lane | narrow.resize(32)).asUInt
  }

  io.request.valid := state === Measure && !allAsked && wanted < ahead
  io.request.address := asking @@ U(0, shift bits)
  io.request.streaming := False
  val mine = io.word.valid && unwanted === 0
  io.word.ready := unwanted =/= 0 || state === Measure
  val taken = mine && state === Measure
  val over = False
  val underWay = wanted + io.request.fire.asUInt - taken.asUInt
  wanted := underWay
  when(io.word.valid && unwanted =/= 0) { unwanted := unwanted - 1 }
  when(over) {
    wanted := 0
    // None is for nobody while one comes that is wanted.
    unwanted := underWay
  }
  when(io.request.fire) {
    asking := asking + 1
    allAsked := asking === last
  }

  switch(state) {
    is(Pass) {
      when(io.input.valid) {
        when(!refers) {
          output.valid := True
          io.input.ready := output.ready
        } elsewhen (!op.isMeasured || unwanted <= ahead) {
          state := Check
        }
      }
    }
    is(Check) {
      asking := op.low >> shift
      coming := op.low >> shift
      val most = end.outside ? io.bounds.limit | end.value(31 downto 0)
      last := text ? ((most - 1) >> shift) | (op.low >> shift)
      allAsked := False
      within := !end.outside
      status := Status.Ok.code
      length := 0
      at := text ? op.low | end.value(31 downto 0)
      val bad = start.wrong || (text ? start.beyond | end.outside)
      when(op.isMeasured) {
        state := Measure
        when(bad) {
          status := Status.BadObject.code
          state := Give
        }
      } otherwise {
        val empty = op.high === 0
        output.valid := bad || !empty || op.kind === OpKind.Text
        when(empty) { output.payload.makeEmpty() }
        when(bad) { output.payload.fail(Status.BadObject, op.low) }
        when(output.ready || !output.valid) {
          io.input.ready := True
          state := Pass
        }
      }
    }
    is(Measure) {
      when(taken) {
        coming := coming + 1
        nul := coming @@ look.index
        when(io.word.error) {
          status := Status.BusFault.code
          over := True
          state := Give
        } elsewhen (!text) {
          length := look.count
          over := True
          state := Sum
        } elsewhen (look.found) {
          over := True
          state := Length
        } elsewhen (coming === last) {
          status := within ? B(Status.DoesNotFit.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits)
          over := True
          state := Give
        }
      }
    }
    is(Length) {
      length := nul - op.low
      state := Give
    }
    is(Sum) { state := Give }
    is(Give) {
      // The NUL must be there, too.
      val tooLong = (op.high @@ False) < (length @@ text)
      val ok = status === Status.Ok.code
      output.valid := !(op.optional && length === 0 && ok && !tooLong)
      output.kind := OpKind.Text
      output.direct := True
      output.value := length.asBits ## at
      when(length === 0) { output.payload.makeEmpty() }
      when(!ok) {
        output.payload.fail(status, op.low)
      } elsewhen (tooLong) {
        output.payload.fail(Status.DoesNotFit, op.low)
      } elsewhen (!text && end.outside) {
        output.payload.fail(Status.BadObject, op.low)
      }
      when(output.ready || !output.valid) {
        io.input.ready := True
        state := Pass
      }
    }
  }
  when(io.kill) {
    state := Pass
    wanted := 0
    unwanted := 0
  }
}
