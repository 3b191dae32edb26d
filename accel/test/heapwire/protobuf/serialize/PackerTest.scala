package heapwire.protobuf.serialize

import heapwire.memory.MemoryParameter
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

class PackerTest extends AnyFunSuite {
  for (width <- Seq(128, 64); size = width / 8) test(s"width $width: runs of every length from every offset: each word once, with every byte at its place, a run a cycle without stalls") {
    SimConfig.compile(Packer(MemoryParameter(dataWidth = width))).doSim(seed = 1) { dut =>
      val random = new Random(3)
      val clock = dut.clockDomain
      clock.forkStimulus(10)
      dut.io.start #= false
      dut.io.finish #= false
      dut.io.run.valid #= false
      dut.io.write.ready #= false
      clock.waitSampling(3)
      var stall = 0.0
      var memory = Map[Long, Byte]()
      var words = Set[Long]()
      clock.onSamplings {
        if (dut.io.write.valid.toBoolean && dut.io.write.ready.toBoolean) {
          val address = dut.io.write.address.toLong
          assert(address % size == 0 && !words(address), f"$address%x is written twice")
          words += address
          val (data, mask) = (dut.io.write.data.toBigInt, dut.io.write.mask.toInt)
          for (i <- 0 until size if (mask >> i & 1) == 1) memory += address + i -> (data >> 8 * i).toByte
        }
        dut.io.write.ready #= random.nextDouble() >= stall
      }
      for (round <- 0 until 300) {
        val end = 0x40001000L + round % size
        stall = if (round % 3 == 0) 0.0 else 0.4
        memory = Map()
        words = Set()
        dut.io.start #= true
        dut.io.end #= end
        clock.waitSampling()
        dut.io.start #= false
        var expected = Seq[Byte]()
        var cycles = 0
        val runs = Seq.fill(60)(if (round % 5 == 4) size else random.nextInt(size + 1))
        for (count <- runs) {
          val bytes = Seq.fill(count)(random.nextInt(256).toByte)
          expected = bytes ++ expected
          dut.io.run.valid #= true
          dut.io.run.count #= count
          dut.io.run.data #= bytes.zipWithIndex.map { case (b, i) => BigInt(b & 0xff) << 8 * i }.sum
          do { clock.waitSampling(); cycles += 1 } while (!dut.io.run.ready.toBoolean)
        }
        dut.io.run.valid #= false
        dut.io.finish #= true
        if (clock.waitSamplingWhere(100)(dut.io.empty.toBoolean)) simFailure("the last word is not written")
        dut.io.finish #= false
        clock.waitSampling(2)
        assert(memory == expected.zipWithIndex.map { case (b, i) => end - expected.size + i -> b }.toMap)
        if (round % 3 == 0) assert(cycles <= runs.size + 1)
      }
    }
  }
}
