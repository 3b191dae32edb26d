package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** What moved in one cycle, to be added to counters. */
case class Traffic() extends Bundle {
  val readBytes, writtenBytes = UInt(8 bits)
}

object Traffic {
  /** Watches units' buses, as many as there are: all of them lead to the one arbiter of the [[Fabric]], so that in a cycle no more than one
    * beat passes each way, and what moved on all others is 0. Registered: two cycles behind them.
    */
  def of(buses: Seq[Bus]): Traffic = {
    val each = buses.map { bus =>
      val traffic = Traffic()
      val bytes = bus.p.dataBytes
      val read = bus.p.withDataD.mux(bus.d.fire && bus.d.opcode === Opcode.D.ACCESS_ACK_DATA, False)
      traffic.readBytes := read ? (bus.d.size >= log2Up(bytes)).mux(U(bytes, 8 bits), (U(1, 8 bits) |<< bus.d.size)) | U(0)
      if (bus.p.withDataA) {
        val write = bus.a.fire && Opcode.A.isPut(bus.a.opcode)
        traffic.writtenBytes := write ? CountOne(bus.a.mask).resize(8) | U(0)
      } else {
        traffic.writtenBytes := 0
      }
      RegNext(traffic)
    }
    val sum = Traffic()
    def only(field: Traffic => UInt) = each.map(field).reduceBalancedTree(_ | _)
    sum.readBytes := only(_.readBytes)
    sum.writtenBytes := only(_.writtenBytes)
    RegNext(sum)
  }
}
