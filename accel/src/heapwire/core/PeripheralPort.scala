package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.wishbone.{Wishbone, WishboneConfig}

/** One access outside main memory.
  *
  * A `line` access reads the aligned 32 bytes around `address` as eight words. Any other access is of one word; a write
  * changes the bytes in `mask`.
  */
case class PeripheralCommand() extends Bundle {
  val write, line = Bool()
  val address = UInt(32 bits)
  val data = Bits(32 bits)
  val mask = Bits(4 bits)
}

/** A memory word of a line, or a single word. `last` ends the access. A write is answered too, without data. */
case class PeripheralResponse() extends Bundle {
  val error, last = Bool()
}

/** The bus of one master, with one outstanding access. A response's data are not part of it: they come on the lines of
  * main memory's data ([[CoreRoad]]).
  */
case class PeripheralBus() extends Bundle with IMasterSlave {
  val cmd = Stream(PeripheralCommand())
  val rsp = Flow(PeripheralResponse())

  override def asMaster(): Unit = {
    master(cmd)
    slave(rsp)
  }
}

object PeripheralPort {
  val wishbone = WishboneConfig(addressWidth = 30, dataWidth = 32, selWidth = 4, useERR = true)
}

/** Carries the accesses of two masters, one at a time, to a Wishbone classic bus with word addresses. The first master
  * has priority; the second one only reads lines. Requests and responses pass a register. The words of a line follow
  * each other without a gap. ERR (or ERR with ACK) is an error response.
  *
  * `words` carries the data of a response to either master. For a line it is a memory word. A single word is repeated
  * on every lane, so that it is on the lane of its address.
  */
case class PeripheralPort(p: MemoryParameter) extends Component {
  val io = new Bundle {
    val masters = Vec.fill(2)(slave(PeripheralBus()))
    val words = master(Flow(Bits(p.dataWidth bits)))
    val bus = master(Wishbone(PeripheralPort.wishbone))
  }
  val busy = RegInit(False)
  val chosen = Stream(PeripheralCommand())
  private val (first, second) = (io.masters(0).cmd, io.masters(1).cmd)
  chosen.valid := first.valid || second.valid
  chosen.payload := first.payload
  when(!first.valid) {
    chosen.write := False
    chosen.line := True
    chosen.address := second.address
  }
  chosen.ready := !busy
  first.ready := chosen.ready
  second.ready := chosen.ready && !first.valid

  val active = RegNextWhen(chosen.payload, chosen.fire)
  val owner = RegNextWhen((!first.valid).asUInt, chosen.fire)
  val word = Reg(UInt(3 bits))
  val strobe = RegInit(False)
  when(chosen.fire) {
    busy := True
    strobe := True
    word := chosen.line ? U(0, 3 bits) | chosen.address(4 downto 2)
  }

  io.bus.CYC := strobe
  io.bus.STB := strobe
  io.bus.WE := active.write
  io.bus.ADR := active.address(31 downto 5) @@ word
  io.bus.DAT_MOSI := active.data
  io.bus.SEL := active.write ? active.mask | B"1111"

  val done = strobe && (io.bus.ACK || io.bus.ERR)
  val last = !active.line || word === word.maxValue
  when(done) {
    word := word + 1
    strobe clearWhen last
  }

  busy clearWhen RegNext(done && last, False)

  private val lanes = p.dataWidth / 32
  private def at(i: Int) = if (lanes == 1) True else !active.line || word.resize(log2Up(lanes)) === i
  val error = Reg(Bool())
  when(done) { error := io.bus.ERR || error && !at(0) }
  io.words.valid := RegNext(done && at(lanes - 1)) init False
  io.words.payload := Vec((0 until lanes).map(i => RegNextWhen(io.bus.DAT_MISO, done && at(i)))).asBits
  for ((port, i) <- io.masters.zipWithIndex) {
    port.rsp.valid := io.words.valid && owner === i
    port.rsp.error := error
    port.rsp.last := RegNext(last)
  }
}
