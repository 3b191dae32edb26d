package heapwire.protobuf

import heapwire.memory.{MemoryParameter, RangeWord}
import spinal.core._
import spinal.lib._

/** Eight aligned bytes of memory. */
case class Granule() extends Bundle {
  val data = Bits(64 bits)
  val error = Bool()
}

/** Turns the memory words of a range of whole granules into its granules, one a cycle. */
object GranuleReader {
  def apply(p: MemoryParameter, words: Stream[RangeWord], flush: Bool): Stream[Granule] = {
    val granule = Stream(Granule())
    val second = RegInit(False)
    p.dataWidth match {
      case 128 =>
        val high = words.offset(3) || second
        val both = words.count === 16
        granule.valid := words.valid
        granule.data := high ? words.data(127 downto 64) | words.data(63 downto 0)
        granule.error := words.error
        words.ready := granule.ready && (!both || second)
        when(granule.fire) { second := both && !second }
      case 64 =>
        granule.arbitrationFrom(words)
        granule.data := words.data
        granule.error := words.error
      case 32 =>
        val low = RegNextWhen(words.data, words.fire)
        granule.valid := words.valid && second
        granule.data := words.data ## low
        granule.error := words.error
        words.ready := !second || granule.ready
        when(words.fire) { second := !second }
    }
    when(flush) { second := False }
    granule
  }
}
