package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.logic.DuplicateRegister
import spinal.core._
import spinal.lib._

/** A value for the output. At most one of `fixed` and the signed kinds is set; `zigzag` takes precedence over `signed`.
  * With none of them the value is an unsigned varint.
  */
case class PackItem() extends Bundle {
  val value = Bits(64 bits)
  /** log2 of the number of valid bytes of `value`. The others are undefined. */
  val log2Size = UInt(2 bits)
  /** The highest bit of a signed number. */
  val sign = Bool()
  /** The value is sign-extended to 64 bits before it becomes a varint. */
  val signed = Bool()
  /** The value is a signed number of that size and is written in zigzag. */
  val zigzag = Bool()
  /** The bytes are written unchanged. */
  val fixed = Bool()
}

/** Bytes of an item, the first one in the low byte. Bytes from `count` (1 to 8) on are undefined. */
case class EncodedRun() extends Bundle {
  val data = Bits(64 bits)
  val count = UInt(4 bits)
  /** These are bytes 8 and 9. The bytes before them come next. */
  val more = Bool()
}

/** Encodes values into bytes of the wire format, a run of up to 8 bytes per cycle. A varint of 9 or 10 bytes takes two
  * runs, the upper one first, because the output is written downwards. Latency: 2 cycles. Both stages move together, so
  * `io.item.ready` is a register.
  */
case class Encoder() extends Component {
  val io = new Bundle {
    val item = slave(Stream(PackItem()))
    val run = master(Stream(EncodedRun()))
    /** The value of `run.ready` in the next cycle. */
    val runNext = in Bool ()
    /** The same as `item.ready`, from a register of its own. */
    val ready = out Bool ()
    /** An item is inside. */
    val busy = out(Bool())
  }
  private val moveNext = Bool()
  private val move = RegNext(moveNext) init False
  io.item.ready := move
  io.ready := DuplicateRegister(moveNext)
  when(!ClockDomain.current.isResetActive) {
    assert(io.ready === move || !move && !(RegNext(True) init False), "`ready` is not that of the item", FAILURE)
  }

  /** The value, cut to its size with zeros above, and for each part (byte 0, byte 1, bytes 2 and 3, the upper half)
    * what is to be made of it.
    */
  val cut = new Area {
    private val item = io.item.payload
    private val zigzag = item.zigzag
    private val negative = item.sign && (item.signed || item.zigzag)
    val valid = RegNextWhen(io.item.valid, move) init False
    val bits = Reg(Bits(64 bits))
    /** 0: unchanged; 1: shifted left by one bit; 2: that, inverted; 3: all ones. */
    val choice = Vec.fill(4)(Reg(UInt(2 bits)))
    val fixed = RegNextWhen(item.fixed, move)
    val log2Size = RegNextWhen(item.log2Size, move)
    when(move) {
      bits := item.value
      for (part <- 0 until 4) {
        val inside = if (part == 0) True else item.log2Size >= part
        when(inside) {
          choice(part) := ((zigzag && negative) ## (zigzag && !negative)).asUInt
        } otherwise {
          choice(part) := U(2 bits, default -> (negative && !zigzag))
          bits(Encoder.to(part) downto Encoder.from(part)) := 0
        }
      }
    }
    /** The value to encode. The bit that would be shifted from a valid part into one that is not is the sign; in zigzag
      * it must be zero.
      */
    val value = Cat((0 until 64).map { i =>
      val below = if (i == 0) False else bits(i - 1)
      choice((0 until 4).lastIndexWhere(part => Encoder.from(part) <= i)).mux(0 -> bits(i), 1 -> below, 2 -> !below,
        3 -> True)
    })
    /** Returns whether a fixed item has byte `i`. */
    def fills(i: Int): Bool =
      if (i < 2) log2Size =/= 0 else if (i < 4) log2Size(1) else if (i < 8) log2Size.andR else False
    /** For each group of 7 bits: this group or a higher one is not zero. */
    val used = (1 until 10).map(group => group -> value(63 downto 7 * group).orR).toMap
  }

  /** Bytes 8 and 9 of a long varint go first, in a cycle of their own. */
  val coded = new Area {
    val valid = RegNextWhen(cut.valid, move) init False
    val value = RegNextWhen(cut.value, move)
    val fixed = RegNextWhen(cut.fixed, move)
    /** Byte i is part of the item. */
    val used = Vec.tabulate(10) { i =>
      if (i == 0) True else RegNextWhen(cut.fixed.mux(cut.fills(i), cut.used(i)), move)
    }
    /** Bytes 8 and 9 are still to be sent. */
    val upper = RegInit(False)
    private val upperNext = move ? (cut.valid && !cut.fixed && cut.used(8)) | (upper && !io.run.ready)
    upper := upperNext
    moveNext := io.runNext && !upperNext
    private val bytes = (0 until 8).map { i =>
      val group = value(7 * i, 7 bits)
      fixed ? value(8 * i, 8 bits) | used(i + 1) ## group
    }
    private val low = upper ? (used(9) ## value(62 downto 56)) | bytes(0)
    private val high = upper ? value(63).asBits.resize(8) | bytes(1)
    io.run.valid := valid
    io.run.data := Cat(low +: high +: bytes.drop(2))
    io.run.more := upper
    /** Bits 0 and 1 of the number of bytes among the first 8. */
    private val odd = !used(1) || used(2) && !used(3) || used(4) && !used(5) || used(6) && !used(7)
    private val pair = used(1) && !used(3) || used(5) && !used(7)
    io.run.count :=
      ((used(7) && !upper) ## (used(3) && !used(7)) ## (pair || upper && used(9)) ## (odd || upper && !used(9))).asUInt
  }
  io.busy := cut.valid || coded.valid
}

private object Encoder {
  /** The first and the last bit of a part. */
  def from(part: Int): Int = Seq(0, 8, 16, 32)(part)
  def to(part: Int): Int = Seq(7, 15, 31, 63)(part)
}
