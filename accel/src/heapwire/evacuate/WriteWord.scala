package heapwire.evacuate

import heapwire.memory.MemoryParameter
import spinal.core._

/** The memory word that is written next. Its halves of a granule (`low`, `high`) are the same in all lanes, and are
  * loaded where `lanes`, `loadLow` and `loadHigh` say so; bytes are written only where `place` has been, for the granule
  * at `at`, with `halves`. `valid` says that the word is complete, as it is after the highest granule, or by `flush`;
  * `sent`, that it leaves. `open`: there are granules in it, and it is not complete.
  */
class WriteWord(p: MemoryParameter) extends Area {
  private val count = p.dataWidth / 64
  val low, high = Bits(32 bits)
  val loadLow, loadHigh, both = False
  val place, flush, sent = False
  val halves = B"11"
  val at = UInt(30 bits)

  val valid = RegInit(False)
  val address = Reg(UInt(29 bits))
  val ready = !valid || sent
  val lanes = for (i <- 0 until count) yield new Area {
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
