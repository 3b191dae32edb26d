package heapwire.cereal.serialize

import heapwire.cereal.road._
import heapwire.isa._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The serialization unit (SU) of Cereal (ISCA 2020, section V.B; docs/reference/cereal.md specifies the format): reads
  * an object graph and writes a stream.
  *
  * {{{
  *           +-------------------- references ------------------------+
  *           v                                                        |
  *  root -> HeaderReader -> HeaderManager -> PendingQueue -> ObjectHandler -> ValueArray ----------+
  *           ^  KlassTable   |  | ClaimTable   |   ^ |          |  ^                               +-> WriteCombiner
  *           |               |  | OpenEpochs   |   | SpillQueue |  +-- objects                     |
  *           +-- headers     |  +-- metadata   +---|---> visit  +-> LayoutPacker -> PackedSection -+
  *                           +-> ReferencePacker --|------------------------------> PackedSection -+
  * }}}
  *
  * The parts work on different objects concurrently. References and layouts are collected in two packed sections, whose
  * first words stay in the unit. Further words go to the work area: references take half of it and layouts a quarter;
  * the last quarter holds objects that wait. At the end both sections are copied to behind the values, which are written
  * in place, and the stream's header is written last.
  *
  * One command at a time. Headers and metadata pass through the [[MemoryAccessInterface]]. There are four TileLink
  * masters: `headers` reads headers and writes metadata; `objects` reads objects; `side` reads the list of open epochs,
  * and writes and reads waiting objects in the work area; `output` writes everything else. A [[WriteGuard]] is the last
  * on the way of each that writes. An error ends the command once no request is in flight. What had been claimed stays
  * claimed until software closes the epoch.
  *
  * With `shared`, claims are atomic among units ([[ClaimPort]]), and a Skyway command ends only when no other unit has
  * a read under way that may miss one of its claims. Without it, no other unit may claim while this one runs. Software
  * never may. Epochs of others may be open in either case.
  *
  * Statuses: BAD_COMMAND for another operation, without an open epoch, or for a relative address below 16;
  * BAD_ALIGNMENT and OUT_OF_BOUNDS for the arguments; OUT_OF_BOUNDS also for a write that a guard refused; BAD_OBJECT
  * for a reference or an array that is not in the bounds, or a mark with an address that was not assigned;
  * UNREGISTERED_CLASS for a class that the klass table does not hold; SHARED_OBJECT for an object that another
  * serialization has marked or claimed; OUTPUT_FULL for too small an output, or an image of 2^29 bytes; WORK_FULL;
  * BUS_FAULT for a denied request.
  */
case class SerializationUnit(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  val claims = ClaimTable(p, m)
  val headers = MemoryAccessInterface(m, claims.node, p.accessEntries, 2 * p.headersAhead, p.blocksAhead, p.shared)
  val objects = SpanReader(m, p.objectReads)
  val spill = SpillQueue(m)
  val epochs = OpenEpochs(m)
  val writer = WriteCombiner(m, p.combined(m))
  private val sideNodes = Seq(spill.node, epochs.node)
  val sideNode: NodeParameters = Arbiter.downNodeFrom(sideNodes)
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val headers = master(Bus(SerializationUnit.this.headers.node))
    val objects = master(Bus(SerializationUnit.this.objects.node))
    val side = master(Bus(sideNode))
    val output = master(Bus(writer.node))
    val claim = p.shared generate master(ClaimPort(p.claimants))
  }
  headers.io.write << claims.io.bus
  io.headers << headers.io.bus
  io.objects << objects.io.bus
  val side = Arbiter(sideNodes, sideNode)
  for ((bus, i) <- Seq(spill.io.bus, epochs.io.bus).zipWithIndex) side.io.ups(i) << bus

  // ---- the command -----------------------------------------------------------
  object State extends SpinalEnum {
    val Idle, Check, Run, Pad, Settle, Copy, Header, Flush, Drain, Complete = newElement()
  }
  val state = RegInit(State.Idle)
  val tag = Reg(UInt(p.tagWidth bits))
  val operation = Reg(Bits(7 bits))
  val arguments = Vec.fill(Instruction.ArgumentWords)(Reg(UInt(32 bits)))
  private[serialize] def argument(name: String) = arguments(Operation.CerealWriteObject.arguments.indexOf(name))
  val status = Reg(Bits(Status.Width bits))
  val at = Reg(UInt(32 bits))

  private def register(which: RuntimeRegister.Register) =
    RegNextWhen(io.port.registers.value, io.port.registers.valid && io.port.registers.index === which.index,
      B(0, 32 bits))
  val strip = register(RuntimeRegister.CerealMode)(CerealFormat.Registration.ModeStrip)
  val classSet = register(RuntimeRegister.CerealClassSet)
  val openEpochs = register(RuntimeRegister.OpenEpochs).asUInt
  /** The operation is Skyway's. Its arguments differ from Cereal's in the fifth and the last one. */
  val clones = if (p.skyway) operation === Operation.SkywayWriteObject.code else False
  private[serialize] val stream = new Area {
    val owner = arguments(Operation.SkywayWriteObject.arguments.indexOf("owner"))
    val relative = arguments(Operation.SkywayWriteObject.arguments.indexOf("relative"))
    val shared = Seq("object", "output", "output_limit", "work", "bound", "limit")
    require(
      shared.forall(name =>
        Seq(Operation.CerealWriteObject, Operation.SkywayWriteObject).map(_.arguments.indexOf(name)).distinct.size ==
          1))
  }
  val epoch = clones ? stream.owner(31 downto 16) | argument("mode")(31 downto 16)
  /** The lowest valid owner word. */
  val oldest = {
    val cereal = argument("mode")(15 downto 0) @@ U(0, 16 bits)
    if (p.skyway) clones ? register(RuntimeRegister.OldestOwner).asUInt | cereal else cereal
  }
  val classes = KlassTable(p.classes, p.skyway)
  if (p.skyway) classes.io.typed := clones
  classes.io.registers << io.port.registers

  val clear = state === State.Check || state === State.Drain
  val drain = state === State.Drain
  /** The work area, in quarters. */
  val work = new Area {
    val base = argument("work")
    val quarter = RegNext(((argument("work_limit") - base) >> 8) << 6)
    val layouts = RegNext(base + (quarter |<< 1))
    val ring = RegNext(layouts + quarter)
    /** For Skyway: its size in bytes, and whether it ends at the end of the address space or behind. */
    val size = p.skyway generate RegNext(U(1, 32 bits) |<< base(5 downto 0))
    val wraps = if (p.skyway) RegNext(((base(31 downto 6) @@ U(0, 6 bits)) +^ size).msb) else False
  }
  /** What each master may write, but for `headers`, which has its own guard: `side` waiting objects in the work area's
    * ring; `output` the output, and Cereal's packed sections in the other parts of the work area.
    */
  val guard = new Area {
    private def blocks(address: UInt) = address(31 downto 6) @@ U(0, 6 bits)
    private val area = blocks(work.base)
    private def mode(skyway: => UInt, cereal: UInt) = if (p.skyway) clones ? skyway | cereal else cereal
    val waiting = WriteGuard(m, sideNode, side.io.down, io.side)(
      mode(area, blocks(work.ring)) -> mode(RegNext(area + blocks(work.size)), blocks(argument("work_limit"))))
    val output = WriteGuard(m, writer.node, writer.io.bus, io.output)(
      argument("output") -> argument("output_limit"),
      area -> mode(U(0, 32 bits), blocks(work.ring)))
    private val refused = waiting.io.violation || output.io.violation || headers.io.violation
    val violated = RegInit(False) setWhen refused clearWhen state === State.Check
  }
  headers.io.clear := clear
  headers.io.bound := argument("bound")
  headers.io.limit := argument("limit")
  if (p.shared) headers.io.forget << io.claim.forget
  objects.io.drop := drain
  claims.io.clear := clear
  if (p.shared) claims.io.lasting := clones
  claims.io.owner :=
    (if (p.skyway) clones ? stream.owner.asBits | (epoch ## U(p.unit, 16 bits)) else epoch ## U(p.unit, 16 bits))
  spill.io.clear := clear
  spill.io.ring := (if (p.skyway) clones ? (work.base(31 downto 6) @@ U(0, 6 bits)) | work.ring else work.ring)
  spill.io.blocks := (if (p.skyway) clones ? (work.size >> 6) | (work.quarter >> 6) else work.quarter >> 6).resized
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

  private val noEpoch = epoch === 0 || oldest(31 downto 16) === 0 || oldest(31 downto 16) > epoch
  private val noObject = argument("object") === 0 || argument("limit") < 16
  /** Checks the arguments of Skyway's operation. */
  private def cloningCheck(): Unit =
    when((argument("output") | stream.relative)(2 downto 0) =/= 0) {
      fail(Status.BadAlignment)
    } elsewhen (argument("output") > argument("output_limit") || argument("bound") > argument("limit") || work.wraps) {
      fail(Status.OutOfBounds)
    } elsewhen (noEpoch || stream.relative < SkywayFormat.First) {
      fail(Status.BadCommand)
    } elsewhen (noObject) {
      fail(B(Status.BadObject.code, Status.Width bits), argument("object"))
    } elsewhen ((stream.relative >> Image.AddressWidth) =/= 0) {
      fail(Status.OutputFull)
    } elsewhen (argument("work")(5) || (work.size >> 6) === 0) {
      fail(Status.WorkFull)
    }

  /** Counts cycles in Check: the registers with the addresses of the work area's parts need three. */
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
        when(operation =/= Operation.CerealWriteObject.code && !clones) {
          fail(Status.BadCommand)
        } elsewhen (clones) {
          if (p.skyway) cloningCheck()
        } elsewhen
          (argument("output")(3 downto 0) =/= 0 || (argument("work") | argument("work_limit"))(5 downto 0) =/= 0) {
            fail(Status.BadAlignment)
          } elsewhen
          (argument("output") > argument("output_limit") || argument("bound") > argument("limit") ||
            argument("work") > argument("work_limit")) {
            fail(Status.OutOfBounds)
          } elsewhen (noEpoch) {
            fail(Status.BadCommand)
          } elsewhen (noObject) {
            fail(B(Status.BadObject.code, Status.Width bits), argument("object"))
          } elsewhen (argument("output_limit") - argument("output") < CerealFormat.Header.Size) {
            fail(Status.OutputFull)
          } elsewhen (work.quarter === 0) {
            fail(Status.WorkFull)
          }
      }
    }
    is(State.Run) { when(pipeline.done) { state := State.Pad } }
    is(State.Pad) {
      when(pipeline.packed) {
        state := State.Copy
        when(pipeline.spilled) { state := State.Settle }
        when(clones) { state := State.Flush }
      }
    }
    is(State.Settle) { when(settled) { state := State.Copy } }
    is(State.Copy) { when(pipeline.copy.io.done) { state := State.Header } }
    is(State.Header) { when(pipeline.header.io.done && pipeline.values.io.empty) { state := State.Flush } }
    is(State.Flush) { when(settled && idle) { state := State.Drain } }
    is(State.Drain) {
      when(idle && killed) {
        state := State.Complete
        when(denied && status === Status.Ok.code) { status := Status.BusFault.code }
        when(guard.violated && status === Status.Ok.code) { status := Status.OutOfBounds.code }
      }
    }
    is(State.Complete) { when(io.port.completion.ready) { state := State.Idle } }
  }
  val running = state === State.Run || state === State.Pad || state === State.Copy || state === State.Header
  when(running) {
    // Waiting objects that were not written would be read back as anything.
    when(guard.violated) {
      fail(Status.OutOfBounds)
    } elsewhen (denied) {
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
    val types = p.skyway generate Reg(UInt(16 bits))
    when(state === State.Check) {
      objects := 0
      if (p.skyway) types := 0
      graph := (if (p.skyway) clones ? stream.relative | U(0, 32 bits) else U(0, 32 bits))
    }
    // Up to the cycle in which the command fails; nothing is claimed after it.
    when(running) {
      objects := pipeline.manager.io.objectsNext
      graph := pipeline.manager.io.graphNext
      if (p.skyway) types := pipeline.cloning.typesNext
    }
    when(state === State.Flush) { length := pipeline.length }
  }

  io.port.command.ready := state === State.Idle
  io.port.completion.valid := state === State.Complete
  io.port.completion.tag := tag
  io.port.completion.status := status
  // The results have the same places in both operations, except the first one.
  private val length = counted.length.andMask(status === Status.Ok.code)
  private val results =
    Seq(if (p.skyway) clones ? counted.types.resize(32) | length else length, counted.objects, counted.graph, at)
  for ((result, value) <- io.port.completion.results.zip(results)) result := value.asBits
  io.port.activity.busy := state =/= State.Idle
  io.port.activity.readStall := (state === State.Run || state === State.Copy) && !pipeline.write.valid &&
    (headers.io.waiting || objects.io.waiting)
  io.port.activity.tableStall := False
  io.port.activity.writeStall := pipeline.write.valid && !pipeline.write.ready || state === State.Settle ||
    state === State.Flush || drain

  /** The masters with their parameters, for the fabric to merge. */
  def buses: Seq[(NodeParameters, Bus)] =
    Seq(headers.node -> io.headers, objects.node -> io.objects, sideNode -> io.side, writer.node -> io.output)
}
