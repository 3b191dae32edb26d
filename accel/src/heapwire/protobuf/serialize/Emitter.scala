package heapwire.protobuf.serialize

import heapwire.memory.CachedWord
import spinal.core._
import spinal.lib._

/** What the emitter hands on, see [[Item]]. */
object ItemKind extends SpinalEnum {
  /** Two values behind each other, each of them or none. */
  val Pair = newElement()
  /** Bytes as they are. */
  val Bytes = newElement()
  /** A nested message or packed field ends here; it starts here: `first` is its key, the length is not known yet. */
  val Mark, Close = newElement()
  val End, Fail = newElement()
}

/** One step of the output, downwards. */
case class Item() extends Bundle {
  val kind = ItemKind()
  /** Pair: `first` comes first in the output. Bytes: both together are an aligned word of memory. Fail: `second` has the status. */
  val first, second = Bits(64 bits)
  val hasFirst, hasSecond = Bool()
  /** The second value is no varint but its first 4 or 8 bytes. */
  val fixed, wide = Bool()
  /** Bytes: the first byte that counts is the 9th; how many count. */
  val upper = Bool()
  val count = UInt(5 bits)
  /** Bytes of a text to be checked, and the last of them. */
  val checked, last = Bool()
  val origin = UInt(32 bits)
}

/** Turns operations and the words of their strings and arrays into items: a
  * scalar, a key, up to 16 bytes as they are, two elements of a packed field, or
  * one element with its key a cycle. A string costs a cycle before its words and one behind.
  */
case class Emitter() extends Component {
  val io = new Bundle {
    val op = slave(Stream(Op()))
    val word = slave(Stream(CachedWord()))
    val item = master(Stream(Item()))
    val kill = in Bool()
    /** A word is waited for. */
    val waiting = out Bool()
  }
  object State extends SpinalEnum { val Next, Words, Finish = newElement() }
  import State._
  val state = RegInit(Next)
  val op = io.op.payload
  /** Bytes to come; of the word, where those end that are still to come. */
  val left = Reg(UInt(32 bits))
  val end = Reg(UInt(4 bits))

  val item = Stream(Item())
  item.valid := False
  item.payload.assignDontCare()
  item.kind := ItemKind.Pair
  item.hasFirst := True
  item.hasSecond := True
  item.fixed := False
  item.wide := op.encoding.log2Size(0)
  item.checked := False
  item.first := op.key.resize(64)
  item.second := op.value
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
    /** Where the bytes end within the word, 1 .. 16. */
    val top = (end === 0).asUInt @@ end
    val size = UInt(5 bits)
    val within = (left < top) ? left.resize(5) | top
    when(raw) {
      size := within
    } elsewhen (one) {
      size := U(1, 5 bits) |<< op.encoding.log2Size
    } elsewhen (wide) {
      size := (top === 16 && left >= 16) ? U(16, 5 bits) | U(8, 5 bits)
    } otherwise {
      size := (end(2) || left === 4) ? U(4, 5 bits) | U(8, 5 bits)
      when(!op.encoding.log2Size(1)) { size := U(1, 5 bits) |<< op.encoding.log2Size }
    }
    val start = (top - size).resize(4)
    /** From `start` on. */
    val high = start(3) ? data(127 downto 64) | data(63 downto 0)
    val element = high |>> (start(2 downto 0) << 3)
    val two = !raw && !one && (wide ? (size === 16) | (size === 8))
    val second = CombInit(element)
    when(two) { second := wide ? data(127 downto 64) | element(63 downto 32).resize(64) }
    val bools = Cat(data.subdivideIn(8 bits).map(byte => byte.orR.asBits.resize(8)))
    /** Moved down to a multiple of 8, where C structs have strings anywhere. */
    val bytes = ((isArray && op.encoding.isBool) ? bools | data) |>> (start(2 downto 0) << 3)
    val isLast = left === size
    val wordDone = isLast || start === 0
  }

  switch(state) {
    is(Next) {
      left := op.bytes
      end := (op.low + op.bytes).resized
      when(io.op.valid) {
        when(op.isPayload) {
          // A packed field's length is that of what is written.
          item.valid := op.kind === OpKind.Array && op.packed
          item.kind := ItemKind.Mark
          when(item.ready || !item.valid) { state := Words }
        } otherwise {
          item.valid := True
          io.op.ready := item.ready
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
      item.valid := io.word.valid
      io.word.ready := item.ready && piece.wordDone
      when(io.word.error) {
        item.kind := ItemKind.Fail
        item.second := heapwire.isa.Status.BusFault.code
        io.word.ready := False
      } elsewhen (piece.raw) {
        item.kind := ItemKind.Bytes
        item.first := piece.bytes(63 downto 0)
        item.second := piece.bytes(127 downto 64)
        item.upper := piece.start(3)
        item.count := piece.size
        item.checked := op.kind === OpKind.Text && op.checked
        item.last := piece.isLast
      } otherwise {
        item.second := op.encoding.wire(piece.second)
        item.fixed := op.encoding.fixed
        when(!piece.one) {
          item.first := op.encoding.wire(piece.element)
          item.hasFirst := piece.two
        }
      }
      when(item.fire) {
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
      item.valid := True
      item.second := op.high.asBits.resized
      when(op.kind === OpKind.Array) { item.kind := ItemKind.Close }
      io.op.ready := item.ready
      when(item.ready) { state := Next }
    }
  }
  when(io.kill) { state := Next }
  io.item << item.m2sPipe(flush = io.kill)
}
