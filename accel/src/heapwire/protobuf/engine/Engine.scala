package heapwire.protobuf.engine

import heapwire.memory._
import heapwire.protobuf.EngineParameter
import heapwire.protobuf.engine.command.{Command, CommandEnd, Faults, Runtime}
import heapwire.protobuf.engine.fields.{FieldInstructions, FieldSequence}
import heapwire.protobuf.engine.memory.{GranuleCache, WriteBuffer}
import heapwire.protobuf.engine.message._
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.{Program, SlotModel}
import heapwire.protobuf.engine.read.{Copier, FieldLookup, InputStream, Window}
import heapwire.protobuf.engine.write.WriterPath
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The protobuf engine (docs/reference/units/protobuf.md): reads and writes messages. One command at a time, or one
  * sequence of field instructions; a command begins while the writes of the one before are on their way.
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
  *
  * @param model the object model whose program is in the slot at first. Nothing else depends on it.
  */
case class Engine(p: EngineParameter, m: MemoryParameter, model: SlotModel = SlotModel.Nanopb) extends Component {
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

  // ---- the microprogram, and what it is told to do ----------------------------------------------------------
  private val image = Program.assemble(p.fields, p.views, model)
  val sequencer = MicroSequencer(image.words, Kind.all)
  val execution = new Execution(image, sequencer, Program.has(p.fields))
  val instructions =
    Option.when(p.fields)(new FieldInstructions(p.fieldQueue, io.fields, io.port.command.valid, execution))
  val command = new Command(p, m, io.port, Option(io.argument), execution, instructions.map(_.opening))
  val guard = WriteGuard(m, writes.node, writes.io.bus, io.objects)(
    command.writable.map(range => range.base -> range.limit): _*)

  // ---- the open message, its current field, and its open list -----------------------------------------------
  val window = Window(wide = m.dataWidth > 32)
  val lookup = FieldLookup()
  val writer = WriterPath()
  private val scanner = writer.io
  val message = new OpenMessage(p.levelWidth, lookup.io.slots, execution, command)
  val current = new CurrentField(execution, command, message, window, lookup, scanner, cache.io.data,
    instructions.map(_.head.fieldType))
  val list = new OpenList(execution, command, message, current, scanner)
  val runtime = new Runtime(m, io.port.registers, execution, list.shape.kind)
  val reads = new CacheReads(cache, execution, command, message, current, list, lookup, scanner)
  cache.io.tables := runtime.tables
  sequencer.io.load.valid := runtime.program && command.untouched
  sequencer.io.load.payload.assignFromBits(io.port.registers.value.resized)
  cache.io.invalidate := io.port.registers.valid
  val hasbits = new MessageHasbits(p.levelWidth, execution, command, message, current, list, scanner, reads.words,
    reads.headerComes)

  // ---- who carries out what ---------------------------------------------------------------------------------
  val copier = Copier(takes = m.wordBytes min 8)
  val stores = new Stores(writes, copier, execution, command, message, current, list, writer)
  val steps = new Steps(execution, message, current, list, hasbits, stores)
  val handover = new Handover(sequencer, execution, command, message, current, writer, steps.slow, instructions)
  Flags.change(execution, command, message)
  val streams = new Streams(stream, window, copier, execution, command, current, steps.skips)
  val writing = new Writing(writer, execution, command, message, current, handover.scans, handover.outputFull,
    stores.finishing)
  private val allIdle = !stores.busy && !streams.busy && cache.io.idle && !cache.io.request.valid && !reads.pending
  /** All that the command before has written is in memory. If no other one has begun, nothing is read ahead either. */
  private val quiet = allIdle || !stores.busy && !command.idle
  val end = new CommandEnd(io.port, execution, command,
    Faults(outOfBounds = guard.io.violation, input = RegNext(window.io.fault) init False,
      text = streams.utf8.io.error, write = writes.io.error, unread = reads.unread, badTable = reads.outside),
    current.step.status, quiet)
  private val starves = current.stepping && !current.stepValid
  io.port.activity.busy := !command.idle && !command.inSequence || command.draining
  io.port.activity.readStall := starves && (window.io.starving || lookup.io.waiting) || reads.pending
  io.port.activity.tableStall := starves && !window.io.starving && lookup.io.waiting || reads.pending && !reads.isObject
  io.port.activity.writeStall := stores.blocked || execution.wants(Act.flush)
  val sequence = instructions.map(new FieldSequence(io.fields, _, execution, command, message, current,
      handover.outputFull, io.port.activity))

  // ---- what the program reads, and on what it branches ------------------------------------------------------
  val datapath = new Datapath(execution,
    command.words ++ message.words(reads.words) ++ current.words ++ list.words ++ reads.outsideWords ++ hasbits.words ++
      streams.words ++ writing.words ++ sequence.map(_.words).getOrElse(Map.empty),
    current.halves, runtime.word, rounds = !command.writing)
  private val ofFields: Map[Cond, Bool] = sequence.fold(Cond.ofFields.map(_ -> False).toMap)(of =>
    of.conditions ++ current.ofInstruction)
  sequencer.io.taken := Branch.taken(execution,
    datapath.conditions ++ command.conditions ++ message.conditions(reads.words) ++ current.conditions ++
      list.conditions ++ reads.conditions ++ hasbits.conditions ++ stores.conditions ++ handover.conditions ++
      streams.conditions ++ writing.conditions ++ ofFields +
      (Cond.allIdle -> (RegNext(allIdle) init False)))

  /** The masters with their parameters, for the fabric to merge. */
  def buses: Seq[(NodeParameters, Bus)] =
    Seq(stream.node -> io.input, cache.node -> io.table, writes.node -> io.objects)
}
