package heapwire.cereal.deserialize

import heapwire.isa.{CerealFormat, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** A stream's header (docs/reference/cereal.md): it is taken word by word, and then checked as a whole. */
case class StreamHeaderCheck(p: MemoryParameter) extends Component {
  import CerealFormat.Header
  private val words = Header.Size / p.wordBytes
  val io = new Bundle {
    val start = in(Bool())
    val word = slave(Flow(Bits(p.dataWidth bits)))
    /** All of the header has arrived. */
    val complete = out(Bool())
    val classSet = in Bits (32 bits)
    /** The most bytes that the stream, and the image, may have. */
    val length, room = in UInt (p.addressWidth bits)
    /** `OK`, or why the stream cannot be read; valid one cycle after `complete`. */
    val status = out Bits (Status.Width bits)
    val offset = out UInt (Width.Offset bits)
    val strip = out(Bool())
    val objects = out UInt (32 bits)
    val graph, values, references, layouts, total = out UInt (32 bits)
  }
  val bytes = Reg(Vec.fill(words)(Bits(p.dataWidth bits)))
  val count = Reg(UInt(log2Up(words) + 1 bits)) init 0
  when(io.word.valid) {
    bytes.last := io.word.payload
    for (i <- 0 until words - 1) bytes(i) := bytes(i + 1)
    count := count + 1
  }
  when(io.start) { count := 0 }
  io.complete := count === words

  private def field(offset: Int, size: Int) = bytes.asBits(8 * offset, 8 * size bits)
  private def number(offset: Int) = field(offset, 4).asUInt
  val flags = field(Header.Flags, 1)
  io.strip := flags(CerealFormat.FlagStrip)
  io.objects := number(Header.Objects)
  io.graph := number(Header.Graph)
  io.values := number(Header.Values)
  io.references := number(Header.References)
  io.layouts := number(Header.Layouts)

  val sections = Seq(io.values, io.references, io.layouts)
  val total = RegNext(sections.map(_.resize(35 bits)).reduce(_ + _) + Header.Size)
  io.total := total.resized
  val head = field(Header.Magic, 4) === CerealFormat.Magic && field(Header.Version, 1) === CerealFormat.Version &&
    (flags & ~B(1 << CerealFormat.FlagStrip, 8 bits)) === 0 && field(Header.Reserved, 2) === 0 &&
    field(Header.ClassSet, 4) === io.classSet && io.objects =/= 0
  // Every object has a class id and a layout, so these two sections are never empty.
  val sizes = io.graph >= CerealFormat.GraphLeast && io.graph(log2Up(CerealFormat.Granule) - 1 downto 0) === 0 &&
    io.graph(31 downto CerealFormat.GraphBits) === 0 &&
    sections.map(_(log2Up(CerealFormat.Alignment) - 1 downto 0) === 0).andR && io.values =/= 0 && io.layouts =/= 0
  val headGood = RegNext(head)
  val sizesGood = RegNext(sizes)
  val fits = RegNext(io.graph <= io.room)
  io.status := Status.Ok.code
  when(!headGood || !sizesGood || total > io.length) { io.status := Status.BadStream.code } elsewhen (!fits) {
    io.status := Status.FixedArenaFull.code
  }
  io.offset := (headGood ? U(1) | U(0)).resized
}
