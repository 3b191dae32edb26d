package heapwire.protobuf.serialize

import heapwire.memory.{MemoryParameter, PathWord, PathWrite}
import heapwire.protobuf.ByteRun
import spinal.core._
import spinal.lib._

/** Packs runs of bytes downwards from `end` into words of memory: a run
  * a cycle at any offset, each word written once. `finish` (level) writes what is
  * left in the word; then `empty` holds.
  */
case class Packer(m: MemoryParameter) extends Component {
  private val size = PathWord.bytes(m)
  private val shiftWidth = PathWord.shift(m)
  val io = new Bundle {
    val start = in Bool()
    val end = in UInt(32 bits)
    val run = slave(Stream(ByteRun(size)))
    val finish = in Bool()
    val write = master(Stream(PathWrite(m)))
    val empty = out Bool()
  }
  /** The word that is being filled, from its end; how many of its bytes are free. */
  val word = Reg(UInt(32 - shiftWidth bits))
  val free = Reg(UInt(shiftWidth + 1 bits))
  /** What it has, zeros where it is free. */
  val bytes = Reg(Bits(8 * size bits))
  val mask = Reg(Bits(size bits)) init 0

  private val count = io.run.count
  val place = new Area {
    val shift = (free - count).resize(shiftWidth)
    // What a run does not have is zero, so that what is not below `free` is for the word below.
    val rotated = io.run.data.rotateLeft(shift << 3)
    val full = count >= free
    val ones = B(size bits, default -> true)
    val below = ~(ones |<< free).resize(size)
    val from = ones |<< shift
    val here = full ? below | (below & from)
    val carry = from.andMask(count > free)
  }
  private def bits(mask: Bits) = Cat(mask.asBools.map(on => B(8 bits, default -> on)))
  private val belowBits = bits(place.below)

  io.empty := mask === 0
  val flush = io.finish && !io.run.valid && !io.empty
  io.write.valid := flush || io.run.valid && place.full && count =/= 0
  io.write.address := word @@ U(0, shiftWidth bits)
  io.write.data := bytes | (place.rotated & belowBits).andMask(!flush)
  io.write.mask := mask | place.here.andMask(!flush)
  io.run.ready := io.write.ready || !place.full || count === 0
  when(flush && io.write.ready) { mask := 0 }
  when(io.run.fire && count =/= 0) {
    free := free - count
    bytes := place.full ? (place.rotated & ~belowBits) | (bytes | place.rotated)
    mask := mask | place.here
    when(place.full) {
      word := word - 1
      free := (U(size, shiftWidth + 2 bits) + free - count).resized
      mask := place.carry
    }
  }
  when(io.start) {
    val last = io.end - 1
    word := last >> shiftWidth
    free := last(shiftWidth - 1 downto 0) +^ U(1, shiftWidth bits)
    bytes := 0
    mask := 0
  }
}
