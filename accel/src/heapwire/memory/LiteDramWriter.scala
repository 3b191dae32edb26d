package heapwire.memory

import spinal.core._
import spinal.lib._

/** One word to write, at its place within a block. */
case class WordWrite(p: MemoryParameter, addressWidth: Int) extends Bundle {
  val address = UInt(addressWidth bits)
  val data = Bits(p.dataWidth bits)
  val mask = Bits(p.wordBytes bits)
}

/** One stripe's writes: takes words at once, remembers which blocks are not yet
  * LiteDRAM's, and sends them when `enable`d. LiteDRAM orders a read behind a
  * write of the same bank once it has accepted the write's command, so a block
  * counts as pending until then.
  */
case class LiteDramWriter(p: MemoryParameter, dram: LiteDramParameter) extends Component {
  private val addressWidth = dram.wordAddressWidth(p)
  private val blockShift = log2Up(p.wordsPerBlock)
  private val room = dram.writeBlocks * p.wordsPerBlock

  val io = new Bundle {
    val write = slave(Stream(Fragment(WordWrite(p, addressWidth))))
    val enable = in Bool()
    /** Words are waiting. */
    val pending = out Bool()
    /** A burst's last command leaves. */
    val moved = out Bool()
    /** Half of the room is taken. */
    val pressing = out Bool()
    /** Is this block pending? */
    val query = in UInt (addressWidth - blockShift bits)
    val hit = out Bool()
    val port = master(dram.writePort(p))
  }

  /** Bursts that are pending, one slot a burst, as a ring. */
  val ring = new Area {
    val valid = RegInit(B(0, dram.writeBlocks bits))
    val block = Vec.fill(dram.writeBlocks)(Reg(UInt(addressWidth - blockShift bits)))
    val head, tail = Reg(UInt(log2Up(dram.writeBlocks) bits)) init 0
    val full = valid(head)
    io.hit := block.zipWithIndex.map { case (b, i) => valid(i) && b === io.query }.orR
  }

  val first = RegNextWhen(io.write.last, io.write.fire) init True
  val accepted = io.write.haltWhen(first && ring.full)
  when(accepted.fire && first) {
    ring.valid(ring.head) := True
    ring.block(ring.head) := accepted.address >> blockShift
    ring.head := ring.head + 1
  }

  // Together, so that no command leaves before its data has arrived.
  val (toCommand, toData) = StreamFork2(accepted, synchronous = true)
  case class Command() extends Bundle {
    val address = UInt(addressWidth bits)
    val last = Bool()
  }
  val commands = StreamFifo(Command(), room, latency = 2)
  commands.io.push.arbitrationFrom(toCommand)
  commands.io.push.address := toCommand.address
  commands.io.push.last := toCommand.last

  val data = StreamFifo(WordWrite(p, 0), room, latency = 2)
  data.io.push.arbitrationFrom(toData)
  data.io.push.data := toData.data
  data.io.push.mask := toData.mask
  data.io.push.address := 0
  io.port.wdata_valid := data.io.pop.valid
  io.port.wdata_data := data.io.pop.data
  io.port.wdata_we := data.io.pop.mask
  data.io.pop.ready := io.port.wdata_ready

  val command = commands.io.pop.continueWhen(io.enable).m2sPipe()
  io.port.cmd_valid := command.valid
  io.port.cmd_addr := command.address
  command.ready := io.port.cmd_ready
  io.moved := command.fire && command.last
  when(io.moved) {
    ring.valid(ring.tail) := False
    ring.tail := ring.tail + 1
  }

  io.pending := commands.io.pop.valid || command.valid
  io.pressing := RegNext(commands.io.occupancy >= room / 2) init False
}
