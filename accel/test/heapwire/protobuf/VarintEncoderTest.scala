package heapwire.protobuf

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** The encoder as a component of its own. */
class VarintEncoderBench extends Component {
  val io = new Bundle {
    val value = in Bits (64 bits)
    val run = out(ByteRun(10))
  }
  io.run := VarintEncoder(io.value)
}

class VarintEncoderTest extends AnyFunSuite {
  private def encoded(value: BigInt): Seq[Int] =
    if (value < 128) Seq(value.toInt) else ((value & 127).toInt | 128) +: encoded(value >> 7)

  test("every length, its smallest and its largest value, and random ones: shortest varint, zeros behind") {
    SimConfig.compile(new VarintEncoderBench).doSim(seed = 1) { dut =>
      val random = new Random(1)
      val corners = (0 to 64).flatMap(bit => Seq(BigInt(1) << bit, (BigInt(1) << bit) - 1)).filter(_ < (BigInt(1) << 64))
      for (value <- corners ++ Seq.fill(3000)(BigInt(random.nextInt(65), random))) {
        dut.io.value #= value
        sleep(1)
        val bytes = encoded(value)
        assert(dut.io.run.count.toInt == bytes.size, s"of $value")
        assert(dut.io.run.data.toBigInt == bytes.zipWithIndex.map { case (b, i) => BigInt(b) << 8 * i }.sum, s"of $value")
      }
    }
  }
}
