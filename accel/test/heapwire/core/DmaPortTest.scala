package heapwire.core

import heapwire.memory.MemoryParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** A Wishbone master on the DMA port that behaves as badly as masters usually do. */
class DmaPortTest extends AnyFunSuite {
  for (width <- Seq(128, 32)) test(s"words and bytes in and out, $width bits") {
    val p = MemoryParameter(width)
    SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).fewOptimisation
      .workspaceName(s"dma_port_$width").compile(DmaPort(p)).doSim("dma", 1) { dut =>
        dut.clockDomain.forkStimulus(10)
        val random = new Random(1)
        val bytes, model = new Bytes
        new TileLinkMemory(dut.io.memory, dut.clockDomain, bytes, random)
        val bus = dut.io.bus
        bus.CYC #= false
        bus.STB #= false
        dut.clockDomain.waitSampling(5)

        def access(address: Long, write: Boolean, data: Long, select: Int): Long = {
          bus.CYC #= true
          bus.STB #= true
          bus.WE #= write
          bus.ADR #= address >> 2
          bus.DAT_MOSI #= data
          bus.SEL #= select
          dut.clockDomain.waitSamplingWhere(bus.ACK.toBoolean || bus.ERR.toBoolean)
          assert(bus.ACK.toBoolean, "main memory answered an error")
          // Some masters keep CYC and STB asserted for the next access, others deassert them.
          if (random.nextBoolean()) {
            bus.CYC #= false; bus.STB #= false; dut.clockDomain.waitSampling(random.nextInt(4))
          }
          bus.DAT_MISO.toLong
        }

        for (_ <- 0 until 400) {
          val address = 0x40000000L + 4 * random.nextInt(64)
          if (random.nextBoolean()) {
            val data = random.nextInt() & 0xffffffffL
            val select = 1 + random.nextInt(15)
            access(address, write = true, data, select)
            for (i <- 0 until 4 if (select >> i & 1) == 1) model(address + i) = (data >> (8 * i)).toByte
          } else assert(access(address, write = false, 0, 15) == model.word(address))
        }
        assert(bytes.equalTo(model))
      }
  }
}
