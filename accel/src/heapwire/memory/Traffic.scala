package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The bytes moved in one cycle, for the counters. */
case class Traffic() extends Bundle {
  val readBytes, writtenBytes = UInt(8 bits)
}

object Traffic {
  /** Watches the buses of units, any number of them. All lead to the one arbiter of the [[Fabric]], so at most one beat
    * passes per cycle and direction, and the others contribute 0. The result is two cycles behind the buses.
    */
  def of(buses: Seq[Bus]): Traffic = {
    val each = buses.map { bus =>
      val traffic = Traffic()
      val bytes = bus.p.dataBytes
      val read = bus.p.withDataD.mux(bus.d.fire && bus.d.opcode === Opcode.D.ACCESS_ACK_DATA, False)
      traffic.readBytes := read ? (bus.d.size >= log2Up(bytes)).mux(U(bytes, 8 bits), (U(1, 8 bits) |<< bus.d.size)) |
        U(0)
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
