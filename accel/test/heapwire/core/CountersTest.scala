package heapwire.core

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

/** Whenever a word is shown, it is the sum of all increments before, and it wraps. */
class CountersTest extends AnyFunSuite {
  private val most = Seq(1, 1, 3, 32, 1, 7)

  class Harness extends Component {
    val wanted = in(UInt(7 bits))
    val increments = in(Vec(UInt(8 bits), most.size))
    val counters = new Counters(most.zipWithIndex.map { case (m, i) =>
        Counted(10 + i, increments(i).resize(log2Up(m + 1)), m)
      }, wanted)
    val shown = out(Bool())
    val value = out(UInt(32 bits))
    shown := counters.shown
    value := counters.value
    counters.memory.simPublic()
  }

  test("every word is what was added, from reset on and across 2^32") {
    SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).workspaceName(
      "counters").compile(new Harness).doSim("counters", 1) { dut =>
      dut.increments.foreach(_ #= 0)
      dut.clockDomain.forkStimulus(10)
      dut.clockDomain.waitSampling()
      // The sums at the end of each of the last cycles, the newest first.
      var sums = List.fill(8)(most.map(_ => BigInt(0)))
      val offset = Array.fill(most.size)(BigInt(0))
      var wanted, seen, poke = 0
      dut.wanted #= 10
      for (cycle <- 0 until 20000) {
        val busy = cycle / 100 % 3
        val now = most.map(m => if (busy == 0) m else if (busy == 1) simRandom.nextInt(m + 1) else 0)
        for ((increment, value) <- dut.increments.zip(now)) increment #= value
        if (cycle == poke && poke > 0 && offset(wanted) == 0) {
          // Sets the word near its end while it is not being updated; it grows on from there.
          val word = dut.counters.memory.getBigInt(wanted)
          offset(wanted) = 0xffff0000L - (word & 0xffff0000L)
          dut.counters.memory.setBigInt(wanted, word | 0xffff0000L)
        }
        dut.clockDomain.waitSampling()
        sums = (sums.head.zip(now).map { case (sum, value) => sum + value } :: sums).take(8)
        if (dut.shown.toBoolean && cycle > 2 * most.size) {
          val expected = (sums(3)(wanted) + offset(wanted)) & 0xffffffffL
          assert(dut.value.toBigInt == expected, s"word $wanted in cycle $cycle")
          seen += 1
          poke = cycle + 2
        }
        if (cycle > poke && cycle % 40 == 0) {
          wanted = simRandom.nextInt(most.size)
          dut.wanted #= 10 + wanted
          dut.clockDomain.waitSampling()
          sums = (sums.head.zip(now).map { case (sum, value) => sum + value } :: sums).take(8)
        }
      }
      assert(seen > 2000 && offset.forall(_ != 0))
      assert(sums.head(3) > 0x10000)
    }
  }
}
