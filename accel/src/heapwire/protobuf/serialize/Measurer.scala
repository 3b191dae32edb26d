package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Finds out how long strings and bytes of C structs are: `Terminated` and
  * `Counted` operations leave as `Text` ones, what is empty as a scalar or, if it
  * may be left out, not at all. Others pass, a cycle each.
  *
  * Whatever C structs refer to is checked against the bounds here: BAD_OBJECT;
  * a string without its NUL, and more bytes than there is room for, are DOES_NOT_FIT.
  *
  * A string costs the latency of a read and a cycle for each word; up to
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
  object State extends SpinalEnum { val Pass, Measure, Give = newElement() }
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
  /** What was found. */
  val length, at = Reg(UInt(32 bits))
  val status = Reg(Bits(Status.Width bits))

  private val output = Stream(Op())
  output.valid := False
  output.payload := op
  io.input.ready := False
  io.output << output.m2sPipe(flush = io.kill)

  private val countSize = io.wide ? U(4, 3 bits) | U(2, 3 bits)
  /** What must lie within the bounds from the start: bytes that need no measuring; a string's first one; a count. */
  val range = new Area {
    val empty = op.direct && op.isPayload && op.high === 0
    val size = op.isMeasured ? (text ? U(1, 3 bits) | countSize).resize(36) | (op.high.resize(36) |<< op.encoding.log2Size)
    val alignment = op.isMeasured ? (countSize - 1).andMask(!text) | ((U(1, 4 bits) |<< op.encoding.log2Size) - 1)(2 downto 0)
    val outside = op.low < io.bounds.bound || op.low.resize(37) + size > io.bounds.limit.resize(37) || (op.low(2 downto 0) & alignment) =/= 0
  }

  /** Of the word that has come. */
  val look = new Area {
    val first = coming === op.low(31 downto shift)
    val end = op.low +^ op.high
    val within = end <= io.bounds.limit.resize(33)
    val from = first ? op.low(shift - 1 downto 0) | U(0, shift bits)
    val ones = B(PathWord.bytes(m) bits, default -> true)
    val zeros = Cat(io.word.data.subdivideIn(8 bits).map(_ === 0)) & (ones |<< from).resize(PathWord.bytes(m))
    val index = OHToUInt(OHMasking.firstV2(zeros))
    val found = zeros.orR
    val place = coming @@ index
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
      val most = look.within ? look.end(31 downto 0) | io.bounds.limit
      asking := op.low >> shift
      coming := op.low >> shift
      last := text ? ((most - 1) >> shift) | (op.low >> shift)
      allAsked := False
      status := Status.Ok.code
      length := 0
      at := text ? op.low | (op.low + countSize)
      when(io.input.valid) {
        when(!op.isMeasured) {
          output.valid := !(range.empty && op.kind =/= OpKind.Text)
          when(range.empty) { output.payload.makeEmpty() }
          when(op.direct && op.isPayload && range.outside) {
            output.valid := True
            output.payload.fail(Status.BadObject, op.low)
          }
          io.input.ready := output.ready || !output.valid
        } elsewhen (unwanted <= ahead) {
          when(range.outside) {
            status := Status.BadObject.code
            state := Give
          } otherwise {
            state := Measure
          }
        }
      }
    }
    is(Measure) {
      when(taken) {
        coming := coming + 1
        when(io.word.error) {
          status := Status.BusFault.code
          over := True
        } elsewhen (!text) {
          length := look.count
          over := True
        } elsewhen (look.found) {
          length := look.place - op.low
          over := True
        } elsewhen (coming === last) {
          status := look.within ? B(Status.DoesNotFit.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits)
          over := True
        }
        when(over) { state := Give }
      }
    }
    is(Give) {
      val outside = (at +^ length) > io.bounds.limit.resize(33)
      // The NUL must be there, too.
      val tooLong = (length @@ text) > (op.high @@ False)
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
      } elsewhen (outside) {
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
