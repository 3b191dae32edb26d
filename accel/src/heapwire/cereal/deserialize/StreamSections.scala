package heapwire.cereal.deserialize

import heapwire.cereal.{PacketReader, Packet, SectionReader}
import heapwire.isa.CerealFormat
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Reads a stream for a [[DeserializationUnit]]: first the header, over the bus of the values, then all sections in
  * parallel, the layouts twice. Only the header is checked here (by `header`).
  *
  * `start` (pulse) with `run`: the sections are requested. While `run` is low nothing is requested. `abort` drops what
  * is under way. `scanned`: without pipelining, the scan of the layouts comes first, and the other sections begin once
  * it is complete. The offsets are valid two cycles after the header.
  */
class StreamSections(c: DeserializationUnitParameter, m: MemoryParameter) extends Area {
  private def section(slots: Int) = SectionReader(m, slots, c.pipelined)
  val values = section(c.valueReadsOver(m))
  val references = section(c.referenceReadsOver(m))
  val layouts = section(c.layoutReadsOver(m))
  val scan = section(c.layoutReadsOver(m))
  val readers = Seq(values, references, layouts, scan)
  val header = StreamHeaderCheck(m)

  val run, start, scanned = Bool()
  val input = UInt(m.addressWidth bits)
  val abort, readsHeader = False

  /** Offsets from the stream's start, in units of 16 bytes. */
  val offsets = new Area {
    private def units(bytes: UInt) = (bytes >> log2Up(CerealFormat.Alignment)).resize(Width.Offset)
    val values = U(CerealFormat.Header.Size / CerealFormat.Alignment, Width.Offset bits)
    val references = RegNext(values + units(header.io.values))
    val layouts = RegNext(references + units(header.io.references))
  }
  val pending = RegInit(B(0, readers.size bits))
  private val sections = Seq(offsets.values -> header.io.values, offsets.references -> header.io.references,
    offsets.layouts -> header.io.layouts, offsets.layouts -> header.io.layouts)
  for (((reader, (offset, bytes)), i) <- readers.zip(sections).zipWithIndex) {
    val turn = if (c.pipelined || (reader eq scan)) True else scanned
    reader.io.command.valid := pending(i) && turn && run
    reader.io.command.address := input + (offset << log2Up(CerealFormat.Alignment))
    reader.io.command.length := bytes
    reader.io.abort := abort
    when(reader.io.command.fire || !run) { pending(i) := False }
    when(start) { pending(i) := bytes =/= 0 }
  }

  /** Requests the header; returns whether the request was taken. Incoming words belong to the header while
    * `readsHeader` is high.
    */
  def askHeader(): Bool = {
    values.io.command.valid := True
    values.io.command.address := input
    values.io.command.length := CerealFormat.Header.Size
    values.io.command.ready
  }
  header.io.word.valid := readsHeader && values.io.word.valid
  header.io.word.payload := values.io.word.data
  val valueWords = values.io.word.haltWhen(readsHeader)
  when(readsHeader) { values.io.word.ready := True }

  /** Returns the number of packets in a section of that many bytes. */
  def count(bytes: UInt): UInt = (bytes >> log2Up(CerealFormat.PacketBytes)).resize(Width.Offset + 1)
  def packets(reader: SectionReader, twins: Boolean = false): Stream[Packet] = {
    val cutter = PacketReader(m, twins).setCompositeName(reader, "packets")
    cutter.io.run := run
    cutter.io.word << reader.io.word
    cutter.io.packet
  }
  /** The bus denied a read. */
  val fault = readers.map(reader => reader.io.word.fire && reader.io.word.error).orR
}
