package heapwire.memory

import spinal.core._
import spinal.lib._

/** A queue in block RAM with a power-of-two number of places, plus one at its output. It is like [[ShortQueue]], but an
  * item comes out two cycles after it went in at the earliest.
  */
case class BlockQueue[T <: Data](payload: HardType[T], depth: Int) extends Component {
  require(isPow2(depth) && depth >= 2, s"a queue has a power of two of places, not $depth")
  val io = new Bundle {
    val push = slave(Stream(payload))
    val pop = master(Stream(payload))
  }
  val words = BlockRam(Mem(payload, depth))
  val first, next = Reg(UInt(log2Up(depth) bits)) init 0
  val count = Reg(UInt(log2Up(depth) + 1 bits)) init 0
  val there = RegInit(False)
  val reads = count.orR && (!there || io.pop.ready)
  io.push.ready := !count.msb
  io.pop.valid := there
  io.pop.payload := words.readSync(first, reads)
  there := reads || there && !io.pop.ready
  words.write(next, io.push.payload, io.push.fire)
  when(io.push.fire) { next := next + 1 }
  when(reads) { first := first + 1 }
  when(io.push.fire =/= reads) { count := count + ((reads #* log2Up(depth)) ## True).asUInt }
}
