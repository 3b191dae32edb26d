package heapwire.protobuf

import heapwire.memory._
import heapwire.protobuf.execute.Executor
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The protobuf deserializer: bytes in, managed objects out (docs/units/protobuf.md).
  *
  * {{{
  *  input -> Reader -> Parser (window) -> KeyDecoder -> Lookup -> FieldDecoder -> Executor -> WritePacker -> WriteGuard -> WriteCombiner -> objects
  *                        ^ directive                  BlockCache <- tables        |  Sequencer, Mover, Hasbits
  *                        +--------------------------------------------------------+
  * }}}
  *
  * One command at a time. Four TileLink masters: `input`, `table` and `list`
  * read, `objects` writes.
  */
case class Deserializer(p: ProtobufParameter, m: MemoryParameter) extends Component {
  val reader = Reader(m, p.reads(m))
  val listReader = Reader(m, p.listReads, allocate = true)
  val cache = BlockCache(m, p.cacheBytes)
  val combiner = WriteCombiner(m, p.combined(m))
  val io = new Bundle {
    val port = slave(UnitPort(p.tagWidth))
    val input = master(Bus(reader.queue.node))
    val list = master(Bus(listReader.queue.node))
    val table = master(Bus(cache.node))
    val objects = master(Bus(combiner.node))
  }
  io.input << reader.io.bus
  io.list << listReader.io.bus
  io.table << cache.io.bus
  io.objects << combiner.io.bus

  val parser = Parser(m)
  val lookup = Lookup()
  val executor = Executor(p, m)
  val packer = WritePacker(m, executor.io.write.bytes)
  val guard = WriteGuard(m)
  private val kill = executor.io.kill

  executor.io.port <> io.port
  parser.io.start.valid := executor.io.start.valid
  parser.io.start.payload := executor.io.start.length
  parser.io.directive << executor.io.directive.stage()
  parser.io.kill := kill
  parser.io.word << reader.io.word
  reader.io.abort := kill
  val readCommand = new Area {
    val pending = RegInit(False)
    when(executor.io.start.valid && executor.io.start.length =/= 0) { pending := True }
    when(reader.io.command.fire || kill) { pending := False }
    reader.io.command.valid := pending && !kill
    reader.io.command.address := executor.io.start.address
    reader.io.command.length := executor.io.start.length
  }

  val token = parser.io.token.map(KeyDecoder(_)).m2sPipe(flush = kill)
  lookup.io.token << token
  lookup.io.table := executor.io.table
  lookup.io.ready := executor.io.tableReady
  lookup.io.bypass := executor.io.skipping
  lookup.io.kill := kill
  lookup.io.blocked := executor.io.header.valid
  cache.io.request << (executor.io.header.valid ? executor.io.header | lookup.io.request)
  cache.io.prefetch.valid := executor.io.prefetch.valid
  cache.io.prefetch.address := executor.io.prefetch.payload
  cache.io.prefetch.blocks := executor.io.prefetchBlocks
  cache.io.limit := executor.io.tableLimit
  cache.io.invalidate := executor.io.invalidate
  cache.io.clear := executor.io.start.valid
  lookup.io.hit := cache.io.hit
  lookup.io.data := cache.io.data
  lookup.io.fault := cache.io.fault

  val found = lookup.io.found.s2mPipe(flush = kill).m2sPipe(flush = kill)
  val remembered = RegNextWhen(found.entry, found.fire && found.token.kind === TokenKind.Field)
  val declared = DeclaredValues()
  declared.io.add << executor.io.declared
  declared.io.invalidate := executor.io.invalidate
  val step = found.map(FieldDecoder(_, remembered, executor.io.table, executor.io.skipping, declared)).m2sPipe(flush = kill)
  executor.io.step << step
  executor.io.chunk << parser.io.chunk
  executor.io.cacheHit := cache.io.hit
  executor.io.cacheFault := cache.io.fault
  executor.io.cacheData := cache.io.data
  executor.io.cacheIdle := cache.io.idle
  executor.io.position := parser.io.position
  executor.io.starving := parser.io.starving
  executor.io.lookupWaiting := lookup.io.waiting
  executor.io.readFault := reader.io.word.fire && reader.io.word.error
  executor.io.writeFault := combiner.io.error
  executor.io.violation := guard.io.violation
  executor.io.readersIdle := reader.io.idle && !readCommand.pending && listReader.io.idle

  listReader.io.command << executor.io.listRead
  listReader.io.abort := kill
  executor.io.listWord << GranuleReader(m, listReader.io.word, kill)

  // The road's ready ends here, and does not reach the executor.
  val write = executor.io.write.s2mPipe().m2sPipe()
  packer.io.input << write
  guard.io.arenas := executor.io.arenas
  guard.io.input << packer.io.output
  combiner.io.write << guard.io.output
  combiner.io.flush := executor.io.flush
  combiner.io.drop := executor.io.drop
  combiner.io.streaming := executor.io.streaming
  executor.io.pathIdle := executor.io.write.ready && !write.valid && !packer.io.busy && !guard.io.busy
  executor.io.combinerIdle := combiner.io.idle

  /** The masters with their parameters, to be merged into a fabric. */
  def buses: Seq[(NodeParameters, Bus)] = Seq(
    reader.queue.node -> io.input, cache.node -> io.table, listReader.queue.node -> io.list, combiner.node -> io.objects)
}
