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
  private val room = dram.writes(p) * p.wordsPerBlock

  val io = new Bundle {
    val write = slave(Stream(Fragment(WordWrite(p, addressWidth))))
    val enable = in Bool()
    /** Words are waiting. */
    val pending = out Bool()
    /** A burst's last command leaves. */
    val moved = out Bool()
    /** Half of the room is taken. */
    val pressing = out Bool()
    /** A block that is asked about, and from the next cycle on: is it still pending? A write of it that comes later does not count. */
    val query = slave(Flow(UInt(addressWidth - blockShift bits)))
    val hit = out Bool()
    val port = master(dram.writePort(p))
  }

  /** Bursts that are pending, one slot a burst, as a ring. */
  val ring = new Area {
    val valid = RegInit(B(0, dram.writes(p) bits))
    val block = Vec.fill(dram.writes(p))(Reg(UInt(addressWidth - blockShift bits)))
    val head, tail = Reg(UInt(log2Up(dram.writes(p)) bits)) init 0
    val full = valid(head)
    val asked = Reg(Bits(dram.writes(p) bits))
    val same = B(block.map(_ === io.query.payload))
    // A slot that is set free is empty for a cycle at least.
    asked := (io.query.valid ? same | asked) & valid
    io.hit := asked.orR
  }

  val data = StreamFifo(WordWrite(p, 0), room, latency = 2)
  /** As things stood a cycle before, in which a word may have come. */
  val roomy = RegNext(data.io.availability > 1) init False
  val first = RegNextWhen(io.write.last, io.write.fire) init True
  val accepted = io.write.haltWhen(first && ring.full || !roomy)
  when(accepted.fire && first) {
    ring.valid(ring.head) := True
    ring.block(ring.head) := accepted.address >> blockShift
    ring.head := ring.head + 1
  }

  // Together, so that no command leaves before its data has arrived. A burst's words have room among the commands, which
  // leave before its slot is set free, but data stay longer.
  case class Command() extends Bundle {
    val address = UInt(addressWidth bits)
    val last = Bool()
  }
  val commands = StreamFifo(Command(), room, latency = 2)
  commands.io.push.valid := accepted.fire
  commands.io.push.address := accepted.address
  commands.io.push.last := accepted.last

  data.io.push.valid := accepted.fire
  data.io.push.data := accepted.data
  data.io.push.mask := accepted.mask
  data.io.push.address := 0
  accepted.ready := True
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
