package heapwire.protobuf.fields

import heapwire.isa._
import heapwire.isa.FieldInstruction._
import heapwire.memory._
import heapwire.protobuf._
import heapwire.protobuf.serialize._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Executes the field instructions ([[FieldInstruction]]; docs/units/protobuf_fields.md):
  * the core walks a message, this unit does its fields.
  *
  * {{{
  *  requests -+-> FieldLoader -> Resolver -> PayloadReader -> Emitter -> Ledger -> Packer -+
  *            |        \------------ ReadAheadCache <-- objects, lists                      +-> WriteGuard -> WriteCombiner
  *            +-> FieldParser (FieldLists, StringCopier) <- Reader <- input -> WritePacker -+
  * }}}
  *
  * The road from objects to bytes is the serializer's. One sequence at a time, of
  * either kind. Three TileLink masters: `objects` and `input` read, `output` writes.
  */
case class FieldUnit(p: FieldsParameter, m: MemoryParameter) extends Component {
  val objects = ReadAheadCache(m, p.serialize.objectLines, p.clients)
  val reader = Reader(m, p.readsInFlight)
  val combiner = WriteCombiner(m, p.combinerBlocks)
  val io = new Bundle {
    val port = slave(FieldPort())
    val objects = master(Bus(FieldUnit.this.objects.node))
    val input = master(Bus(reader.queue.node))
    val output = master(Bus(combiner.node))
  }
  io.objects << objects.io.bus
  objects.io.hint.setIdle()
  io.input << reader.io.bus
  io.output << combiner.io.bus
  val runtime = RuntimeWords(io.port.registers)

  // ---- the sequence ----------------------------------------------------------
  /** Run: the sequence is open. End, Flush: what it wrote goes to memory. Drain:
    * everything under way is dropped. Rest: it is over, and waits for its Status. */
  object State extends SpinalEnum { val Closed, Run, End, Flush, Drain, Rest = newElement() }
  import State._
  val state = RegInit(Closed)
  val parses = Reg(Bool())
  val status = Reg(Bits(Status.Width bits)) init 0
  val at = Reg(UInt(32 bits))
  val bounds = Reg(HeapBounds())
  val output, input, destination, fixed, flexible = Reg(Bounds(m))
  val kill = state === Drain

  val loader = FieldLoader(p.serialize, m)
  val resolver = Resolver(p.serialize, m)
  val payload = PayloadReader(p.serialize, m)
  val emitter = Emitter(m)
  val ledger = Ledger(p.serialize, m)
  val packer = Packer(m)
  val parser = FieldParser(p, m)
  val objectPacker = WritePacker(m)
  val guard = WriteGuard(m, ranges = 3)

  private val queue = StreamFifo(FieldRequest(), p.queue, latency = 1)
  queue.io.push << io.port.request
  val request = queue.io.pop
  private def is(kind: Kind) = request.kind === kind.funct3
  private def function(value: Int) = request.function === value
  private def setUp(value: Int) = is(Seroutput) && function(value)
  val writing = state === Run && !parses
  val parsing = state === Run && parses

  // ---- from objects to bytes --------------------------------------------------
  private def queued(ops: Stream[Op]): Stream[Op] = {
    val fifo = StreamFifo(Op(), 2 * p.serialize.fieldsAhead, latency = 1)
    fifo.io.flush := kill
    fifo.io.push << ops
    fifo.io.pop
  }
  loader.io.field.valid := request.valid && is(Serfield) && writing
  loader.io.field.payload := request.payload
  loader.io.bounds := bounds
  loader.io.unknownFields := runtime.unknownFields.asUInt
  loader.io.start := False
  loader.io.end := False
  loader.io.kill := kill
  resolver.io.input << queued(loader.io.op)
  resolver.io.bounds := bounds
  resolver.io.kill := kill
  payload.io.input << resolver.io.output
  payload.io.kill := kill
  emitter.io.op << queued(payload.io.output)
  emitter.io.kill := kill
  for (i <- 0 to 1) {
    objects.io.requests(FieldClient.Reference + i) << resolver.io.requests(i)
    resolver.io.words(i) << objects.io.words(FieldClient.Reference + i)
  }
  objects.io.requests(FieldClient.Payload) << payload.io.request
  emitter.io.word << objects.io.words(FieldClient.Payload)
  ledger.io.start := loader.io.start
  ledger.io.base := loader.io.start ? request.rs1.asUInt | output.base
  ledger.io.limit := request.rs1.asUInt + request.rs2.asUInt
  ledger.io.item << emitter.io.item
  ledger.io.kill := kill
  packer.io.start := loader.io.start
  packer.io.end := ledger.io.limit
  private val run = ItemCutter(m, ledger.io.coded, kill)
  packer.io.run << run
  packer.io.finish := state === Flush

  // ---- from bytes to objects --------------------------------------------------
  parser.io.field.valid := request.valid && is(Parfield) && parsing
  parser.io.field.payload := request.payload
  parser.io.open.valid := False
  parser.io.open.payload := request.rs1.asUInt
  parser.io.input := input
  parser.io.destination := destination
  parser.io.fixed := fixed
  parser.io.flexible := flexible
  parser.io.kill := kill
  parser.io.close := parsing && io.port.flush && !request.valid
  parser.io.mark := runtime.mark
  parser.io.byteString := runtime.byteString
  parser.io.byteArray := runtime.byteArray
  parser.io.listKlass := runtime(parser.io.listRegister)
  parser.io.arrayKlass := runtime((parser.io.listRegister + RuntimeRegister.ListToArray).resized)
  reader.io.command << parser.io.read
  reader.io.abort := parser.io.abort
  parser.io.word << reader.io.word
  parser.io.readerIdle := reader.io.idle
  for (flow <- Seq(parser.io.setFixed, parser.io.setFlexible)) {
    flow.valid := False
    flow.payload := request.rs1.asUInt
  }
  parser.io.take.valid := False
  parser.io.take.payload := request.rs1.asUInt

  // Slots of fields, or lists that return: one client of the cache, as a sequence is of one kind.
  objects.io.requests(FieldClient.Slot) << StreamMux(parses.asUInt, Vec(loader.io.request, parser.io.listRequest))
  private val slotWord = StreamDemux(objects.io.words(FieldClient.Slot), parses.asUInt, 2)
  loader.io.word << slotWord(0)
  parser.io.listWord << slotWord(1)

  // ---- writes --------------------------------------------------------------------
  objectPacker.io.input << parser.io.write.m2sPipe()
  private val merged = StreamArbiterFactory().lowerFirst.noLock.on(Seq(packer.io.write, objectPacker.io.output)).m2sPipe()
  guard.io.input << merged
  guard.io.arenas(0) := parses ? destination | output
  guard.io.arenas(1) := fixed
  guard.io.arenas(2) := flexible
  combiner.io.write << guard.io.output
  private val pathIdle = !parser.io.write.valid && !objectPacker.io.input.valid && !objectPacker.io.busy && !packer.io.write.valid &&
    !merged.valid && !guard.io.busy && !combiner.io.write.valid
  private val emptied = !ledger.io.coded.valid && !run.valid && packer.io.empty
  private val quiet = parsing && !parser.io.busy && !parser.io.listOpen && !request.valid && io.port.flush
  combiner.io.flush := pathIdle && (state === Flush && emptied || quiet || parser.io.flush)
  combiner.io.drop := kill
  combiner.io.streaming := False
  // What was read before a sequence may have changed.
  objects.io.clear := kill || parser.io.flush || loader.io.start || parser.io.open.valid
  parser.io.flushed := pathIdle && combiner.io.idle && objects.io.idle

  // ---- set-up and answers ----------------------------------------------------------
  val idle = pathIdle && combiner.io.idle && objects.io.idle && reader.io.idle
  val response = Flow(Bits(32 bits))
  response.valid := parser.io.next.valid
  response.payload := parser.io.next.payload
  io.port.response << response.m2sPipe()
  private def answer(value: Bits): Unit = {
    request.ready := True
    response.valid := True
    response.payload := value
  }
  private def fail(why: Bits, where: UInt): Unit = {
    when(status === Status.Ok.code) {
      status := why
      at := where
    }
    state := Drain
  }
  private def fail(why: Status, where: UInt): Unit = fail(B(why.code, Status.Width bits), where)
  private def open(parse: Boolean): Unit = {
    request.ready := True
    state := Run
    parses := Bool(parse)
    status := Status.Ok.code
    at := 0
    val own = if (parse) input else output
    for (range <- Seq(output, input, destination, fixed, flexible) if range ne own) {
      range.base := 0
      range.limit := 0
    }
    bounds.bound := 0
    bounds.limit := 0
  }
  private def refuse(): Unit = {
    state := Drain
    status := Status.OutOfBounds.code
    at := request.rs1.asUInt
  }
  private def range(bounds: Bounds): Unit = {
    bounds.base := request.rs1.asUInt
    bounds.limit := request.rs2.asUInt
  }
  /** A sequence that is left for another one must not go on. */
  val reopening = RegInit(False)

  request.ready := False
  when(request.valid) {
    when(setUp(SetUp.Output) || setUp(SetUp.Input) || setUp(SetUp.Break)) {
      when(state === Closed || reopening && state === Rest) {
        reopening := False
        request.ready := True
        when(setUp(SetUp.Output)) {
          open(parse = false)
          output.base := request.rs1.asUInt
          output.limit := ledger.io.limit
          loader.io.start := True
          when((request.rs1.asUInt +^ request.rs2.asUInt).msb) { refuse() }
        } elsewhen (setUp(SetUp.Input)) {
          open(parse = true)
          range(input)
          parser.io.open.valid := True
          parser.io.setFixed.valid := True
          parser.io.setFlexible.valid := True
          when(request.rs1.asUInt > request.rs2.asUInt) { refuse() }
        } otherwise {
          state := Closed
        }
      } otherwise {
        reopening := True
        when(state =/= Drain) { state := Drain }
      }
    } elsewhen (is(Seroutput)) {
      // Bounds change only while nothing uses them.
      val still = parses ? (!parser.io.busy && pathIdle) | !loader.io.busy
      val known = function(SetUp.Heap) || function(SetUp.Destination) || function(SetUp.Fixed) || function(SetUp.Flexible)
      request.ready := state =/= Run || still
      when(state === Run && still) {
        when(function(SetUp.Heap)) {
          bounds.bound := request.rs1.asUInt
          bounds.limit := request.rs2.asUInt
        }
        when(function(SetUp.Destination)) { range(destination) }
        when(function(SetUp.Fixed)) {
          range(fixed)
          parser.io.setFixed.valid := True
        }
        when(function(SetUp.Flexible)) {
          range(flexible)
          parser.io.setFlexible.valid := True
        }
        when(!known) { fail(Status.BadCommand, U(0, 32 bits)) }
        when(request.rs1.asUInt > request.rs2.asUInt || request.rs1.asUInt > U(0xfffffff8L, 32 bits)) { fail(Status.OutOfBounds, request.rs1.asUInt) }
      }
    } elsewhen (is(Serfield)) {
      request.ready := !writing || loader.io.field.ready
      // A parser, or an output that is complete, takes none.
      when(parsing || state === Rest && !reopening && !parses) { fail(Status.BadCommand, U(0, 32 bits)) }
    } elsewhen (is(Parfield)) {
      when(parsing) { request.ready := parser.io.field.ready } otherwise {
        answer(B(32 bits, default -> true))
        when(writing) { fail(Status.BadCommand, U(0, 32 bits)) }
      }
    } otherwise {
      switch(request.function) {
        spinal.core.is(Check.Status) {
          answer((state === Closed) ? B(Status.Broken.code, 32 bits) | status.resize(32))
          // Input that was read ahead is still to be dropped.
          state := parsing ? Drain | Closed
        }
        spinal.core.is(Check.Length) { answer((output.limit - ledger.io.position).asBits.andMask(status === Status.Ok.code && !parses)) }
        spinal.core.is(Check.FixedTop) { answer(parser.io.fixedTop.asBits) }
        spinal.core.is(Check.FlexibleTop) { answer(parser.io.flexibleTop.asBits) }
        spinal.core.is(Check.At) { answer(at.asBits) }
        spinal.core.is(Check.Take) {
          answer(parser.io.taken.asBits.andMask(parsing))
          parser.io.take.valid := parsing
          when(writing) { fail(Status.BadCommand, U(0, 32 bits)) }
        }
        default { answer(B(0, 32 bits)) }
      }
    }
  }

  // ---- how a sequence goes on and ends ------------------------------------------------
  when(writing && io.port.flush && !request.valid) {
    loader.io.end := True
    state := End
  }
  when(writing || state === End) {
    when(ledger.io.over) {
      when(ledger.io.status === Status.Ok.code) { state := Flush } otherwise { fail(ledger.io.status, ledger.io.origin) }
    }
  }
  when(state === Flush && emptied && idle) { state := Rest }
  when(state === Drain && idle) { state := (status === Status.Ok.code && !reopening) ? Closed | Rest }
  when(parsing && parser.io.fault.valid) { fail(parser.io.fault.status, parser.io.fault.at) }
  when(state =/= Closed && state =/= Drain) {
    when(guard.io.violation) { fail(Status.OutOfBounds, U(0, 32 bits)) }
    when(combiner.io.error) { fail(Status.BusFault, U(0, 32 bits)) }
    when(parsing && reader.io.word.fire && reader.io.word.error) { fail(Status.BusFault, parser.io.position) }
  }

  io.port.parsing := queue.io.occupancy =/= 0 || request.valid || parsing && parser.io.busy || state === Drain
  /** But for the input, which is read ahead all the time. */
  private val stored = pathIdle && combiner.io.idle && objects.io.idle
  io.port.settled := queue.io.occupancy === 0 && !request.valid && !response.valid && !io.port.response.valid &&
    (state === Closed || state === Rest || parsing && !parser.io.busy && !parser.io.listOpen && stored)
  io.port.activity.busy := state === Run || state === End || state === Flush || state === Drain || request.valid || !combiner.io.idle || !reader.io.idle
  io.port.activity.tableStall := False
  io.port.activity.readStall := objects.io.waiting || parser.io.starving
  io.port.activity.writeStall := merged.valid && !merged.ready || state === Flush

  /** The masters with their parameters, to be merged into a fabric. */
  def buses: Seq[(NodeParameters, Bus)] = Seq(objects.node -> io.objects, reader.queue.node -> io.input, combiner.node -> io.output)
}
