package heapwire.protobuf.serialize

import heapwire.isa._
import heapwire.memory._
import heapwire.protobuf.RuntimeWords
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The protobuf serializer: managed objects or C structs in, bytes out, written backwards
  * from the end of the output (docs/units/protobuf_serializer.md).
  *
  * {{{
  *  tables -> BlockCache -> Walker -> Resolver -> Measurer -> PayloadReader -> Emitter -> Ledger -> Packer -> DescendingWriter -> output
  *                            |          |           |           |  words -----^
  *  objects -----------> ReadAheadCache -+-----------+-----------+
  * }}}
  *
  * One command at a time. Three TileLink masters: `table` and `objects` read, `output` writes.
  */
case class Serializer(p: SerializerParameter, m: MemoryParameter) extends Component {
  val tables = BlockCache(m, p.cacheBytes)
  val objects = ReadAheadCache(m, p.lines(m), p.clients(m), p.ways(m))
  val writer = DescendingWriter(m, p.putsInFlight(m))
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val table = master(Bus(tables.node))
    val objects = master(Bus(Serializer.this.objects.node))
    val output = master(Bus(writer.node))
  }
  io.table << tables.io.bus
  io.objects << objects.io.bus
  io.output << writer.io.bus

  // ---- the command ---------------------------------------------------------
  object State extends SpinalEnum { val Idle, Check, Run, Flush, Drain, Complete = newElement() }
  val state = RegInit(State.Idle)
  val tag = Reg(UInt(p.tagWidth bits))
  val operation = Reg(Bits(7 bits))
  val arguments = Vec.fill(Instruction.ArgumentWords)(Reg(UInt(32 bits)))
  private def argument(name: String) = arguments(Operation.ProtobufSerialize.arguments.indexOf(name))
  val status = Reg(Bits(Status.Width bits))
  val at = Reg(UInt(32 bits))
  val depthLimit = Reg(UInt(p.levelWidth bits))
  val runtime = RuntimeWords(io.port.registers)
  private def fail(why: Status): Unit = {
    status := why.code
    at := 0
    state := State.Drain
  }

  val start = state === State.Check
  val kill = state === State.Drain
  /** What was under way has been forgotten: until then it may still move on, though nothing else is. */
  val killed = RegNext(kill) init False
  val bounds = HeapBounds()
  bounds.bound := argument("bound")
  bounds.limit := argument("limit")

  // ---- the road from objects to bytes ----------------------------------------
  val walker = Walker(p, m)
  val hints = Hints(m, givers = 3)
  val resolver = Resolver(p, m)
  val measurer = Measurer(m)
  val payload = PayloadReader(p, m)
  val emitter = Emitter(m)
  val ledger = Ledger(p, m)
  val packer = Packer(m)
  private def queued(ops: Stream[Op]): Stream[Op] = {
    val queue = OpQueue(2 * p.fieldsAhead)
    queue.io.flush := kill
    queue.io.push << ops
    // A memory's output is late within the cycle.
    queue.io.pop.m2sPipe(flush = kill)
  }

  walker.io.start := False
  walker.io.root := argument("object")
  walker.io.table := argument("table")
  walker.io.maxDepth := depthLimit
  walker.io.bounds := bounds
  walker.io.tableBase := runtime.tableBase
  walker.io.tableLimit := runtime.tableLimit
  walker.io.unknownFields := runtime.unknownFields.asUInt
  walker.io.kill := kill
  tables.io.request << walker.io.tableRequest
  tables.io.prefetch.valid := False
  tables.io.prefetch.payload.assignDontCare()
  tables.io.limit := runtime.tableLimit
  tables.io.invalidate := runtime.write.valid
  tables.io.clear := start
  walker.io.tableHit := tables.io.hit
  walker.io.tableFault := tables.io.fault
  walker.io.tableData := tables.io.data

  resolver.io.input << queued(walker.io.op)
  resolver.io.bounds := bounds
  resolver.io.kill := kill
  measurer.io.input << resolver.io.output
  measurer.io.bounds := bounds
  measurer.io.wide := walker.io.wide
  measurer.io.kill := kill
  payload.io.input << measurer.io.output
  payload.io.kill := kill
  emitter.io.op << queued(payload.io.output)
  emitter.io.kill := kill
  for (i <- 0 to 1) {
    objects.io.requests(i) << walker.io.requests(i)
    walker.io.words(i) << objects.io.words(i)
    hints.io.inputs(i) << walker.io.hints(i)
  }
  hints.io.inputs(2) << resolver.io.hint
  hints.io.bounds := bounds
  hints.io.clear := kill
  objects.io.hint << hints.io.output
  private val measures = walker.io.native.asUInt
  objects.io.requests(Client.Reference) << StreamMux(measures, Vec(resolver.io.requests(0), measurer.io.request))
  private val referred = StreamDemux(objects.io.words(Client.Reference), measures, 2)
  resolver.io.words(0) << referred(0)
  measurer.io.word << referred(1)
  objects.io.requests(Client.Array) << resolver.io.requests(1)
  resolver.io.words(1) << objects.io.words(Client.Array)
  objects.io.requests(Client.Payload) << payload.io.request
  emitter.io.word << objects.io.words(Client.Payload)
  objects.io.clear := kill

  ledger.io.start := start
  ledger.io.base := argument("output")
  ledger.io.limit := argument("output_limit")
  ledger.io.item << emitter.io.item
  ledger.io.kill := kill
  packer.io.start := start
  packer.io.end := argument("output_limit")
  // Whether the writer takes a word is not waited for by all who are before the packer within the cycle.
  private val run = ItemCutter(m, ledger.io.coded, kill).s2mPipe(flush = kill)
  packer.io.run << run
  packer.io.finish := state === State.Flush
  val write = packer.io.write.m2sPipe()
  writer.io.write << write
  private val empty = !ledger.io.coded.valid && !run.valid && packer.io.empty && !write.valid
  writer.io.flush := state === State.Flush && empty || state === State.Drain && status === Status.Ok.code
  writer.io.drop := state === State.Drain && status =/= Status.Ok.code
  writer.io.streaming := argument("output_limit") - ledger.io.position >= p.streamingBytes

  val denied = RegInit(False)
  denied setWhen writer.io.error
  val idle = writer.io.idle && objects.io.idle && tables.io.idle && !write.valid

  switch(state) {
    is(State.Idle) {
      when(io.port.command.valid) {
        tag := io.port.command.tag
        operation := io.port.command.operation
        for ((to, from) <- arguments.zip(io.port.command.arguments)) to := from.asUInt
        state := State.Check
      }
    }
    is(State.Check) {
      val asked = argument("max_depth")
      depthLimit := (asked === 0 || asked > p.maxDepth) ? U(p.maxDepth, p.levelWidth bits) | asked.resize(p.levelWidth)
      status := Status.Ok.code
      at := 0
      denied := False
      when(operation =/= Operation.ProtobufSerialize.code) {
        fail(Status.BadCommand)
      } elsewhen (argument("output") > argument("output_limit") || argument("bound") > argument("limit")) {
        fail(Status.OutOfBounds)
      } otherwise {
        walker.io.start := True
        state := State.Run
      }
    }
    is(State.Run) {
      when(ledger.io.over) {
        status := ledger.io.status
        at := ledger.io.origin
        state := (ledger.io.status === Status.Ok.code) ? State.Flush | State.Drain
      }
    }
    is(State.Flush) {
      when(empty) { state := State.Drain }
    }
    is(State.Drain) {
      when(idle && killed) {
        state := State.Complete
        when(denied && status === Status.Ok.code) { status := Status.BusFault.code }
      }
    }
    is(State.Complete) {
      when(io.port.completion.ready) { state := State.Idle }
    }
  }

  io.port.command.ready := state === State.Idle
  io.port.completion.valid := state === State.Complete
  io.port.completion.tag := tag
  io.port.completion.status := status
  private val ok = status === Status.Ok.code
  private val results = Map(
    "start" -> (ok ? ledger.io.position | U(0, 32 bits)),
    "length" -> (ok ? (argument("output_limit") - ledger.io.position) | U(0, 32 bits)),
    "at" -> at)
  for ((result, i) <- io.port.completion.results.zipWithIndex)
    result := Operation.ProtobufSerialize.results.lift(i).map(results(_).asBits).getOrElse(B(0, 32 bits))
  io.port.activity.busy := state =/= State.Idle
  io.port.activity.readStall := state === State.Run && !write.valid && (objects.io.waiting || walker.io.waiting)
  io.port.activity.tableStall := state === State.Run && !write.valid && !objects.io.waiting && walker.io.waiting
  io.port.activity.writeStall := write.valid && !write.ready || state === State.Flush || state === State.Drain

  /** The masters with their parameters, to be merged into a fabric. */
  def buses: Seq[(NodeParameters, Bus)] = Seq(tables.node -> io.table, objects.node -> io.objects, writer.node -> io.output)
}
