package heapwire.cereal.serialize

import heapwire.isa._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The serialization unit of Cereal (ISCA 2020, section V.B; docs/cereal.md is the format): objects in, a stream out.
  *
  * {{{
  *           +-------------------- references ------------------------+
  *           v                                                        |
  *  root -> HeaderReader -> HeaderManager -> PendingQueue -> ObjectHandler -> ValueArray ----------+
  *           ^  KlassTable   |  | ClaimTable   |   ^ |          |  ^                               +-> WriteCombiner -> output, work
  *           |               |  | OpenEpochs   |   | SpillQueue |  +-- objects                     |
  *           +-- headers     |  +-- metadata   +---|---> visit  +-> LayoutPacker -> PackedSection -+
  *                           +-> ReferencePacker --|------------------------------> PackedSection -+
  * }}}
  *
  * The parts work on different objects at once. References and layouts gather in the work area, half of which is theirs and a quarter, and the last quarter
  * holds objects that wait; at the end both are copied behind the values, which are written in place, and the stream's header comes last.
  *
  * One command at a time. Four TileLink masters: `headers` and `objects` read; `side` writes metadata, and reads and writes what waits in the work area;
  * `output` writes the rest. An error ends the command when all requests are home; what had been claimed stays claimed until software closes the epoch.
  * With `shared` claims are atomic among units ([[ClaimPort]]). Without, a command while another epoch is open is UNSUPPORTED.
  */
case class SerializationUnit(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  val headers = SpanReader(m, 2 * p.headersAhead, allocate = true)
  val objects = SpanReader(m, p.objectReads)
  val claims = ClaimTable(p, m)
  val spill = SpillQueue(m)
  val epochs = OpenEpochs(m)
  val writer = WriteCombiner(m, p.combined(m))
  private val sideNodes = Seq(claims.node, spill.node, epochs.node)
  val sideNode: NodeParameters = Arbiter.downNodeFrom(sideNodes)
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val headers = master(Bus(SerializationUnit.this.headers.node))
    val objects = master(Bus(SerializationUnit.this.objects.node))
    val side = master(Bus(sideNode))
    val output = master(Bus(writer.node))
    val claim = p.shared generate master(ClaimPort())
  }
  io.headers << headers.io.bus
  io.objects << objects.io.bus
  io.output << writer.io.bus
  val side = Arbiter(sideNodes, sideNode)
  for ((bus, i) <- Seq(claims.io.bus, spill.io.bus, epochs.io.bus).zipWithIndex) side.io.ups(i) << bus
  io.side << side.io.down

  // ---- the command -----------------------------------------------------------
  object State extends SpinalEnum { val Idle, Check, Run, Pad, Settle, Copy, Header, Flush, Drain, Complete = newElement() }
  val state = RegInit(State.Idle)
  val tag = Reg(UInt(p.tagWidth bits))
  val operation = Reg(Bits(7 bits))
  val arguments = Vec.fill(Instruction.ArgumentWords)(Reg(UInt(32 bits)))
  private def argument(name: String) = arguments(Operation.CerealWriteObject.arguments.indexOf(name))
  val status = Reg(Bits(Status.Width bits))
  val at = Reg(UInt(32 bits))
  val epoch = argument("mode")(31 downto 16)
  val oldest = argument("mode")(15 downto 0)

  private def register(which: RuntimeRegister.Register) =
    RegNextWhen(io.port.registers.value, io.port.registers.valid && io.port.registers.index === which.index, B(0, 32 bits))
  val strip = register(RuntimeRegister.CerealMode)(CerealFormat.Registration.ModeStrip)
  val classSet = register(RuntimeRegister.CerealClassSet)
  val openEpochs = register(RuntimeRegister.OpenEpochs).asUInt
  val classes = KlassTable(p.classes)
  classes.io.registers << io.port.registers

  val clear = state === State.Check || state === State.Drain
  val drain = state === State.Drain
  /** The work area in quarters. */
  val work = new Area {
    val base = argument("work")
    val quarter = RegNext(((argument("work_limit") - base) >> 8) << 6)
    val layouts = RegNext(base + (quarter |<< 1))
    val ring = RegNext(layouts + quarter)
  }
  headers.io.drop := drain
  objects.io.drop := drain
  claims.io.clear := clear
  claims.io.owner := (epoch ## U(p.unit, 16 bits))
  spill.io.clear := clear
  spill.io.ring := work.ring
  spill.io.blocks := (work.quarter >> 6).resized
  epochs.io.list := openEpochs

  // ---- from objects to words: everything in here forgets what it is at on `clear` --------------
  val pipeline = new ResetArea(clear, cumulative = true) {
    val reader = HeaderReader(p, m)
    val manager = HeaderManager(m)
    val pending = PendingQueue(p, m)
    val handler = ObjectHandler(m)
    val references = ReferenceQueue(Window.lanes(m))
    val values = ValueArray(m)
    val numbers = ReferencePacker()
    val layouts = LayoutPacker()
    val referenceSection, layoutSection = PackedSection(m)

    /** References, the root included, and objects that are not done with. */
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
    // One that waits stays: its read may be half asked for.
    reader.io.visit << StreamArbiterFactory().lowerFirst.on(
      Seq(root, visit(pending.io.visit, again = true), visit(references.io.output, again = false)))
    reader.io.bound := argument("bound")
    reader.io.limit := argument("limit")
    headers.io.command << reader.io.span
    reader.io.word << headers.io.word
    classes.io.lookup << reader.io.lookup
    reader.io.found := classes.io.found
    reader.io.shape := classes.io.shape

    manager.io.header << reader.io.header
    manager.io.epoch := epoch
    manager.io.oldest := oldest
    // The lock of the other units, if there are any.
    val granted = if (p.shared) io.claim.grant && !io.claim.conflict else True
    claims.io.claim << manager.io.claim.continueWhen(granted)
    manager.io.taken := (if (p.shared) io.claim.grant && io.claim.conflict else False)
    if (p.shared) {
      io.claim.request := manager.io.claim.valid
      io.claim.address := manager.io.claim.address
      io.claim.held := claims.io.held
      io.claim.drained := claims.io.drained
    }
    claims.io.others := (if (p.shared) io.claim.look else U(0, 32 bits))
    claims.io.phase := (if (p.shared) io.claim.phase else U(0, ClaimPort.PhaseWidth bits))
    claims.io.look := manager.io.look
    manager.io.hit := claims.io.hit
    manager.io.relative := claims.io.relative
    claims.io.issued := reader.io.issued
    reader.io.allowed := claims.io.allowed
    claims.io.resolved := manager.io.resolved
    epochs.io.epoch << manager.io.check
    manager.io.open := epochs.io.answer.open
    manager.io.checkError := epochs.io.answer.error
    numbers.io.number << manager.io.number
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

    // Both sections are copied through the road of objects and values.
    val copies = state === State.Copy
    val copy = SectionCopy(m)
    copy.io.enable := copies
    copy.io.starts := Vec(work.base, work.layouts)
    copy.io.lengths := Vec(referenceSection.io.length, layoutSection.io.length)
    objects.io.command << StreamMux(copies.asUInt, Seq(pending.io.span, copy.io.span))
    private val read = StreamDemux(PathSpan(m, objects.io.word), copies.asUInt, 2)
    handler.io.word << read(0)
    copy.io.word << read(1)
    values.io.input << StreamMux(copies.asUInt, Seq(handler.io.values, copy.io.values))
    values.io.base := argument("output") + CerealFormat.Header.Size
    values.io.limit := argument("output_limit")
    val pads = state === State.Pad
    values.io.finish := pads
    referenceSection.io.finish := pads && numbers.io.empty
    layoutSection.io.finish := pads && layouts.io.empty
    for (section <- Seq(referenceSection -> (work.base, work.layouts), layoutSection -> (work.layouts, work.ring))) {
      section._1.io.base := section._2._1
      section._1.io.limit := section._2._2
    }
    val packed = values.io.empty && numbers.io.empty && layouts.io.empty && referenceSection.io.empty && layoutSection.io.empty

    val header = StreamHeaderWriter(m)
    header.io.enable := state === State.Header
    header.io.base := argument("output")
    header.io.strip := strip
    header.io.classSet := classSet
    header.io.objects := manager.io.objects
    header.io.graph := manager.io.graph
    // What the values had come to before the sections came behind them.
    val valueLength = RegNextWhen(values.io.length, pads)
    header.io.values := valueLength
    header.io.references := referenceSection.io.length
    header.io.layouts := layoutSection.io.length
    val write = StreamArbiterFactory().lowerFirst.on(
      Seq(referenceSection.io.write, layoutSection.io.write, header.io.write, values.io.write)).m2sPipe()
    writer.io.write << write

    val full = values.io.full || referenceSection.io.full || layoutSection.io.full || spill.io.full
    val fullStatus = values.io.full ? B(Status.OutputFull.code, Status.Width bits) | B(Status.WorkFull.code, Status.Width bits)
    val length = values.io.length + CerealFormat.Header.Size
  }
  private val road = pipeline
  writer.io.flush := state === State.Settle || state === State.Flush || drain && status === Status.Ok.code
  writer.io.drop := drain && status =/= Status.Ok.code
  writer.io.streaming := (road.values.io.length >> log2Up(p.streamingBytes)) =/= 0
  val settled = writer.io.idle && !road.write.valid

  val denied = RegInit(False)
  denied setWhen (writer.io.error || claims.io.error || spill.io.error)
  val idle = writer.io.idle && headers.io.idle && objects.io.idle && claims.io.idle && spill.io.idle && epochs.io.idle
  val killed = RegNext(drain) init False
  private def fail(why: Bits, where: UInt): Unit = {
    status := why
    at := where
    state := State.Drain
  }
  private def fail(why: Status): Unit = fail(B(why.code, Status.Width bits), U(0, 32 bits))

  switch(state) {
    is(State.Idle) {
      when(io.port.command.valid) {
        tag := io.port.command.tag
        operation := io.port.command.operation
        for ((to, from) <- arguments.zip(io.port.command.arguments)) to := from.asUInt
        status := Status.Ok.code
        at := 0
        denied := False
        state := State.Check
      }
    }
    is(State.Check) {
      // The registers that hold where the parts of the work area are take three cycles.
      val patience = Reg(UInt(2 bits)) init 0
      patience := patience + 1
      when(patience.andR) {
        state := State.Run
        when(operation =/= Operation.CerealWriteObject.code) {
          fail(Status.BadCommand)
        } elsewhen (argument("output")(3 downto 0) =/= 0 || (argument("work") | argument("work_limit"))(5 downto 0) =/= 0) {
          fail(Status.BadAlignment)
        } elsewhen (argument("output") > argument("output_limit") || argument("bound") > argument("limit") || argument("work") > argument("work_limit")) {
          fail(Status.OutOfBounds)
        } elsewhen (epoch === 0 || oldest === 0 || oldest > epoch) {
          fail(Status.BadCommand)
        } elsewhen (Bool(!p.shared) && oldest =/= epoch) {
          fail(Status.Unsupported)
        } elsewhen (argument("object") === 0 || argument("limit") < 16) {
          fail(B(Status.BadObject.code, Status.Width bits), argument("object"))
        } elsewhen (argument("output_limit") - argument("output") < CerealFormat.Header.Size) {
          fail(Status.OutputFull)
        } elsewhen (work.quarter === 0) {
          fail(Status.WorkFull)
        }
      }
    }
    is(State.Run) { when(road.done) { state := State.Pad } }
    is(State.Pad) { when(road.packed) { state := State.Settle } }
    is(State.Settle) { when(settled) { state := State.Copy } }
    is(State.Copy) { when(road.copy.io.done) { state := State.Header } }
    is(State.Header) { when(road.header.io.done && road.values.io.empty) { state := State.Flush } }
    is(State.Flush) { when(settled && idle) { state := State.Drain } }
    is(State.Drain) {
      when(idle && killed) {
        state := State.Complete
        when(denied && status === Status.Ok.code) { status := Status.BusFault.code }
      }
    }
    is(State.Complete) { when(io.port.completion.ready) { state := State.Idle } }
  }
  val running = state === State.Run || state === State.Pad || state === State.Copy || state === State.Header
  when(running) {
    when(denied) {
      fail(Status.BusFault)
    } elsewhen (road.manager.io.fault.valid) {
      fail(road.manager.io.fault.status, road.manager.io.fault.at)
    } elsewhen (road.handler.io.fault.valid) {
      fail(road.handler.io.fault.status, road.handler.io.fault.at)
    } elsewhen (road.copy.io.error) {
      fail(Status.BusFault)
    } elsewhen (road.full) {
      fail(road.fullStatus, U(0, 32 bits))
    }
  }
  val counted = new Area {
    val length, objects, graph = Reg(UInt(32 bits)) init 0
    when(state === State.Check) {
      objects := 0
      graph := 0
    }
    when(running) {
      objects := road.manager.io.objects
      graph := road.manager.io.graph
    }
    when(state === State.Flush) { length := road.length }
  }

  io.port.command.ready := state === State.Idle
  io.port.completion.valid := state === State.Complete
  io.port.completion.tag := tag
  io.port.completion.status := status
  private val results = Map(
    "length" -> counted.length.andMask(status === Status.Ok.code), "objects" -> counted.objects, "graph" -> counted.graph, "at" -> at)
  for ((result, i) <- io.port.completion.results.zipWithIndex)
    result := results(Operation.CerealWriteObject.results(i)).asBits
  io.port.activity.busy := state =/= State.Idle
  io.port.activity.readStall := (state === State.Run || state === State.Copy) && !road.write.valid && (headers.io.waiting || objects.io.waiting)
  io.port.activity.tableStall := False
  io.port.activity.writeStall := road.write.valid && !road.write.ready || state === State.Settle || state === State.Flush || drain

  /** The masters with their parameters, to be merged into a fabric. */
  def buses: Seq[(NodeParameters, Bus)] = Seq(headers.node -> io.headers, objects.node -> io.objects, sideNode -> io.side, writer.node -> io.output)
}
