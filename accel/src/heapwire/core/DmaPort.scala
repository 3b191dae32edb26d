package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.bus.wishbone.Wishbone

object DmaPort {
  def node(p: MemoryParameter): NodeParameters = p.master("dma", sources = 1, get = true, put = true)
}

/** Wishbone classic slave (32 bits, word addresses) for DMA masters of the SoC. It enters the fabric like a unit, so
  * its writes invalidate blocks in the core's data cache before they are acknowledged. One access at a time. An access
  * to an address outside main memory answers ERR.
  */
case class DmaPort(p: MemoryParameter) extends Component {
  val io = new Bundle {
    val bus = slave(Wishbone(PeripheralPort.wishbone))
    val memory = master(Bus(DmaPort.node(p)))
  }
  val asking = io.bus.CYC && io.bus.STB
  val requested, waiting, ack, err = RegInit(False)
  val data = Reg(Bits(32 bits))
  val address = Reg(UInt(30 bits))
  val write = Reg(Bool())
  val payload = Reg(Bits(32 bits))
  val select = Reg(Bits(4 bits))

  ack := False
  err := False
  when(asking && !requested && !waiting && !ack && !err) {
    requested := True
    address := io.bus.ADR
    write := io.bus.WE
    payload := io.bus.DAT_MOSI
    select := io.bus.SEL
  }

  private val lanes = p.dataWidth / 32
  private val laneWidth = log2Up(lanes)
  io.memory.a.valid := requested
  io.memory.a.opcode := write ? Opcode.A.PUT_PARTIAL_DATA() | Opcode.A.GET()
  io.memory.a.param := 0
  io.memory.a.source := 0
  io.memory.a.address := address << 2
  io.memory.a.size := 2
  io.memory.a.mask :=
    (if (lanes == 1) select else (select << (address(laneWidth - 1 downto 0) << 2)).resize(p.wordBytes))
  io.memory.a.data := B(List.fill(lanes)(payload))
  io.memory.a.corrupt := False
  when(io.memory.a.fire) {
    requested := False
    waiting := True
  }

  // If the master gave up its access meanwhile, the next access must not get this one's answer.
  val gone = RegInit(False) setWhen ((requested || waiting) && !asking)
  io.memory.d.ready := True
  when(io.memory.d.valid) {
    waiting := False
    gone := False
    ack := asking && !gone && !io.memory.d.denied
    err := asking && !gone && io.memory.d.denied
    data :=
      (if (lanes == 1) io.memory.d.data
       else io.memory.d.data.subdivideIn(32 bits).read(address(laneWidth - 1 downto 0)))
  }
  io.bus.ACK := ack
  io.bus.ERR := err
  io.bus.DAT_MISO := data
}
