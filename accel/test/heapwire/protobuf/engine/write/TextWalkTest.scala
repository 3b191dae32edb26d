package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.logic.Texts
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

class TextWalkTest extends AnyFunSuite {
  test("from the last word to the first: agrees with the Java library") {
    SimConfig.compile(TextWalk()).doSim(seed = 1) { dut =>
      val random = new Random(1)
      dut.clockDomain.forkStimulus(10)
      for (signal <- Seq(dut.io.word.valid, dut.io.walkBegins, dut.io.walkEnds)) signal #= false
      dut.clockDomain.waitSampling(2)
      var bad = 0
      for (text <- Texts.cases(random) if text.nonEmpty) {
        val pad = if (random.nextBoolean()) Array.fill(random.nextInt(20))('x'.toByte) else Array.empty[Byte]
        val bytes = pad ++ text ++
          (if (random.nextBoolean()) Array.fill(random.nextInt(20))('y'.toByte) else Array.empty[Byte])
        dut.io.walkBegins #= true
        dut.clockDomain.waitSampling()
        dut.io.walkBegins #= false
        for (at <- bytes.indices by 8 reverse) {
          // The bytes behind the text are random.
          val word = (0 until 8).map(i => bytes.lift(at + i).getOrElse(random.nextInt().toByte))
          dut.io.word.valid #= true
          dut.io.word.payload #= word.zipWithIndex.map { case (byte, i) => BigInt(byte & 0xff) << (8 * i) }.sum
          dut.io.there #= (1 << math.min(8, bytes.length - at)) - 1
          dut.clockDomain.waitSampling()
          dut.io.word.valid #= false
          if (at > 0 && random.nextInt(4) == 0) dut.clockDomain.waitSampling(random.nextInt(3))
        }
        dut.io.walkEnds #= true
        dut.clockDomain.waitSampling(2)
        assert(dut.io.wrong.toBoolean == !Texts.isUtf8(bytes), bytes.map(b => f"$b%02x").mkString)
        if (dut.io.wrong.toBoolean) bad += 1
        dut.io.walkEnds #= false
      }
      assert(bad > 1000)
    }
  }
}
