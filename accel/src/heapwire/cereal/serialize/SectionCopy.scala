package heapwire.cereal.serialize

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Appends both packed sections to the values, one after the other: first the words that have stayed in the unit,
  * then those in the work area. Throughput: one word per cycle; latency: none for kept words, that of the memory for
  * others. `enable` (level) starts the copy and is held until `done`; `starts`, `lengths`
  * (multiples of 16 bytes) and `spilled` (the section has more than the kept words) must be stable meanwhile and in the
  * cycle before. `error`: the bus denied a read.
  *
  * @param kept the first words of a section that stay, a power of two
  */
case class SectionCopy(m: MemoryParameter, kept: Int) extends Component {
  require(isPow2(kept) && kept >= 2, s"kept must be a power of two of at least 2, not $kept")
  private val lanes = Window.lanes(m)
  private val wordShift = log2Up(m.wordBytes)
  private val keptBytes = kept * PathWord.bytes(m)
  val io = new Bundle {
    val enable = in(Bool())
    val starts, lengths = in Vec (UInt(32 bits), 2)
    val spilled = in Vec (Bool(), 2)
    /** The kept word to show, by section and number, and that word, in the same cycle. */
    val index = out UInt (log2Up(kept) + 1 bits)
    val keptWord = in Bits (PathWord.bits(m) bits)
    val span = master(Stream(Span(m)))
    val word = slave(Stream(PathSpanWord(m)))
    val values = master(Stream(SlotWord(lanes)))
    val done, error = out(Bool())
  }

  /** What there is of a section: the number of its kept words, and whether it has others. */
  private val parts = io.lengths.zip(io.spilled).map { case (length, spilled) =>
    new Area {
      private val words = (length >> PathWord.shift(m)).resize(log2Up(kept) + 1)
      val here = RegNext(spilled ? U(kept, log2Up(kept) + 1 bits) | words)
    }
  }
  private val beyond = Vec(io.spilled.map(spilled => RegNext(spilled)))

  /** The requests for what is in the work area. */
  val ask = new Area {
    val section = RegInit(U(0, 2 bits))
    private val which = section.resize(1)
    io.span.valid := io.enable && !section.msb && beyond(which)
    io.span.word := (io.starts(which) + keptBytes) >> wordShift
    io.span.count := ((io.lengths(which) - keptBytes) >> wordShift).resized
    when(io.enable && !section.msb && (!beyond(which) || io.span.ready)) { section := section + 1 }
  }

  val section = RegInit(U(0, 2 bits))
  private val which = section.resize(1)
  val index = Reg(UInt(log2Up(kept) + 1 bits)) init 0
  private val isKept = index =/= Vec(parts.map(_.here))(which)
  private val active = io.enable && !section.msb
  io.index := which @@ index.resize(log2Up(kept))
  io.values.valid := active && (isKept || io.word.valid)
  io.values.mask.setAll()
  io.values.data := (isKept ? io.keptWord | io.word.data).subdivideIn(32 bits)
  io.word.ready := active && !isKept && io.values.ready
  when(active && isKept && io.values.ready) { index := index + 1 }
  when(active && !isKept && (!beyond(which) || io.word.fire && io.word.last)) {
    section := section + 1
    index := 0
  }
  io.error := io.word.valid && io.word.error
  io.done := section.msb
}
