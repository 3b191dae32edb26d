package heapwire.memory

import spinal.core._
import spinal.lib._

/** A read of consecutive words inside one block. */
case class BlockRead(p: MemoryParameter, addressWidth: Int) extends Bundle {
  /** First word. */
  val address = UInt(addressWidth bits)
  /** Words, minus one. */
  val beats = UInt(log2Up(p.wordsPerBlock) bits)
}

/** One stripe's reads: turns block reads into word commands and keeps the data
  * until it is taken. Never sends a command whose data would find no room.
  *
  * `enable` gates new commands; a command once offered stays until accepted.
  */
case class LiteDramReader(p: MemoryParameter, dram: LiteDramParameter) extends Component {
  private val addressWidth = dram.wordAddressWidth(p)
  private val room = dram.reads(p) * p.wordsPerBlock

  val io = new Bundle {
    val read = slave(Stream(BlockRead(p, addressWidth)))
    val data = master(Stream(Bits(p.dataWidth bits)))
    val enable = in Bool()
    /** Commands are waiting for `enable` or for LiteDRAM. */
    val pending = out Bool()
    /** A block's last command leaves. */
    val moved = out Bool()
    val port = master(dram.readPort(p))
  }

  val beat = Reg(io.read.beats) init 0
  val last = beat === io.read.beats
  /** Words that are in the fifo, on their way, or about to be asked for. */
  val reserved = Reg(UInt(log2Up(room + 1) bits)) init 0

  val words = Stream(UInt(addressWidth bits))
  words.valid := io.read.valid && io.enable && reserved =/= room
  words.payload := io.read.address + beat
  io.read.ready := words.fire && last
  io.moved := io.read.fire
  when(words.fire) { beat := last ? U(0) | (beat + 1) }

  val command = words.m2sPipe()
  io.port.cmd_valid := command.valid
  io.port.cmd_addr := command.payload
  command.ready := io.port.cmd_ready
  io.pending := io.read.valid || command.valid

  val fifo = StreamFifo(Bits(p.dataWidth bits), room, latency = 2)
  fifo.io.push.valid := io.port.rdata_valid
  fifo.io.push.payload := io.port.rdata_data
  io.port.rdata_ready := True
  fifo.io.pop >> io.data
  reserved := reserved + words.fire.asUInt - io.data.fire.asUInt
}
