package heapwire.cereal.deserialize

import heapwire.cereal._
import heapwire.isa.{CerealFormat, Operation, RuntimeRegister, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.fsm._

/** The deserialization unit (DU) of Cereal (docs/reference/cereal.md; ISCA 2020, section V): reads a stream and builds
  * the image of its objects.
  *
  * {{{
  *  layouts -> PacketReader -> LayoutManager -> BlockCollector -> BlockManager -> jobs
  *                                  | shapes                          | shares
  *  values ----------> ValueLoader -(- headers -> ShapeChecker)       |
  *                      | ClassTable                                  v
  *                      +------------------------------------> Reconstructor x N -> ImageWriter -> image
  *  references -> PacketReader -> ReferenceLoader -> ReferenceChecker -+
  *                                                      | ^
  *  scan (layouts again) -> PacketReader -> LayoutScanner -> StartsMap -> map, FarStarts <- starts
  * }}}
  *
  * One command at a time, [[Operation.CerealReadObject]], and with `skyway` [[Operation.SkywayReadObject]]. All parts
  * run concurrently, coupled only by queues. There are seven TileLink masters: `values`, `references`, `layouts`,
  * `scan` and `starts` read; `written` writes the map of starts, and `objects` the image, each behind a [[WriteGuard]].
  *
  * Nothing in a stream is trusted: the header is checked against the stream's length and the arena before anything is
  * written, each layout against its class, and each reference against the map of starts. The first error ends the
  * command: `run` falls, readers drop what is under way, blocks that have begun are finished, and only then the command
  * completes. Bytes outside of the image that the header claims, and of the map in the work area, are never written,
  * whatever the sections contain.
  *
  * Statuses: BAD_COMMAND, BAD_ALIGNMENT and OUT_OF_BOUNDS for the arguments; OUT_OF_BOUNDS also for a write that a guard
  * refused; FIXED_ARENA_FULL and WORK_FULL for too small areas; UNSUPPORTED for class ids beyond the table, classes left
  * to software, and Skyway chunks of 2^29 bytes or more; BUS_FAULT for a denied request; all others as
  * docs/reference/cereal.md and docs/reference/skyway.md say.
  */
case class DeserializationUnit(c: DeserializationUnitParameter, m: MemoryParameter) extends Component {
  val sections = new StreamSections(c, m)
  val far = FarStarts(m, c.startsReads)
  val map = StartsMap(c, m)
  val image = ImageWriter(m, c.reconstructors, c.writesOver(m), c.skyway)
  val io = new Bundle {
    val port = slave(UnitPort(c.tagWidth))
    val values = master(Bus(sections.values.node))
    val references = master(Bus(sections.references.node))
    val layouts = master(Bus(sections.layouts.node))
    val scan = master(Bus(sections.scan.node))
    val starts = master(Bus(far.queue.node))
    val written = master(Bus(map.node))
    val objects = master(Bus(image.writer.node))
  }
  for ((bus, reader) <- Seq(io.values, io.references, io.layouts, io.scan).zip(sections.readers)) bus << reader.io.bus
  io.starts << far.io.bus

  val registers = new Area {
    val write = io.port.registers.stage()
    private def of(register: RuntimeRegister.Register) =
      RegNextWhen(write.value, write.valid && write.index === register.index)
    val mark = of(RuntimeRegister.MarkPrototype)
    val classSet = of(RuntimeRegister.CerealClassSet)
  }
  val table = ClassTable(c)
  table.io.registers << io.port.registers

  val command = Reg(UnitCommand(c.tagWidth))
  private def argument(i: Int): UInt = command.arguments(i).asUInt
  /** The operation is Skyway's. */
  val moves = if (c.skyway) command.operation === Operation.SkywayReadObject.code else False
  private val List(input, length, base, limit) = (0 until 4).map(argument).toList
  private val end = input +^ length
  private val List(work, workLimit) =
    (if (c.skyway) List(2, 3).map(i => moves ? argument(i) | argument(i + 2)) else List(4, 5).map(argument))

  /** What each master may write: the arena, or the chunk; the map in the work area. */
  val guard = new Area {
    private def blocks(address: UInt) = address(31 downto 6) @@ U(0, 6 bits)
    private def mode(skyway: => UInt, cereal: UInt) = if (c.skyway) moves ? skyway | cereal else cereal
    val objects = WriteGuard(m, image.writer.node, image.io.bus, io.objects)(
      mode(input, base) -> mode(RegNext(end.resize(32)), limit))
    val starts = WriteGuard(m, map.node, map.io.bus, io.written)(blocks(work) -> blocks(workLimit))
    val violated = RegInit(False) setWhen (objects.io.violation || starts.io.violation) clearWhen io.port.command.fire
  }

  val run = RegInit(False)
  /** The parts that only Cereal uses rest while a Skyway command runs. */
  val builds = run && !moves
  val start = False
  sections.run := builds
  sections.start := start
  sections.input := input
  sections.scanned := map.io.complete
  val header = sections.header
  header.io.start := False
  header.io.classSet := registers.classSet
  header.io.length := length
  private val room = limit -^ base
  header.io.room := RegNext(room.resize(32).andMask(!room.msb))
  val shape = ImageShape(m)
  shape.base := (moves ? input | base)
  shape.bytes := (moves ? length | header.io.graph).resized
  shape.objects := header.io.objects
  shape.strip := header.io.strip

  // Layouts to blocks
  val layouts = LayoutManager(m)
  layouts.io.packet << sections.packets(sections.layouts)
  layouts.io.packets := sections.count(header.io.layouts)
  layouts.io.base := sections.offsets.layouts
  layouts.io.image := shape
  val collector = BlockCollector()
  collector.io.first := base(5 downto 2)
  collector.io.slots << layouts.io.expansion
  val manager = BlockManager(m, c.reconstructors, c.pipelined)
  manager.io.block << collector.io.block
  manager.io.written := image.io.written

  private def queue[T <: Data](input: Stream[T], depth: Int): Stream[T] = {
    val fifo = StreamFifo(input.payloadType, depth, latency = 1)
    fifo.io.push << input
    fifo.io.flush := !builds
    fifo.io.pop
  }
  private val blocks = 2 * c.reconstructors
  val values = ValueLoader(c, m)
  val references = ReferenceLoader(c.reconstructors)
  values.io.share << queue(manager.io.values, blocks)
  references.io.share << queue(manager.io.references, blocks)
  values.io.runs << queue(layouts.io.values, 16)

  // Values and classes
  values.io.words := (header.io.values >> 2).resized
  values.io.image := shape
  table.io.id := values.io.id
  values.io.entry := table.io.entry
  values.io.known := table.io.known
  values.io.beyond := table.io.beyond
  val shapes = ShapeChecker()
  shapes.io.header << values.io.header
  shapes.io.shape << layouts.io.shape
  values.io.room := shapes.io.room

  // References and starts
  references.io.packets := sections.count(header.io.references)
  references.io.base := sections.offsets.references
  references.io.packet << sections.packets(sections.references)
  val scanner = LayoutScanner()
  scanner.io.packets := sections.count(header.io.layouts)
  scanner.io.objects := header.io.objects
  scanner.io.packet << sections.packets(sections.scan, twins = true)
  map.io.granules := (shape.bytes >> 3).resized
  map.io.whole := moves
  map.io.work := work
  far.io.work := work
  val targets = ReferenceChecker(c, m)
  targets.io.image := shape
  targets.io.passed := map.io.passed
  targets.io.complete := map.io.complete
  map.io.near := targets.io.near
  targets.io.map := map.io.words
  far.io.granule << targets.io.far
  far.io.granuleOffset := targets.io.farOffset

  // Blocks to memory
  val reconstructors = Seq.fill(c.reconstructors)(Reconstructor(m, c.reconstructors))
  for ((reconstructor, i) <- reconstructors.zipWithIndex) {
    val r = reconstructor.io
    r.run := builds
    r.mark := registers.mark
    r.job << manager.io.jobs(i)
    r.values.valid := values.io.values.valid && values.io.values.to === i
    r.values.payload := values.io.values.payload
    r.references.valid := targets.io.words.valid && targets.io.words.to === i
    r.references.payload := targets.io.words.payload
    r.beat := image.io.beat
    r.taken := image.io.taken(i)
    image.io.blocks(i) := r.block
    image.io.data(i) := r.data
  }
  image.io.image := shape

  for (part <- Seq(layouts.io.run, collector.io.run, manager.io.run, values.io.run, references.io.run, shapes.io.run,
      scanner.io.run, image.io.run)) part := builds
  for (part <- Seq(map.io.run, targets.io.run, far.io.run)) part := run
  for (part <- Seq(layouts.io.start, values.io.start, references.io.start, scanner.io.start, image.io.start)) part :=
    start

  /** No block is on its way to the loaders, including those in the queues. */
  val finish = new Area {
    val still = collector.io.done && manager.io.idle
    val cycles = Reg(UInt(2 bits))
    when(!still || !run) { cycles := 0 } elsewhen (!cycles.andR) { cycles := cycles + 1 }
    val all = still && cycles.andR
  }
  values.io.finish := finish.all
  references.io.finish := finish.all

  val status = Reg(Bits(Status.Width bits))
  val offset = Reg(UInt(Width.Offset bits))
  val failed = status =/= Status.Ok.code
  private def fail(s: Bits, at: UInt): Unit = {
    status := s
    offset := at.resized
  }
  val fault = sections.fault || far.io.error || map.io.error || image.io.denied
  private val problems = Seq[(Bool, Bits, UInt)](
    (fault, B(Status.BusFault.code, Status.Width bits), U(0)),
    (values.io.failed, values.io.status, values.io.offset),
    (shapes.io.error, B(Status.BadLayout.code, Status.Width bits), shapes.io.offset),
    (layouts.io.error, B(Status.BadLayout.code, Status.Width bits), layouts.io.offset),
    (references.io.error, B(Status.BadReference.code, Status.Width bits), references.io.offset),
    (targets.io.error, B(Status.BadReference.code, Status.Width bits), targets.io.offset),
    (far.io.missing, B(Status.BadReference.code, Status.Width bits), far.io.offset))
  val problem = problems.map(_._1).orR
  val done = layouts.io.done && values.io.done && references.io.done && shapes.io.idle && targets.io.idle &&
    far.io.idle && map.io.complete && image.io.done

  /** Skyway's path through the parts that both modes use. */
  val moving = c.skyway generate new MovingPath(this)
  if (!c.skyway) {
    values.io.word << sections.valueWords
    map.io.size << scanner.io.size
    map.io.ended := scanner.io.ended
    targets.io.pair << references.io.pair
  }
  val idle = sections.readers.map(_.io.idle).andR && far.io.idle && map.io.idle && image.io.idle
  /** Bytes of the map in the work area, in whole blocks, for an image that exceeds the part of the map on the chip. */
  val mapBytes = RegNext(
    (((shape.bytes +^ U(64 * m.blockBytes - 1)) >> log2Up(64 * m.blockBytes)) << log2Up(m.blockBytes)).resize(32))
  private val workSize = workLimit -^ work
  val mapFits =
    RegNext(!moves && header.io.graph <= 64 * c.startsBytes || !workSize.msb && mapBytes <= workSize.resize(32))

  val fsm = new StateMachine {
    val waiting = new State with EntryPoint
    val check, ask, take, look, judge, running, ending, report = new State
    val walking = new State

    waiting.whenIsActive {
      status := Status.Ok.code
      offset := 0
      header.io.start := True
      when(io.port.command.valid) { goto(check) }
    }
    check.whenIsActive {
      goto(ask)
      if (c.skyway) when(moves) { goto(look) }
      when(command.operation =/= Operation.CerealReadObject.code && !moves) {
        fail(Status.BadCommand.code, U(0))
        goto(report)
      } elsewhen
        (moves &&
          (input(5 downto 0) =/= 0 || length(2 downto 0) =/= 0) || input(3 downto 0) =/= 0 ||
          !moves && base(3 downto 0) =/= 0 || work(5 downto 0) =/= 0) {
          fail(Status.BadAlignment.code, U(0))
          goto(report)
        } elsewhen (end.msb) {
          fail(Status.OutOfBounds.code, U(0))
          goto(report)
        } elsewhen (moves && length === 0) {
          fail(Status.BadCommand.code, U(0))
          goto(report)
        } elsewhen (moves && (length >> CerealFormat.GraphBits) =/= 0) {
          fail(Status.Unsupported.code, U(0))
          goto(report)
        } elsewhen (!moves && length < CerealFormat.Header.Size) {
          fail(Status.BadStream.code, U(0))
          goto(report)
        }
    }
    ask.whenIsActive {
      when(sections.askHeader()) { goto(take) }
    }
    take.whenIsActive {
      sections.readsHeader := True
      when(fault) {
        fail(Status.BusFault.code, U(0))
        goto(ending)
      } elsewhen (header.io.complete) {
        goto(look)
      }
    }
    // Waits until sums and comparisons have settled.
    val settling = Reg(UInt(2 bits)) init 0
    look.whenIsActive {
      settling := settling + 1
      when(settling.andR) { goto(judge) }
    }
    judge.whenIsActive {
      when(!moves && header.io.status =/= Status.Ok.code) {
        fail(header.io.status, header.io.offset)
        goto(ending)
      } elsewhen (!mapFits) {
        fail(Status.WorkFull.code, U(0))
        goto(ending)
      } elsewhen (moves) {
        run := True
        goto(walking)
      } otherwise {
        start := True
        run := True
        goto(running)
      }
    }
    if (c.skyway) walking.whenIsActive {
      when(moving.ended) {
        status := moving.status
        run := False
        goto(ending)
      }
    }
    running.whenIsActive {
      for ((condition, s, at) <- problems.reverse) when(condition) { fail(s, at) }
      when(problem) {
        run := False
        goto(ending)
      } elsewhen (done) {
        run := False
        goto(ending)
      }
    }
    // A read that was requested in the last cycle of `run` is under way only one cycle later.
    val stopped = RegNext(isActive(ending)) init False
    ending.whenIsActive {
      sections.abort := True
      when(idle && stopped) {
        goto(report)
        when(guard.violated && !failed) { fail(Status.OutOfBounds.code, U(0)) }
      }
    }
    report.whenIsActive {
      when(io.port.completion.ready) { goto(waiting) }
    }
  }

  io.port.command.ready := fsm.isActive(fsm.waiting)
  when(io.port.command.fire) { command := io.port.command.payload }
  io.port.completion.valid := fsm.isActive(fsm.report)
  io.port.completion.tag := command.tag
  io.port.completion.status := status
  private val results =
    Seq(failed ? B(0, 32 bits) | base.asBits, failed ? base.asBits | (base + header.io.graph).asBits,
      failed ? B(0, 32 bits) | header.io.total.asBits, (offset << 4).asBits)
  for (i <- results.indices) io.port.completion.results(i) :=
    (if (c.skyway) moves ? moving.results(i) | results(i) else results(i))

  io.port.activity.busy := !fsm.isActive(fsm.waiting)
  io.port.activity.tableStall := False
  io.port.activity.readStall := sections.readsHeader ||
    run &&
    (values.io.starving && sections.values.io.waiting || references.io.starving && sections.references.io.waiting ||
      targets.io.waiting)
  io.port.activity.writeStall := run && image.io.waiting

  /** The masters with their parameters, for the fabric to merge. */
  def buses: Seq[(NodeParameters, Bus)] =
    sections.readers.map(_.node).zip(Seq(io.values, io.references, io.layouts, io.scan)) ++
      Seq(far.queue.node -> io.starts, map.node -> io.written, image.writer.node -> io.objects)
}
