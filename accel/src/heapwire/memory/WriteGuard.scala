package heapwire.memory

import spinal.core._
import spinal.lib._

/** Addresses from `base` up to, not including, `limit`. */
case class Bounds(p: MemoryParameter) extends Bundle {
  val base, limit = UInt(p.addressWidth bits)
}

/** Lets through the bytes that lie in one of the arenas and drops every other
  * byte, raising `violation` for a cycle. Byte-exact: bounds need no alignment.
  * Latency 2 cycles, one write a cycle. Bounds may change while nothing is under way.
  */
case class WriteGuard(p: MemoryParameter, ranges: Int = 2) extends Component {
  val io = new Bundle {
    val arenas = in Vec(Bounds(p), ranges)
    val input = slave(Stream(MaskedWrite(p)))
    val output = master(Stream(MaskedWrite(p)))
    val violation = out Bool()
    val busy = out Bool()
  }

  case class Compared() extends Bundle {
    val write = MaskedWrite(p)
    val above, atBase, below, atLimit = Bits(ranges bits)
  }

  val compared = io.input.map { write =>
    val c = Compared()
    val word = write.address >> 4
    c.write := write
    for ((arena, i) <- io.arenas.zipWithIndex) {
      c.above(i) := word > (arena.base >> 4)
      c.atBase(i) := word === (arena.base >> 4)
      c.below(i) := word < (arena.limit >> 4)
      c.atLimit(i) := word === (arena.limit >> 4)
    }
    c
  }.m2sPipe()

  val allowed = (for ((arena, i) <- io.arenas.zipWithIndex) yield {
    val fromBase = B(0xffff, 16 bits) |<< arena.base(3 downto 0)
    val toLimit = ~(B(0xffff, 16 bits) |<< arena.limit(3 downto 0))
    val low = compared.above(i) ? B(0xffff, 16 bits) | fromBase.andMask(compared.atBase(i))
    val high = compared.below(i) ? B(0xffff, 16 bits) | toLimit.andMask(compared.atLimit(i))
    low & high
  }).reduce(_ | _)
  io.violation := compared.fire && (compared.write.mask & ~allowed).orR

  val trimmed = compared.map { c =>
    val write = CombInit(c.write)
    write.mask.removeAssignments() := c.write.mask & allowed
    write
  }.m2sPipe()
  io.output << trimmed
  io.busy := compared.valid || trimmed.valid
}
