package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.memory.{CachedWord, MemoryParameter, PathWord}
import spinal.core._
import spinal.lib._

/** Turns operations and the words of their strings and arrays into items: a
  * scalar, a key, a word's bytes as they are, an element of a packed field, with words of
  * 16 bytes two of them, or one element with its key a cycle. A string costs a cycle before its words and one behind.
  * Latency 2 cycles: what is cut out of a word first, then what its type makes of it.
  */
case class Emitter(m: MemoryParameter) extends Component {
  val io = new Bundle {
    val op = slave(Stream(Op()))
    val word = slave(Stream(CachedWord(m)))
    val item = master(Stream(Item(m)))
    val kill = in Bool()
    /** A word is waited for. */
    val waiting = out Bool()
  }
  object State extends SpinalEnum { val Next, Words, Finish = newElement() }
  import State._
  val state = RegInit(Next)
  val op = io.op.payload
  private val shift = PathWord.shift(m)
  private val pairs = Item.pairs(m)
  /** Bytes to come; of the word, where those end that are still to come. */
  val left = Reg(UInt(32 bits))
  val end = Reg(UInt(shift bits))

  /** An item whose values still are as memory has them. */
  case class Cut() extends Bundle {
    val item = Item(m)
    val encoding = Encoding()
    /** The first value is one of that encoding, too. */
    val two = Bool()
  }
  val cut = Stream(Cut())
  cut.valid := False
  cut.payload.assignDontCare()
  cut.two := False
  private val item = cut.item
  item.kind := ItemKind.Pair
  item.first := op.key.resize(Item.firstBits(m))
  item.hasFirst := True
  item.hasSecond := True
  item.fixed := False
  item.wide := op.encoding.log2Size(0)
  item.checked := op.kind === OpKind.Text && op.checked
  item.origin := op.origin
  io.op.ready := False
  io.word.ready := False
  io.waiting := state === Words && !io.word.valid

  /** The elements, or bytes, at the end of what is left of the word. */
  val piece = new Area {
    val data = io.word.data
    val isArray = op.kind === OpKind.Array
    val one = isArray && !op.packed
    val raw = !isArray || op.packed && (op.encoding.fixed || op.encoding.isBool)
    val wide = op.encoding.log2Size === 3
    /** Where the bytes end within the word, from 1 on. */
    val top = (end === 0).asUInt @@ end
    val size = UInt(shift + 1 bits)
    private val few = left(31 downto shift + 1) === 0
    private val leftHere = left(shift downto 0)
    when(raw) {
      size := (few && leftHere < top) ? leftHere | top
    } otherwise {
      size := U(1, shift + 1 bits) |<< op.encoding.log2Size
      if (pairs) when(!one) {
        when(wide) {
          size := (top === 16 && left(31 downto 4) =/= 0) ? U(16, 5 bits) | U(8, 5 bits)
        } elsewhen (op.encoding.log2Size(1)) {
          size := (end(2) || few && leftHere === 4) ? U(4, 5 bits) | U(8, 5 bits)
        }
      }
    }
    val start = (top - size).resize(shift)
    val two = if (pairs) !raw && !one && (wide ? (size === 16) | (size === 8)) else False
    private val bools = Cat(data.subdivideIn(8 bits).map(byte => byte.orR.asBits.resize(8)))
    private val source = (isArray && op.encoding.isBool) ? bools | data
    /** The 8 bytes from `start` on. */
    val low = (source |>> (start << 3)).resize(64)
    /** All from `start` on are for those who are taken as they are; of two elements the upper one is here. */
    val high = if (pairs) (source >> 64) |>> (start(2 downto 0) << 3) else B(0, 64 bits)
    val isLast = few && leftHere === size
    val wordDone = isLast || start === 0
  }

  /** The value, and what becomes of it: nothing, if it goes as it is. */
  val value = new Area {
    private val behind = if (pairs) piece.two ? (piece.wide ? piece.data(127 downto 64) | piece.low(63 downto 32).resize(64)) | piece.low else piece.low
    item.second := state.mux(Next -> op.value, Finish -> op.value(63 downto 32).resize(64), default -> behind)
    cut.encoding := op.encoding
    when(state === Finish || state === Words && piece.raw) {
      cut.encoding.log2Size := 3
      cut.encoding.isBool := False
      cut.encoding.signed := False
      cut.encoding.zigzag := False
    }
  }

  switch(state) {
    is(Next) {
      left := op.high
      end := (op.low(shift - 1 downto 0) + op.high(shift - 1 downto 0))
      when(io.op.valid) {
        when(op.isPayload) {
          // A packed field's length is that of what is written.
          cut.valid := op.kind === OpKind.Array && op.packed
          item.kind := ItemKind.Mark
          when(cut.ready || !cut.valid) { state := Words }
        } otherwise {
          cut.valid := True
          io.op.ready := cut.ready
          switch(op.kind) {
            is(OpKind.Scalar) { item.fixed := op.encoding.fixed }
            is(OpKind.Key) { item.hasSecond := False }
            is(OpKind.Mark) { item.kind := ItemKind.Mark }
            is(OpKind.Close) { item.kind := ItemKind.Close }
            is(OpKind.End) { item.kind := ItemKind.End }
            is(OpKind.Fail) { item.kind := ItemKind.Fail }
            default {}
          }
        }
      }
    }
    is(Words) {
      cut.valid := io.word.valid
      io.word.ready := cut.ready && piece.wordDone
      item.count := piece.size
      item.last := piece.isLast
      if (pairs) item.upper := piece.start(3)
      when(io.word.error) {
        item.kind := ItemKind.Fail
        item.first(Status.Width - 1 downto 0) := Status.BusFault.code
        io.word.ready := False
      } elsewhen (piece.raw) {
        item.kind := ItemKind.Bytes
        item.hasFirst := False
        if (pairs) item.first := piece.high
      } otherwise {
        item.fixed := op.encoding.fixed
        when(!piece.one) {
          item.hasFirst := piece.two
          cut.two := piece.two
          if (pairs) item.first := piece.low
        }
      }
      when(cut.fire) {
        left := left - piece.size
        end := piece.start
        when(piece.isLast) {
          val closes = op.kind === OpKind.Text || op.kind === OpKind.Array && op.packed
          state := closes ? Finish | Next
          io.op.ready := !closes
        }
      }
    }
    is(Finish) {
      cut.valid := True
      when(op.kind === OpKind.Array) { item.kind := ItemKind.Close }
      io.op.ready := cut.ready
      when(cut.ready) { state := Next }
    }
  }
  when(io.kill) { state := Next }

  io.item << cut.m2sPipe(flush = io.kill, collapsBubble = false).map { cut =>
    val item = CombInit(cut.item)
    item.second.allowOverride() := cut.encoding.wire(cut.item.second)
    if (pairs) when(cut.two) { item.first := cut.encoding.wire(cut.item.first) }
    item
  }.m2sPipe(flush = io.kill)
}
