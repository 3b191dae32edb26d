package heapwire.cereal.road

import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

/** Fills the queue, of which at most one block may be in memory. */
class SpillQueueTest extends AnyFunSuite {
  test("a queue is full when nothing comes back") {
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).compile(
      SpillQueue(MemoryParameter())).doSim(seed = 1) { dut =>
      val clock = dut.clockDomain
      val base = 0x40000000L
      clock.forkStimulus(10)
      new TilelinkMemory(dut.io.bus, clock, new SimBytes(base, 64), new scala.util.Random(1), latency = 40 to 40)
      dut.io.ring #= base
      dut.io.blocks #= 1
      dut.io.clear #= false
      dut.io.push.valid #= false
      dut.io.pop.ready #= false
      var pushed, popped, full = 0
      clock.onSamplings { if (dut.io.full.toBoolean) full += 1 }
      /** Offers a word; returns whether it was taken. */
      def push(): Boolean = {
        dut.io.push.valid #= true
        dut.io.push.payload #= pushed
        val taken = !clock.waitSamplingWhere(500)(dut.io.push.ready.toBoolean)
        dut.io.push.valid #= false
        if (taken) pushed += 1
        taken
      }
      def pop(): Unit = {
        dut.io.pop.ready #= true
        assert(!clock.waitSamplingWhere(500)(dut.io.pop.valid.toBoolean))
        assert(dut.io.pop.payload.toLong == popped)
        popped += 1
        dut.io.pop.ready #= false
      }
      clock.waitSampling(10)
      while (full == 0 && push()) {}
      val most = pushed
      assert(full > 0 && most >= 32)
      for (round <- 0 until 20) {
        // There is room for the block in front, but the block takes time to return.
        for (_ <- 0 until 16) pop()
        full = 0
        for (_ <- 0 until 16) assert(push())
        assert(full == 0, s"full in round $round, with a block of room on its way")
        assert(pushed - popped == most)
        assert(!push() && full > 0)
      }
      while (popped < pushed) pop()
      clock.waitSampling(100)
      assert(dut.io.empty.toBoolean && dut.io.idle.toBoolean)
    }
  }
}
