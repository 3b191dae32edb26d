package heapwire.protobuf.serialize

import heapwire.memory.{MaskedWrite, MemoryParameter}
import heapwire.protobuf.ByteRun
import spinal.core._
import spinal.lib._

/** Cuts coded items into runs of at most 16 bytes, the last one first. */
object ItemCutter {
  def apply(coded: Stream[CodedItem], flush: Bool): Stream[ByteRun] = {
    val run = Stream(ByteRun(16))
    val second = RegInit(False)
    val item = coded.payload
    val both = item.first.data.resize(160) | (item.second.data.resize(160) |<< (item.first.count << 3))
    val cut = !item.plain && item.total > 16
    run.valid := coded.valid
    run.data := item.plain ? item.bytes | both.resize(128)
    run.count := item.total
    when(cut) {
      run.data := (second ? item.first.data | item.second.data).resized
      run.count := (second ? item.first.count | item.second.count).resized
    }
    coded.ready := run.ready && (!cut || second)
    when(run.fire) { second := cut && !second }
    when(flush) { second := False }
    run.m2sPipe(flush = flush)
  }
}

/** Packs runs of bytes downwards from `end` into 16-byte words of memory: a run
  * a cycle at any offset, each word written once. `finish` (level) writes what is
  * left in the word; then `empty` holds.
  */
case class Packer(m: MemoryParameter) extends Component {
  val io = new Bundle {
    val start = in Bool()
    val end = in UInt(32 bits)
    val run = slave(Stream(ByteRun(16)))
    val finish = in Bool()
    val write = master(Stream(MaskedWrite(m)))
    val empty = out Bool()
  }
  /** The word that is being filled, from its end; how many of its bytes are free. */
  val word = Reg(UInt(28 bits))
  val free = Reg(UInt(5 bits))
  val bytes = Reg(Bits(128 bits))
  val mask = Reg(Bits(16 bits)) init 0

  private val count = io.run.count
  val place = new Area {
    val shift = (free - count).resize(4)
    val rotated = io.run.data.rotateLeft(shift << 3)
    val full = count >= free
    /** Of the run, the bytes that go into this word and those for the word below. */
    val ones = B(0xffff, 16 bits)
    val below = ~(ones |<< free).resize(16)
    val from = ones |<< shift
    val here = full ? below | (below & from)
    val carry = from.andMask(count > free)
  }
  private def bits(mask: Bits) = Cat(mask.asBools.map(on => B(8 bits, default -> on)))
  val gathered = bytes | (place.rotated & bits(place.here))

  io.empty := mask === 0
  val flush = io.finish && !io.run.valid && !io.empty
  io.write.valid := flush || io.run.valid && place.full && count =/= 0
  io.write.address := word @@ U(0, 4 bits)
  io.write.data := flush ? bytes | gathered
  io.write.mask := flush ? mask | (mask | place.here)
  io.run.ready := io.write.ready || !place.full || count === 0
  when(flush && io.write.ready) { mask := 0 }
  when(io.run.fire && count =/= 0) {
    free := free - count
    bytes := gathered
    mask := mask | place.here
    when(place.full) {
      word := word - 1
      free := (U(16, 6 bits) + free - count).resized
      bytes := place.rotated & bits(place.carry)
      mask := place.carry
    }
  }
  when(io.start) {
    val last = io.end - 1
    word := last >> 4
    free := last(3 downto 0) +^ U(1, 4 bits)
    bytes := 0
    mask := 0
  }
}
