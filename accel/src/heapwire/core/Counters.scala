package heapwire.core

import heapwire.isa.Information
import heapwire.memory.{Traffic, UnitActivity}
import spinal.core._
import spinal.lib._

/** Memory words asked of DRAM, and sent there, in a cycle. */
case class DramActivity() extends Bundle {
  val reads, writes = UInt(3 bits)
}

/** What happens to one kind of unit, counted: see [[Information.counters]]. Cycles of
  * several units add up. Inputs are registered; counters wrap at 2^32.
  */
case class Counters(units: Int) extends Component {
  val io = new Bundle {
    val command = in Bool ()
    val activity = in Vec (UnitActivity(), units)
    val traffic = in(Traffic())
    val values = out Vec (UInt(32 bits), Information.CounterStride)
  }
  private def cycles(level: UnitActivity => Bool) = CountOne(RegNext(Vec(io.activity.map(level)).asBits) init 0)
  private val traffic = RegNext(io.traffic)
  private val increments = Map[Information.Counter, UInt](
    Information.Commands -> io.command.asUInt,
    Information.BusyCycles -> cycles(_.busy),
    Information.ReadStallCycles -> cycles(_.readStall),
    Information.WriteStallCycles -> cycles(_.writeStall),
    Information.ReadBytes -> traffic.readBytes,
    Information.WrittenBytes -> traffic.writtenBytes,
    Information.TableStallCycles -> cycles(_.tableStall))
  for (counter <- Information.counters) {
    val value = Reg(UInt(32 bits)) init 0
    value := value + increments(counter).resized
    value.setName(counter.name)
    io.values(counter.index) := value
  }
}
