package heapwire.memory

import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** Writes words to a [[GatherPort]] over a memory of 64 KB at `base`, and knows the expected content of that memory. */
class GatherBench[T <: Bundle with GatheredWord](io: GatherPort[T], val clock: ClockDomain, val random: Random,
    stall: Double, latency: Range) {
  val base = GatherBench.base
  val memory = new SimBytes(base, 1 << 16)
  val expected = new Array[Byte](1 << 16)
  clock.forkStimulus(10)
  val port = new TilelinkMemory(io.bus, clock, memory, random, stall, latency)
  var errors, cycles = 0
  clock.onSamplings {
    cycles += 1
    if (io.error.toBoolean) errors += 1
  }
  io.write.valid #= false
  io.flush #= false
  io.drop #= false
  io.streaming #= false
  clock.waitSampling(5)

  def write(address: Long, data: BigInt, mask: Int): Unit = {
    io.write.valid #= true
    io.write.address #= address
    io.write.data #= data
    io.write.mask #= mask
    clock.waitSamplingWhere(io.write.ready.toBoolean)
    io.write.valid #= false
    for (i <- 0 until io.write.mask.getWidth if (mask >> i & 1) == 1 && memory.holds(address + i, 1))
      expected((address - base).toInt + i) = (data >> (8 * i)).toByte
  }
  def settle(): Unit = {
    io.flush #= true
    clock.waitSampling(2)
    if (clock.waitSamplingWhere(20000)(io.idle.toBoolean)) simFailure("it does not drain")
    io.flush #= false
  }
  def check(): Unit = assert(memory.bytes.sameElements(expected))
}

object GatherBench {
  val base = 0x40000000L
}
