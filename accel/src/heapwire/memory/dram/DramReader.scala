package heapwire.memory.dram

import heapwire.memory.{BlockQueue, LiteDramParameter, LiteDramReadPort, MemoryParameter, ShortQueue}
import spinal.core._
import spinal.lib._

/** The reads of one stripe. The oldest read waits until LiteDRAM has accepted the write that the read depends on
  * (`after`). No command is sent unless there is room for its data. Words come in the order of the reads.
  *
  * `enable` gates new commands; an offered command stays offered. Latency: 3 cycles to the port, 2 from it.
  */
case class DramReader(p: MemoryParameter, dram: LiteDramParameter) extends Component {
  private val words = p.wordsPerBlock
  private val room = 16 * words
  val io = new Bundle {
    val fetch = slave(Flow(Fetch(p, dram)))
    /** There is room for [[DramRoad.Margin]] fetches; two cycles old. */
    val roomy = out(Bool())
    /** The queue is more than half full. Only the core should request more reads. */
    val pressed = out(Bool())
    val writes = in(Sequence(dram))
    val enable = in(Bool())
    /** The oldest read waits for a write. */
    val hazard = out(Bool())
    /** Commands wait for `enable` or for LiteDRAM, not for room in the buffer. While this is low, writes may have their
      * turn.
      */
    val pending = out(Bool())
    /** The last command of a read leaves. */
    val moved = out(Bool())
    val data = master(Stream(Bits(p.dataWidth bits)))
    val port = master(LiteDramReadPort(dram.wordAddressWidth(p), p.dataWidth))
  }
  val queue = ShortQueue(new Span(p, dram), DramReader.Depth)
  queue.io.push.valid := io.fetch.valid
  queue.io.push.payload.assignSomeByName(io.fetch.payload)
  io.roomy := RegNext(queue.io.count <= DramReader.Depth - DramRoad.Margin) init False
  io.pressed := RegNext(queue.io.count > DramReader.Depth / 2) init False

  val head = queue.io.pop.m2sPipe()
  val newest = head.isStall ? head.payload | queue.io.pop.payload
  val waits = RegInit(False)
  waits := (head.isStall ? waits | newest.pending) && io.writes.isPending(newest.after)
  io.hazard := waits && head.valid

  val beat = Reg(UInt(log2Up(words) bits)) init 0
  val word = head.first | beat
  /** Words that are in the buffer, on their way, or about to be requested. */
  val reserved = Reg(UInt(log2Up(room + 1) bits)) init 0
  val full = reserved.msb
  val commands = Stream(UInt(dram.wordAddressWidth(p) bits))
  commands.valid := head.valid && io.enable && !io.hazard && !full
  commands.payload := head.block @@ word
  head.ready := commands.fire && word === head.last
  io.moved := head.fire
  when(commands.fire) { beat := head.ready ? U(0) | (beat + 1) }

  val command = commands.m2sPipe()
  io.port.cmd_valid := command.valid
  io.port.cmd_addr := command.payload
  command.ready := io.port.cmd_ready
  io.pending := head.valid && !full || command.valid

  val buffer = BlockQueue(Bits(p.dataWidth bits), room)
  buffer.io.push.valid := io.port.rdata_valid
  buffer.io.push.payload := io.port.rdata_data
  io.port.rdata_ready := True
  io.data << buffer.io.pop
  reserved := reserved + commands.fire.asUInt - io.data.fire.asUInt
}

object DramReader {
  val Depth = 16
}
