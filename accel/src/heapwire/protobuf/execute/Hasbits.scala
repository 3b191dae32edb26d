package heapwire.protobuf.execute

import heapwire.isa.DescriptorLayout
import heapwire.protobuf.ProtobufParameter
import spinal.core._
import spinal.lib._

/** The hasbits of the open message and of those around it, in a memory; of the open one a word is at hand. Sixteen words of 32
  * fields a message; one that was never marked reads as zero.
  *
  * Another word is at hand two cycles after it is asked for.
  */
case class Hasbits(p: ProtobufParameter) extends Component {
  private val words = DescriptorLayout.MaxHasbitsWords
  private val Index = HardType(UInt(log2Up(words) bits))
  val io = new Bundle {
    /** Level of the open message. */
    val level = in UInt(p.levelWidth bits)
    /** The word that is wanted. */
    val want = slave(Flow(Index()))
    /** It is at hand. */
    val ready = out Bool()
    val word = out Bits(32 bits)
    val index = out(Index())
    /** Sets a bit of the word at hand. */
    val mark = slave(Flow(UInt(5 bits)))
    /** Words that were marked; the first of them, as `marked` was a cycle before. */
    val marked = out Bits(words bits)
    val first = out(Index())
    val clearFirst = in Bool()
    /** A message begins: in the next cycle at the next level. */
    val push = in Bool()
    /** The one around it goes on: these words were marked. */
    val pop = slave(Flow(Bits(words bits)))
    /** Nothing is marked. */
    val clear = in Bool()
    /** A word of an object that is opened again: the first, and so on. */
    val put = slave(Flow(Bits(32 bits)))
  }
  val memory = Mem(Bits(32 bits), (p.maxDepth + 1) * words)
  private def place(index: UInt): UInt = (io.level @@ index).resize(memory.addressWidth)

  val marked = Reg(Bits(words bits)) init 0
  val index = Reg(Index()) init 0
  val word = Reg(Bits(32 bits)) init 0
  /** The word is at hand; it comes from memory in this cycle; it has to go back there. */
  val valid, coming = RegInit(False)
  val dirty = RegInit(False)
  val putIndex = Reg(Index())

  io.marked := marked
  val firstMarked = OHMasking.firstV2(marked)
  io.first := RegNext(OHToUInt(firstMarked))
  io.index := index
  io.word := word
  io.ready := valid && index === io.want.payload

  val fetch = io.want.valid && !io.ready && !coming
  val writesBack = dirty && (fetch || io.push)
  memory.write(place(io.put.valid ? putIndex | index), io.put.valid ? io.put.payload | word, writesBack || io.put.valid)
  val read = memory.readSync(place(io.want.payload), fetch)
  coming := fetch
  when(fetch) {
    index := io.want.payload
    valid := False
    dirty := False
  }
  when(coming) {
    word := read.andMask(marked(index))
    valid := True
  }
  when(io.mark.valid) {
    word(io.mark.payload) := True
    marked(index) := True
    dirty := True
  }
  when(io.clearFirst) { marked := marked & ~firstMarked }
  when(io.put.valid) {
    marked(putIndex) := True
    putIndex := putIndex + 1
    valid := False
    dirty := False
  }
  when(io.push || io.clear) {
    marked := 0
    index := 0
    word := 0
    valid := True
    coming := False
    dirty := False
    putIndex := 0
  }
  when(io.pop.valid) {
    marked := io.pop.payload
    valid := False
    coming := False
    dirty := False
  }
}
