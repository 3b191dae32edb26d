package heapwire.evacuate

import heapwire.memory.MemoryParameter
import spinal.core._

/** The memory word that is written next. `loadLow` and `loadHigh` load a half of the granule at `at`, or of all
  * granules if `both`, from `granule` or from a `sum`. Bytes are written only where `place` has been, for the granule
  * at `at`, with `halves`. `valid` says that the word is complete, as it is after the highest granule, or by `flush`;
  * `sent`, that it leaves. `open`: there are granules in it, and it is not complete.
  */
class WriteWord(p: MemoryParameter, granule: Bits, sum: Bits) extends Area {
  private val count = p.dataWidth / 64
  /** The halves are the sum, with these low bits in the lower one, instead of `granule`. */
  val sumLow, sumHigh = False
  val lowBits = B"000"
  private val low = sumLow ? (sum ## lowBits) | granule(31 downto 0)
  private val high = sumHigh ? (sum ## B"000") | granule(63 downto 32)
  val loadLow, loadHigh, both = False
  val place, flush, sent = False
  val halves = B"11"
  val at = UInt(30 bits)

  val valid = RegInit(False)
  val address = Reg(UInt(29 bits))
  val ready = !valid || sent
  val lanes =
    for (i <- 0 until count) yield new Area {
      val here = if (count == 1) True else at(1) === Bool(i == 1)
      val half = Reg(Bits(64 bits))
      val mask = Reg(Bits(2 bits)) init 0
      when(loadLow && (here || both)) { half(31 downto 0) := low }
      when(loadHigh && (here || both)) { half(63 downto 32) := high }
      when(sent) { mask := 0 }
      when(place && here) { mask := halves }
    }
  val data = B(lanes.map(_.half))
  val mask = B(for (lane <- lanes; half <- lane.mask.asBools; _ <- 0 until 4) yield half)
  val open = !valid && (if (count == 1) False else lanes.head.mask.orR)
  when(sent) { valid := False }
  when(place) {
    address := at >> 1
    valid := (if (count == 1) True else at(1))
  }
  when(flush) { valid := True }
  def drop(): Unit = for (lane <- lanes) lane.mask := 0
}
