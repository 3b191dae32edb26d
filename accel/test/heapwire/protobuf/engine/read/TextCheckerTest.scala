package heapwire.protobuf.engine.read

import heapwire.protobuf.engine.logic.Texts
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

class TextCheckerTest extends AnyFunSuite {
  for (bytes <- Seq(8, 4)) test(s"chunks of up to $bytes bytes: agrees with the Java library") {
    val sizes = Seq(1, 2, 4, 8).filter(_ <= bytes)
    SimConfig.compile(TextChecker(bytes)).doSim(seed = 1) { dut =>
      val random = new Random(1)
      dut.clockDomain.forkStimulus(10)
      dut.io.chunk.valid #= false
      dut.io.clear #= true
      dut.clockDomain.waitSampling()
      dut.io.clear #= false
      var wrong = false
      dut.clockDomain.onSamplings { wrong |= dut.io.error.toBoolean }
      dut.clockDomain.waitSampling(3)
      for (text <- Texts.cases(random) if text.nonEmpty) {
        val pad = if (random.nextBoolean()) Array.fill(random.nextInt(20))('x'.toByte) else Array.empty[Byte]
        val whole = pad ++ text
        var at = 0
        wrong = false
        while (at < whole.length) {
          val left = whole.length - at
          val count = if (left <= bytes && random.nextBoolean()) left
          else sizes.filter(_ <= left)(random.nextInt(sizes.count(_ <= left)))
          dut.io.chunk.valid #= true
          dut.io.chunk.count #= count
          dut.io.chunk.last #= at + count == whole.length
          dut.io.chunk.data #= (0 until bytes).map(i =>
            BigInt((if (i < count) whole(at + i).toInt else random.nextInt()) & 0xff) << (8 * i)).sum
          dut.clockDomain.waitSampling()
          dut.io.chunk.valid #= false
          if (random.nextInt(4) == 0) dut.clockDomain.waitSampling(random.nextInt(3))
          at += count
        }
        dut.clockDomain.waitSampling(3)
        assert(wrong == !Texts.isUtf8(whole), whole.map(b => f"$b%02x").mkString)
        if (wrong) {
          dut.io.clear #= true
          dut.clockDomain.waitSampling()
          dut.io.clear #= false
        }
      }
    }
  }
}
