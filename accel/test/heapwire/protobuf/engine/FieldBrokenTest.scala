package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.isa.FieldInstruction._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** Commands come while sequences are open: each command ends, and each sequence that meets one either is BROKEN or ends
  * as if there had been no command.
  */
class FieldBrokenTest extends AnyFunSuite {
  private val flag = 1 << FlagBit
  private val repeated = 1 << RepeatedBit
  private val rounds = 300

  for (width <- FieldBench.widths) test(s"width $width: commands and sequences at once") {
    FieldBench.compiled(width)().doSim(seed = 1) { dut =>
      val b = new FieldBench(dut, new Random(width), 0.2, 1 to 40)
      val port = dut.io.port
      val dice = new Random(7)
      var (sent, ended, over) = (0, 0, false)
      val statuses = mutable.Set[Int]()
      // All commands fail, because their arguments are 0. One of the operations does not exist.
      val commander = fork {
        port.command.tag #= 0
        for (argument <- port.command.arguments) argument #= 0
        while (!over) {
          b.clock.waitSampling(dice.nextInt(if (dice.nextBoolean()) 60 else 1500))
          port.command.operation #=
            Seq(Operation.ProtobufDeserialize.code, Operation.ProtobufSerialize.code, 0x7f)(dice.nextInt(3))
          port.command.valid #= true
          sent += 1
          b.clock.waitSamplingWhere(port.command.ready.toBoolean)
          port.command.valid #= false
          b.clock.waitSamplingWhere(port.completion.valid.toBoolean)
          statuses += port.completion.status.toInt
          ended += 1
        }
      }
      var (broken, good) = (0, 0)
      def outcome(right: => Boolean): Unit = {
        val status = b.check(Check.Status)
        assert(status == Status.Ok.code || status == Status.Broken.code, s"status $status")
        if (status == Status.Ok.code) { assert(right); good += 1 }
        else broken += 1
      }
      for (_ <- 0 until rounds) {
        if (b.random.nextBoolean()) {
          b.top = b.heapAt
          val text = b.random.nextBytes(b.random.nextInt(200))
          val slot = b.byteString(text)
          b.top += 8
          b.word(b.top - 8, slot)
          val size = text.length + 40
          b.memory.write(b.outputAt, new Array[Byte](size))
          b.writable = Seq((b.outputAt, b.outputAt + size))
          b.setUp(SetUp.Output, b.outputAt, size)
          b.setUp(SetUp.Heap, b.heapAt, b.top)
          b.serfield(FieldType.Message.code | Tail, 0, 4)
          b.serfield(FieldType.Bytes.code, b.top - 8, 3)
          if (b.random.nextInt(3) == 0) b.clock.waitSampling(b.random.nextInt(100))
          b.serfield(FieldType.Message.code, 0, 4)
          val length = b.check(Check.Length)
          val inner = Wire.key(3, 2) ++ Wire.varint(text.length) ++ text
          val expected = Wire.key(4, 2) ++ Wire.varint(inner.length) ++ inner
          outcome(b.memory.read(b.outputAt + size - length, length.toInt).sameElements(expected))
        } else {
          val input = 3.toByte +: 1.toByte +: 2.toByte +: 3.toByte +: 7.toByte +: b.random.nextBytes(7)
          b.memory.write(b.inputAt, input)
          b.memory.write(b.messageAt, new Array[Byte](16))
          b.writable =
            Seq((b.messageAt, b.messageAt + 16), (b.fixedAt, b.fixedAt + 256), (b.flexibleAt, b.flexibleAt + 256))
          b.setUp(SetUp.Input, b.inputAt, b.inputAt + input.length)
          b.setUp(SetUp.Fixed, b.fixedAt, b.fixedAt + 256)
          b.setUp(SetUp.Flexible, b.flexibleAt, b.flexibleAt + 256)
          b.setUp(SetUp.Destination, b.messageAt, b.messageAt + 16)
          b.parfield(FieldType.Uint32.code | repeated | flag, b.inputAt, b.messageAt)
          if (b.random.nextInt(3) == 0) b.clock.waitSampling(b.random.nextInt(100))
          b.parfield(FieldType.Bytes.code, b.inputAt + 4, b.messageAt + 8)
          outcome {
            val (list, string) = (b.memory.word(b.messageAt), b.memory.word(b.messageAt + 8))
            b.memory.word(list + 8) == 3 &&
            b.memory.read(b.memory.word(string + 12) + 16, 7).sameElements(input.drop(5))
          }
        }
      }
      over = true
      commander.join()
      println(s"$good good, $broken broken, $ended commands, of statuses ${statuses.mkString(", ")}")
      assert(good > rounds / 10 && broken > rounds / 10 && sent == ended && ended > rounds / 10)
    }
  }
}
