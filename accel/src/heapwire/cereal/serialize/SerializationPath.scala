package heapwire.cereal.serialize

import heapwire.cereal.road._
import heapwire.isa.{CerealFormat, Status}
import spinal.core._
import spinal.lib._

/** The parts of a [[SerializationUnit]] through which a command's objects pass, connected as drawn there. While
  * `unit.clear` is high, all state in here is cleared. The unit's states are used here: `Run` numbers and writes the
  * objects, `Pad` pads the sections, `Copy` copies the packed sections to behind the values, `Header` writes the
  * stream's header.
  */
class SerializationPath(unit: SerializationUnit) extends ResetArea(unit.clear, cumulative = true) {
  import unit._

  val reader = HeaderReader(p, m)
  val manager = HeaderManager(m, p.skyway)
  val pending = PendingQueue(p, m)
  val handler = ObjectHandler(m, p.skyway)
  val references = ReferenceQueue(Window.lanes(m))
  val values = ValueArray(m, p.skyway)
  val numbers = ReferencePacker()
  val layouts = LayoutPacker()
  val referenceSection = PackedSection(m, 0, p.keptWords)
  val layoutSection = PackedSection(m, 1, p.keptWords)
  /** A part of a section is in the work area. */
  val spilled = referenceSection.io.spilled || layoutSection.io.spilled

  /** Number of references, the root included, and of objects, that are not finished. */
  val dueReferences = RegInit(U(1, 16 bits))
  dueReferences := dueReferences + handler.io.born - manager.io.settled.asUInt
  val dueObjects = RegInit(U(0, 32 bits))
  dueObjects := dueObjects + manager.io.claim.fire.asUInt - handler.io.finished.asUInt
  val done = RegNext(dueReferences === 0 && dueObjects === 0) init False

  val root = Stream(Visit())
  val rootGone = RegInit(False) setWhen root.fire
  root.valid := state === State.Run && !rootGone
  root.address := argument("object")
  root.again := False
  root.root := True
  private def visit(addresses: Stream[UInt], again: Boolean) = addresses.map { address =>
    val visit = Visit()
    visit.address := address
    visit.again := Bool(again)
    visit.root := False
    visit
  }
  // A waiting visit stays at the reader: a part of its read may have been requested.
  reader.io.visit << StreamArbiterFactory().lowerFirst.on(
    Seq(root, visit(pending.io.visit, again = true), visit(references.io.output, again = false)))
  reader.io.bound := argument("bound")
  reader.io.limit := argument("limit")
  headers.io.command << reader.io.span
  headers.io.again := reader.io.again
  headers.io.hint << reader.io.hint
  reader.io.alone := (if (p.pipelined) RegNext(dueReferences <= 1 && !pending.io.crowded) init False else False)
  /** Bytes of this command's image so far. A root of Skyway's continues the image of its stream. */
  val image = if (p.skyway) RegNext(manager.io.graph - stream.relative.andMask(clones)) else manager.io.graph
  headers.io.passing := RegNext((image >> log2Up(p.allocatedBytes)) =/= 0)
  reader.io.word << headers.io.word
  classes.io.lookup << reader.io.lookup
  reader.io.found := classes.io.found
  reader.io.shape := classes.io.shape

  manager.io.header << reader.io.header
  manager.io.epoch := epoch
  manager.io.oldest := oldest
  // With other units, this unit has the turn, and none of the others holds the object.
  val granted = if (p.shared) io.claim.grant && !io.claim.conflict else True
  // After an error nothing more is claimed, so that the results include all claims and software can continue from
  // there.
  claims.io.claim << manager.io.claim.continueWhen(granted && !drain)
  manager.io.taken := (if (p.shared) io.claim.grant && io.claim.conflict else False)
  if (p.shared) {
    io.claim.request := manager.io.claim.valid
    io.claim.address := manager.io.claim.address
    io.claim.held := claims.io.held
    io.claim.settled << claims.io.settled
    io.claim.progress := claims.io.progress
    claims.io.others := io.claim.others
  }
  claims.io.asked := (if (p.shared) io.claim.look else U(0, 32 bits))
  claims.io.look := manager.io.look
  manager.io.hit := claims.io.hit
  manager.io.relative := claims.io.relative
  claims.io.issued := reader.io.issued
  reader.io.allowed := claims.io.allowed
  claims.io.resolved := manager.io.resolved
  epochs.io.owner << manager.io.check
  manager.io.answer << epochs.io.answer
  pending.io.input << manager.io.pending
  pending.io.again := manager.io.again

  spill.io.push << pending.io.spill
  pending.io.spilled << spill.io.pop
  pending.io.spillEmpty := spill.io.empty
  pending.io.quiet := dueReferences === 0 && !pending.io.output.valid
  handler.io.input << pending.io.output
  handler.io.strip := strip
  references.io.input << handler.io.references
  layouts.io.item << handler.io.layout
  referenceSection.io.input << numbers.io.buckets
  layoutSection.io.input << layouts.io.buckets

  // Both sections are copied over the buses of objects and values, without the former as far as they have been kept.
  val copies = state === State.Copy
  val copy = SectionCopy(m, p.keptWords)
  copy.io.enable := copies
  copy.io.starts := Vec(work.base, work.layouts)
  copy.io.lengths := Vec(referenceSection.io.length, layoutSection.io.length)
  copy.io.spilled := Vec(referenceSection.io.spilled, layoutSection.io.spilled)
  objects.io.command << StreamMux(copies.asUInt, Seq(pending.io.span, copy.io.span))
  private val read = StreamDemux(PathSpan(m, objects.io.word), copies.asUInt, 2)
  handler.io.word << read(0)
  copy.io.word << read(1)
  private val written = Stream(SlotWord(Window.lanes(m)))
  values.io.input << StreamMux(copies.asUInt, Seq(written, copy.io.values))
  values.io.base := (clones ? argument("output") | (argument("output") + CerealFormat.Header.Size))
  values.io.limit := argument("output_limit")
  val pads = state === State.Pad
  /** The clones of Skyway. Without `skyway`, objects' values are written as they come. */
  val cloning = p.skyway generate new CloningPath(unit, this, written)
  if (!p.skyway) {
    written << handler.io.values
    numbers.io.number << manager.io.number
  }
  private val cloned = if (p.skyway) cloning.merge.io.empty else True
  values.io.finish := pads && cloned
  referenceSection.io.finish := pads && numbers.io.empty
  layoutSection.io.finish := pads && layouts.io.empty
  for (section <- Seq(referenceSection -> (work.base, work.layouts), layoutSection -> (work.layouts, work.ring))) {
    section._1.io.base := section._2._1
    section._1.io.limit := section._2._2
  }
  val packed = values.io.empty && cloned && numbers.io.empty && layouts.io.empty && referenceSection.io.empty &&
    layoutSection.io.empty

  val header = StreamHeaderWriter(m)
  header.io.enable := state === State.Header
  header.io.base := argument("output")
  header.io.strip := strip
  header.io.classSet := classSet
  header.io.objects := manager.io.objects
  header.io.graph := manager.io.graph
  // The length of the values before the sections were appended.
  val valueLength = RegNextWhen(values.io.length, pads)
  header.io.values := valueLength
  header.io.references := referenceSection.io.length
  header.io.layouts := layoutSection.io.length
  private def leaving(writes: Stream[PathWrite]) = writes.map { write =>
    val word = OutputWord(m, p.keptWords)
    word.write := write
    word.stays := False
    word.index := 0
    word
  }
  private val word = StreamArbiterFactory().lowerFirst.on(
    Seq(referenceSection.io.word, layoutSection.io.word, leaving(header.io.write),
      leaving(values.io.write))).m2sPipe()
  private val kept = Mem(Bits(PathWord.bits(m) bits), 2 * p.keptWords)
  kept.write(word.index, word.write.data, enable = word.valid && word.stays)
  copy.io.keptWord := kept.readAsync(copy.io.index)
  val write = word.throwWhen(word.stays).map(_.write)
  writer.io.write << write

  val full = values.io.full || referenceSection.io.full || layoutSection.io.full || spill.io.full
  val fullStatus = values.io.full ? B(Status.OutputFull.code, Status.Width bits) |
    B(Status.WorkFull.code, Status.Width bits)
  val length = values.io.length + CerealFormat.Header.Size
}
