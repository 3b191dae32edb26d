package heapwire.memory.dram

import heapwire.memory.{BlockQueue, LiteDramParameter, LiteDramWritePort, MemoryParameter}
import spinal.core._
import spinal.lib._

/** The writes of one stripe. Words are always taken: a block may be decided (`decide`) only while at most
  * [[LiteDramParameter.pendingBlocks]] are pending. LiteDRAM keeps a read behind a write of the same bank once it has
  * accepted the write's command, so a block counts as drained from then on.
  */
case class DramWriter(p: MemoryParameter, dram: LiteDramParameter) extends Component {
  private val room = dram.writeBlocks * p.wordsPerBlock
  val io = new Bundle {
    val decide = in(Bool())
    val sequence = out(Sequence(dram))
    val word = slave(Flow(StoredWord(p, dram)))
    val enable = in(Bool())
    /** Words wait to be written. */
    val pending = out(Bool())
    /** The last command of a block leaves. */
    val moved = out(Bool())
    val port = master(LiteDramWritePort(dram.wordAddressWidth(p), p.dataWidth))
  }
  val decided, drained = Reg(UInt(dram.sequenceWidth bits)) init 0
  when(io.decide) { decided := decided + 1 }
  when(io.moved) { drained := drained + 1 }
  io.sequence.decided := decided
  io.sequence.drained := drained

  // Data and commands are queued in parallel, so that no command leaves before its data have arrived.
  val data = BlockQueue(Bits(p.dataWidth + p.wordBytes bits), room)
  data.io.push.valid := io.word.valid
  data.io.push.payload := io.word.mask ## io.word.data
  // The data leave from registers: block RAM is slow, and LiteDRAM leads them to its PHY, which may run at twice the
  // clock rate.
  val leaving = data.io.pop.m2sPipe()
  io.port.wdata_valid := leaving.valid
  io.port.wdata_data := leaving.payload.resized
  io.port.wdata_we := leaving.payload >> p.dataWidth
  leaving.ready := io.port.wdata_ready

  val commands = BlockQueue(Bits(1 + dram.wordAddressWidth(p) bits), room)
  commands.io.push.valid := io.word.valid
  commands.io.push.payload := io.word.last ## io.word.block ## io.word.word
  val command = commands.io.pop.continueWhen(io.enable).m2sPipe()
  io.port.cmd_valid := command.valid
  io.port.cmd_addr := command.payload.asUInt.resized
  command.ready := io.port.cmd_ready
  io.moved := command.fire && command.payload.msb
  io.pending := commands.io.pop.valid || command.valid
}
