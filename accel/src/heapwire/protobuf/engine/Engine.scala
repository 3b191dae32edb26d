package heapwire.protobuf.engine

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The protobuf engine (docs/reference/units/protobuf.md): reads and writes messages. One command at a time, or one
  * sequence of field instructions.
  *
  * {{{
  *  input -> InputStream -> Window -+-> keys -> FieldLookup -+-> FieldStep -> write, program -> WriteBuffer -> objects
  *                                  +-> values --------------+                    |
  *                                  +-> bytes -> Copier -> writes                 +-- GranuleCache <- tables, objects
  * }}}
  *
  * `port` takes the commands, and `fields` the field instructions, if the engine carries them out. If `looksUp`,
  * `argument` reads a command's arguments. There are three TileLink masters: `input` reads the input of messages and
  * long strings; `table` reads descriptor tables and objects; `objects` writes objects and output, and nothing else,
  * since the [[WriteGuard]] is the last on its way. Statuses and offsets: docs/reference/units/protobuf_read.md,
  * protobuf_write.md and protobuf_fields.md.
  */
case class Engine(p: EngineParameter, m: MemoryParameter) extends Component {
  val stream = InputStream(m, p.inputSlots)
  val cache = GranuleCache(m, p.cacheBytes)
  val writes = WriteBuffer(m, p.writeBlocks)
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val argument = p.looksUp generate master(ArgumentPort())
    val fields = p.fields generate slave(FieldPort())
    val input = master(Bus(stream.node))
    val table = master(Bus(cache.node))
    val objects = master(Bus(writes.node))
  }
  io.input << stream.io.bus
  io.table << cache.io.bus

  private val assembler = Program.assemble(p.fields)
  val sequencer = EngineSequencer(assembler.words(Micro.Target), Kind.all)
  private[engine] def address(label: String): UInt = U(assembler.address(label), sequencer.addressWidth bits)
  val writer = WriterPath()

  val fields = p.fields generate new EngineFields(this)
  /** Returns what the field instructions define, if the engine carries them out, and otherwise the default. */
  private[engine] def fielded[T <: Data](of: EngineFields => T, otherwise: => T): T =
    if (p.fields) of(fields) else otherwise
  val command = new EngineCommand(this)
  val guard = WriteGuard(m, writes.node, writes.io.bus, io.objects)(
    command.writable.map(range => range.base -> range.limit): _*)
  val runtime = new EngineRuntime(this)

  // ---- the microprogram ---------------------------------------------------------------------
  private[engine] def field(f: heapwire.sequencer.MicroField): Bits = sequencer.io.instruction(f.low, f.width bits)
  val stall = Bool()
  sequencer.io.stall := stall
  val active = sequencer.io.valid
  val go = active && !stall
  private val decoded = UIntToOh(field(Micro.Action).asUInt, Act.all.size)
  private[engine] def is(kind: Kind): Bool = sequencer.io.is(Kind.all.indexOf(kind))
  private[engine] def wants(act: Act): Bool = active && decoded(act.index)
  /** For each kind of instruction, when its instructions wait: see [[EngineStores]]. */
  val reasons: Map[Kind, Bool] = Kind.waiting.map(_ -> Bool()).toMap
  /** Returns whether the current instruction proceeds, considering only the reasons to wait that the program's
    * instructions of this sort have. So what follows from an act does not depend on all of `stall`.
    */
  private def proceeds(sort: heapwire.sequencer.MicroInstruction => Boolean): Bool = {
    val instructions = assembler.all.filter(sort)
    val held = Kind.waiting.filter(kind => instructions.exists(kind.has))
    active && !held.map(kind => if (instructions.forall(kind.has)) reasons(kind) else is(kind) && reasons(kind)).fold(
      False)(_ || _)
  }
  private[engine] def does(act: Act): Bool = proceeds(_(Micro.Action) == act.index) && decoded(act.index)
  private[engine] def does(kind: Kind): Bool = proceeds(kind.has) && is(kind)

  // ---- the field at hand ----------------------------------------------------------------------
  val window = Window(wide = m.dataWidth > 32)
  val lookup = FieldLookup()
  /** Fields are carried out as they come. Otherwise the microprogram is in control. */
  val stepping = RegInit(False)
  val context = new EngineContext(this)
  val depth, groups = Reg(UInt(p.levelWidth bits))
  /** Equal to `groups =/= 0`. */
  val skipping = RegInit(False)
  val flags = Vec(Flag.all.map(_ => RegInit(False)))
  private[engine] def is(flag: Flag): Bool = flags(flag.index)
  /** Everything that was read ahead is dropped. */
  val dropAhead = command.killing || does(Act.pauseStream) || command.begins

  val item = window.io.item
  private val isKey = item.kind === ItemKind.Key
  lookup.io.key.valid := item.valid && isKey
  lookup.io.key.payload := item.payload
  // A value every other cycle, so that nothing that happens to a step reaches the window in the same cycle.
  val raw = item.throwWhen(isKey).map(RawValue(_)).halfPipe(flush = dropAhead)
  // Keys and values have separate back-pressure; an item goes one of the two ways.
  item.ready.removeAssignments() := isKey ? lookup.io.key.ready | !raw.valid

  val at = new EngineStep(this)
  private[engine] val step = at.step
  val entry = at.entry
  private[engine] val facts = at.facts
  private[engine] val native = context.native
  /** Bytes (log2) of a scalar or of an element, when messages are written. */
  private[engine] val slotLog2 = native ? entry.sizeLog2 | facts.log2Size

  lookup.io.context := context.lookup
  lookup.io.ready := context.ready
  lookup.io.bypass := skipping
  lookup.io.kill := dropAhead
  window.io.kill := command.killing || command.begins
  window.io.pause := does(Act.pauseStream)

  val registers = new EngineRegisters(this)
  val ask = new EngineAsk(this)
  val tables = new EngineTables(this)
  val hasbits = EngineHasbits(p.levelWidth)
  val copier = Copier(takes = m.wordBytes min 8)
  val hasbitsUse = new EngineHasbitsUse(this)
  val quick = new EngineQuick(this)
  val words = new EngineWords(this)
  val conditions = new EngineConditions(this)
  val effects = new EngineEffects(this)
  val streams = new EngineStreams(this)
  val stores = new EngineStores(this)
  val writing = new EngineWriting(this)
  val end = new EngineEnd(this)
  if (p.fields) fields.connect()

  /** The masters with their parameters, for the fabric to merge. */
  def buses: Seq[(NodeParameters, Bus)] =
    Seq(stream.node -> io.input, cache.node -> io.table, writes.node -> io.objects)
}
