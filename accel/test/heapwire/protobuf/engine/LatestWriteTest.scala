package heapwire.protobuf.engine

import heapwire.Models
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._

import scala.collection.mutable

class LatestWriteTest extends AnyFunSuite {
  private case class Bench(bytes: Int) extends Component {
    val io = new Bundle {
      val input = slave(Stream(EngineWrite()))
      val log2Size = in UInt (2 bits)
      val masked, waits = in Bool ()
      val output = master(Stream(EngineWrite(bytes)))
      val holdsUp = out Bool ()
    }
    val latest = new LatestWrite(io.input, io.log2Size, io.masked, bytes)
    latest.waits := io.waits
    io.output << latest.output
    io.holdsUp := latest.holdsUp(io.output.ready)
  }
  private val models = new Models[Int, Bench](Bench(_))
  private val base = 0x40000000L

  for (bytes <- Seq(8, 4)) test(s"$bytes bytes a write: stores of every size and writes of every mask, in order, also across a reset") {
    models(bytes).doSim(seed = bytes) { dut =>
      val clock = dut.clockDomain
      val memory, expected = mutable.Map[Long, Int]()
      var held: Option[(Long, BigInt, Int)] = None
      var checked = 0
      dut.io.input.valid #= false
      dut.io.output.ready #= false
      dut.io.waits #= false
      clock.forkStimulus(10)
      clock.waitSampling(3)
      def offer(): Unit = {
        val masked = simRandom.nextInt(3) == 0
        val log2 = simRandom.nextInt(4)
        dut.io.input.valid #= simRandom.nextInt(4) != 0
        dut.io.masked #= masked
        dut.io.log2Size #= log2
        dut.io.input.trusted #= simRandom.nextBoolean()
        dut.io.input.address #= base + (if (masked) 8 * simRandom.nextInt(4) else simRandom.nextInt(32) >> log2 << log2)
        dut.io.input.data #= BigInt(64, simRandom)
        dut.io.input.mask #= (if (masked) Seq(0, 0x0f, 0xf0, 0xff, simRandom.nextInt(256))(simRandom.nextInt(5)) else 0xff)
      }
      clock.onSamplings {
        val (input, output) = (dut.io.input, dut.io.output)
        assert(dut.io.holdsUp.toBoolean != input.ready.toBoolean)
        if (output.valid.toBoolean) {
          val now = (output.address.toLong / bytes * bytes, output.data.toBigInt, output.mask.toInt)
          held.foreach(before => assert(before == now, "an offer changed"))
          held = if (output.ready.toBoolean) None else Some(now)
          if (held.isEmpty) for (i <- 0 until bytes if (now._3 >> i & 1) == 1) memory(now._1 + i) = (now._2 >> 8 * i & 0xff).toInt
        } else if (!dut.io.waits.toBoolean) {
          // Nothing is inside.
          assert(memory == expected)
          checked += 1
        }
        if (input.valid.toBoolean && input.ready.toBoolean) {
          val (address, data, mask) = (input.address.toLong, input.data.toBigInt, input.mask.toInt)
          val count = if (dut.io.masked.toBoolean) 8 else 1 << dut.io.log2Size.toInt
          for (i <- 0 until count if (mask >> i & 1) == 1) expected(address + i) = (data >> 8 * i & 0xff).toInt
        }
        if (!input.valid.toBoolean || input.ready.toBoolean) offer()
        output.ready #= simRandom.nextInt(3) != 0
        // A write that is offered is not withdrawn.
        dut.io.waits #= held.isEmpty && simRandom.nextInt(4) == 0
      }
      for (_ <- 0 until 20) {
        clock.waitSampling(2000)
        clock.assertReset()
        sleep(35)
        clock.deassertReset()
        // What was inside is gone, perhaps a half of it.
        held = None
        expected.clear()
        memory.clear()
      }
      clock.waitSampling(2000)
      assert(checked > 500)
    }
  }
}
