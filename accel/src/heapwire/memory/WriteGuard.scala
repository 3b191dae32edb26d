package heapwire.memory

import spinal.core._
import spinal.lib._

/** Addresses from `base` up to, not including, `limit`. */
case class Bounds(p: MemoryParameter) extends Bundle {
  val base, limit = UInt(p.addressWidth bits)
}

/** Lets through the bytes that lie in one of the arenas and drops every other
  * byte, raising `violation` for a cycle while still busy. Byte-exact: bounds need no alignment.
  * Latency 2 cycles, one write a cycle. Bounds may change while nothing is under way.
  */
case class WriteGuard(p: MemoryParameter, ranges: Int = 2) extends Component {
  val io = new Bundle {
    val arenas = in Vec(Bounds(p), ranges)
    val input = slave(Stream(PathWrite(p)))
    val output = master(Stream(PathWrite(p)))
    val violation = out Bool()
    val busy = out Bool()
  }

  private val size = PathWord.bytes(p)
  private val shift = PathWord.shift(p)
  private val all = B(size bits, default -> True)

  case class Compared() extends Bundle {
    val write = PathWrite(p)
    val above, atBase, below, atLimit = Bits(ranges bits)
  }

  val compared = io.input.map { write =>
    val c = Compared()
    val word = write.address >> shift
    c.write := write
    for ((arena, i) <- io.arenas.zipWithIndex) {
      c.above(i) := word > (arena.base >> shift)
      c.atBase(i) := word === (arena.base >> shift)
      c.below(i) := word < (arena.limit >> shift)
      c.atLimit(i) := word === (arena.limit >> shift)
    }
    c
  }.m2sPipe()

  val allowed = (for ((arena, i) <- io.arenas.zipWithIndex) yield {
    val fromBase = all |<< arena.base(shift - 1 downto 0)
    val toLimit = ~(all |<< arena.limit(shift - 1 downto 0))
    val low = compared.above(i) ? all | fromBase.andMask(compared.atBase(i))
    val high = compared.below(i) ? all | toLimit.andMask(compared.atLimit(i))
    low & high
  }).reduce(_ | _)
  io.violation := RegNext(compared.fire && (compared.write.mask & ~allowed).orR) init False

  val trimmed = compared.map { c =>
    val write = CombInit(c.write)
    write.mask.removeAssignments() := c.write.mask & allowed
    write
  }.m2sPipe()
  io.output << trimmed
  io.busy := compared.valid || trimmed.valid
}
