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
  * With `shared` claims are atomic among units ([[ClaimPort]]); without, no other unit claims while this one runs, as software never does. Epochs of
  * others may be open either way.
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
  private[serialize] def argument(name: String) = arguments(Operation.CerealWriteObject.arguments.indexOf(name))
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

  val pipeline = new SerializationPath(this)
  writer.io.flush := state === State.Settle || state === State.Flush || drain && status === Status.Ok.code
  writer.io.drop := drain && status =/= Status.Ok.code
  writer.io.streaming := (pipeline.values.io.length >> log2Up(p.streamingBytes)) =/= 0
  val settled = writer.io.idle && !pipeline.write.valid

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

  /** Cycles in Check: the registers that hold where the parts of the work area are take three. */
  val patience = RegInit(U(0, 2 bits))
  patience := (state === State.Check) ? (patience + 1) | U(0)

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
        } elsewhen (argument("object") === 0 || argument("limit") < 16) {
          fail(B(Status.BadObject.code, Status.Width bits), argument("object"))
        } elsewhen (argument("output_limit") - argument("output") < CerealFormat.Header.Size) {
          fail(Status.OutputFull)
        } elsewhen (work.quarter === 0) {
          fail(Status.WorkFull)
        }
      }
    }
    is(State.Run) { when(pipeline.done) { state := State.Pad } }
    is(State.Pad) { when(pipeline.packed) { state := State.Settle } }
    is(State.Settle) { when(settled) { state := State.Copy } }
    is(State.Copy) { when(pipeline.copy.io.done) { state := State.Header } }
    is(State.Header) { when(pipeline.header.io.done && pipeline.values.io.empty) { state := State.Flush } }
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
    } elsewhen (pipeline.manager.io.fault.valid) {
      fail(pipeline.manager.io.fault.status, pipeline.manager.io.fault.at)
    } elsewhen (pipeline.handler.io.fault.valid) {
      fail(pipeline.handler.io.fault.status, pipeline.handler.io.fault.at)
    } elsewhen (pipeline.copy.io.error) {
      fail(Status.BusFault)
    } elsewhen (pipeline.full) {
      fail(pipeline.fullStatus, U(0, 32 bits))
    }
  }
  val counted = new Area {
    val length, objects, graph = Reg(UInt(32 bits)) init 0
    when(state === State.Check) {
      objects := 0
      graph := 0
    }
    when(running) {
      objects := pipeline.manager.io.objects
      graph := pipeline.manager.io.graph
    }
    when(state === State.Flush) { length := pipeline.length }
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
  io.port.activity.readStall := (state === State.Run || state === State.Copy) && !pipeline.write.valid && (headers.io.waiting || objects.io.waiting)
  io.port.activity.tableStall := False
  io.port.activity.writeStall := pipeline.write.valid && !pipeline.write.ready || state === State.Settle || state === State.Flush || drain

  /** The masters with their parameters, to be merged into a fabric. */
  def buses: Seq[(NodeParameters, Bus)] = Seq(headers.node -> io.headers, objects.node -> io.objects, sideNode -> io.side, writer.node -> io.output)
}
