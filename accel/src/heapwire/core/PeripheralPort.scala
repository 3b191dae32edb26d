package heapwire.core

import spinal.core._
import spinal.lib._
import spinal.lib.bus.wishbone.{Wishbone, WishboneConfig}

/** One access outside main memory.
  *
  * A `line` is the aligned 32 bytes around `address`, read as eight words; anything else is
  * one word, of which a write changes the bytes in `mask`.
  */
case class PeripheralCommand() extends Bundle {
  val write, line = Bool()
  val address = UInt(32 bits)
  val data = Bits(32 bits)
  val mask = Bits(4 bits)
}

/** One word; `last` ends the access. A write answers too, with no data. */
case class PeripheralResponse() extends Bundle {
  val data = Bits(32 bits)
  val error, last = Bool()
}

/** A master keeps one access outstanding. */
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

/** Takes the accesses of several masters, the first in the list first, one at a time, to a
  * Wishbone classic bus with word addresses. Every signal of that bus is registered; words
  * of a line follow each other without a gap. ERR (or ERR with ACK) is an error response.
  */
case class PeripheralPort(masters: Int) extends Component {
  val io = new Bundle {
    val masters = Vec.fill(PeripheralPort.this.masters)(slave(PeripheralBus()))
    val bus = master(Wishbone(PeripheralPort.wishbone))
  }
  val busy = RegInit(False)
  val chosen = StreamArbiterFactory().lowerFirst.noLock.build(PeripheralCommand(), masters)
  for ((port, i) <- io.masters.zipWithIndex) chosen.io.inputs(i) << port.cmd
  chosen.io.output.ready := !busy

  val active = RegNextWhen(chosen.io.output.payload, chosen.io.output.fire)
  val owner = RegNextWhen(chosen.io.chosen, chosen.io.output.fire)
  val word = Reg(UInt(3 bits))
  val strobe = RegInit(False)
  when(chosen.io.output.fire) {
    busy := True
    strobe := True
    word := chosen.io.output.line ? U(0, 3 bits) | chosen.io.output.address(4 downto 2)
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

  val answer = Flow(PeripheralResponse())
  answer.valid := done
  answer.data := io.bus.DAT_MISO
  answer.error := io.bus.ERR
  answer.last := last
  val registered = answer.m2sPipe()
  busy clearWhen (registered.valid && registered.last)
  for ((port, i) <- io.masters.zipWithIndex) {
    port.rsp.valid := registered.valid && owner === i
    port.rsp.payload := registered.payload
  }
}

/** One memory word of a cache line. */
case class LineWord(dataWidth: Int) extends Bundle {
  val data = Bits(dataWidth bits)
  val error = Bool()
}

/** Packs the words of a peripheral line into memory words. A single word is repeated on
  * every lane instead, so that it stands where its address says.
  */
object LineAssembler {
  def apply(words: Flow[PeripheralResponse], line: Bool, dataWidth: Int): Flow[LineWord] = new Composite(words, "assembled") {
    val lanes = dataWidth / 32
    val result = Flow(LineWord(dataWidth))
    if (lanes == 1) {
      result.valid := words.valid
      result.data := words.data
      result.error := words.error
    } else {
      val kept = Reg(Bits(dataWidth - 32 bits))
      val error = RegInit(False)
      val lane = RegInit(U(0, log2Up(lanes) bits))
      when(words.valid) {
        kept := (words.data ## kept) >> 32
        lane := line ? (lane + 1) | 0
        error := !result.valid && (error || words.error)
      }
      result.valid := words.valid && (!line || lane === lanes - 1)
      result.data := line ? (words.data ## kept) | B(List.fill(lanes)(words.data))
      result.error := words.error || error
    }
  }.result
}
