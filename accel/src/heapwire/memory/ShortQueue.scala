package heapwire.memory

import spinal.core._
import spinal.lib._

/** A queue in LUT RAM with a power-of-two number of places. It has no flush and only `count` besides push and pop, and
  * takes half the logic of SpinalHDL's queue. An item comes out one cycle after it went in at the earliest. `count` is
  * the number of items in it.
  */
case class ShortQueue[T <: Data](payload: HardType[T], depth: Int) extends Component {
  require(isPow2(depth) && depth >= 2, s"a queue has a power of two of places, not $depth")
  val io = new Bundle {
    val push = slave(Stream(payload))
    val pop = master(Stream(payload))
    val count = out UInt (log2Up(depth) + 1 bits)
  }
  val words = Mem(payload, depth)
  words.addAttribute("ram_style", "distributed")
  val first, next = Reg(UInt(log2Up(depth) bits)) init 0
  val count = Reg(UInt(log2Up(depth) + 1 bits)) init 0
  io.count := count
  io.push.ready := !count.msb
  io.pop.valid := count.orR
  io.pop.payload := words.readAsync(first)
  words.write(next, io.push.payload, io.push.fire)
  when(io.push.fire) { next := next + 1 }
  when(io.pop.fire) { first := first + 1 }
  when(io.push.fire =/= io.pop.fire) { count := count + ((io.pop.fire #* log2Up(depth)) ## True).asUInt }
}
