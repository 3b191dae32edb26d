package heapwire.protobuf.serialize

import heapwire.memory.{MemoryParameter, PathWord, PathWrite}
import heapwire.protobuf.ByteRun
import spinal.core._
import spinal.lib._

/** Packs runs of bytes downwards from `end` into words of memory: a run
  * a cycle at any offset, each word written once. `finish` (level) writes what is
  * left in the word; then `empty` holds. Latency 1 cycle: where a run
  * lies is found out before its bytes are brought there.
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
  /** How many bytes of the word that is being filled are free. */
  val free = Reg(UInt(shiftWidth + 1 bits))

  /** A run and its place, as masks of the word's bytes. */
  case class Placed() extends Bundle {
    val data = Bits(8 * size bits)
    val shift = UInt(shiftWidth bits)
    /** It fills the word. */
    val full = Bool()
    /** Bytes that were free; those of the run in the word; those of it in the word below. */
    val below, here, carry = Bits(size bits)
  }
  val place = new Area {
    private val count = io.run.count
    val output = Stream(Placed())
    output.valid := io.run.valid
    io.run.ready := output.ready
    private val after = free.resize(shiftWidth + 2) - count
    private val full = after.msb || after === 0
    private val ones = B(size bits, default -> true)
    private val below = ~(ones |<< free).resize(size)
    private val from = ones |<< after.resize(shiftWidth)
    output.data := io.run.data
    output.shift := after.resized
    output.full := full
    output.below := below
    // A run of nothing leaves all of a free word free, which `from` has no shift for.
    output.here := full ? below | (below & from).andMask(count =/= 0)
    output.carry := from.andMask(after.msb)
    when(io.run.fire) { free := (full ? (after + size) | after).resized }
  }
  val placed = place.output.m2sPipe(flush = io.start)

  val word = Reg(UInt(32 - shiftWidth bits))
  /** What the word has, zeros where it is free. */
  val bytes = Reg(Bits(8 * size bits))
  val mask = Reg(Bits(size bits)) init 0
  // What a run does not have is zero, so that what is not below `free` is for the word below.
  val rotated = placed.data.rotateLeft(placed.shift << 3)
  private val belowBits = Cat(placed.below.asBools.map(on => B(8 bits, default -> on)))

  io.empty := mask === 0 && !placed.valid
  val flush = io.finish && !io.run.valid && !io.empty && !placed.valid
  io.write.valid := flush || placed.valid && placed.full
  io.write.address := word @@ U(0, shiftWidth bits)
  io.write.data := bytes | (rotated & belowBits).andMask(!flush)
  io.write.mask := mask | placed.here.andMask(!flush)
  placed.ready := io.write.ready || !placed.full
  when(flush && io.write.ready) { mask := 0 }
  when(placed.fire) {
    bytes := placed.full ? (rotated & ~belowBits) | (bytes | rotated)
    mask := placed.full ? placed.carry | (mask | placed.here)
    when(placed.full) { word := word - 1 }
  }
  when(io.start) {
    val last = io.end - 1
    word := last >> shiftWidth
    free := last(shiftWidth - 1 downto 0) +^ U(1, shiftWidth bits)
    bytes := 0
    mask := 0
  }
}
