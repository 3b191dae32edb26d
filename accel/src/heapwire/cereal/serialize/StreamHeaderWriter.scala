package heapwire.cereal.serialize

import heapwire.cereal.road.{PathWord, PathWrite}
import heapwire.isa.CerealFormat
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Writes a stream's header to `base` while enabled (level); `done` is high once the header is written. Throughput: one
  * word per cycle. The fields must be stable meanwhile.
  */
case class StreamHeaderWriter(m: MemoryParameter) extends Component {
  private val bytes = PathWord.bytes(m)
  import CerealFormat.Header
  private val words = Header.Size / bytes
  val io = new Bundle {
    val enable = in(Bool())
    val base = in UInt (32 bits)
    val strip = in(Bool())
    val classSet = in Bits (32 bits)
    val objects, graph, values, references, layouts = in UInt (32 bits)
    val write = master(Stream(PathWrite(m)))
    val done = out(Bool())
  }
  val at = Reg(UInt(log2Up(words + 1) bits)) init 0
  val text = Bits(8 * Header.Size bits)
  private def put(offset: Int, field: Bits): Unit = text(8 * offset, widthOf(field) bits) := field
  put(Header.Magic, B(CerealFormat.Magic, 32 bits))
  put(Header.Version, B(CerealFormat.Version, 8 bits))
  put(Header.Flags, io.strip.asBits(8 bits) |<< CerealFormat.FlagStrip)
  put(Header.Reserved, B(0, 16 bits))
  put(Header.ClassSet, io.classSet)
  for ((offset, field) <- Seq(Header.Objects -> io.objects, Header.Graph -> io.graph, Header.Values -> io.values,
      Header.References -> io.references,
      Header.Layouts -> io.layouts)) put(offset, field.asBits)
  io.done := at === words
  io.write.valid := io.enable && !io.done
  io.write.address := ((io.base >> log2Up(bytes)) + at) @@ U(0, log2Up(bytes) bits)
  io.write.data := text.subdivideIn(8 * bytes bits).read(at.resize(log2Up(words)))
  io.write.mask.setAll()
  when(io.write.fire) { at := at + 1 }
}
