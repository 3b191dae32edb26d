package heapwire.protobuf.engine

import heapwire.Rounds
import heapwire.isa._
import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.util.Random

/** An engine that reads messages, over a memory that holds the table of [[SampleSchema]]. */
class EngineBench(dut: Engine, val random: Random, stall: Double, latency: Range) {
  import SampleSchema._
  val memory = new SimBytes(0x40000000L, 1 << 20)
  private val (tableAt, inputAt) = (0x40001000L, 0x40010000L)
  val (fixedAt, flexibleAt) = (0x40040000L, 0x40080000L)
  val clock = dut.clockDomain
  clock.forkStimulus(10)
  private var arenas = Seq.empty[(Long, Long)]
  private def watch(address: Long, value: Byte): Unit =
    if (!arenas.exists { case (low, high) => address >= low && address < high }) simFailure(f"a write to $address%x")
  val ports = dut.buses.map { case (_, bus) => new TilelinkMemory(bus, clock, memory, random, stall, latency, watch) }
  private val port = dut.io.port
  port.registers.valid #= false
  port.command.valid #= false
  port.completion.ready #= false
  private def klass(register: RuntimeRegister.Register): Long = 0x100L + 16 * register.index
  private val unknown = 0x777L
  memory.write(tableAt, table(0x5550))
  clock.waitSampling(5)
  setRegisters()

  def setRegisters(): Unit = for (register <- RuntimeRegister.all) {
    port.registers.valid #= true
    port.registers.index #= register.index
    port.registers.value #=
      (register match {
        case RuntimeRegister.TableBase => tableAt
        case RuntimeRegister.TableLimit => tableAt + tableSize
        case RuntimeRegister.MarkPrototype => 1
        case RuntimeRegister.UnknownFields => unknown
        case other => klass(other)
      })
    clock.waitSampling()
    port.registers.valid #= false
  }

  case class Outcome(status: Int, results: Seq[Long], cycles: Int)

  /** Offers a command and waits until the unit takes it. */
  def submit(input: Array[Byte], fixedBytes: Int = 0x20000): Unit = {
    memory.write(inputAt, input)
    arenas = Seq((fixedAt, fixedAt + fixedBytes), (flexibleAt, flexibleAt + 0x20000))
    port.command.valid #= true
    port.command.tag #= 5
    port.command.operation #= Operation.ProtobufDeserialize.code
    for ((value, i) <- Seq(inputAt, input.length.toLong, tableAt, 0L, fixedAt, fixedAt + fixedBytes, flexibleAt,
        flexibleAt + 0x20000).zipWithIndex)
      port.command.arguments(i) #= value
    clock.waitSamplingWhere(port.command.ready.toBoolean)
    port.command.valid #= false
  }
  def complete(): Outcome = {
    var cycles = 0
    while (!port.completion.valid.toBoolean) {
      clock.waitSampling()
      cycles += 1
      if (cycles > 300000) simFailure("the command hangs")
    }
    // An offered completion stays until it is taken.
    val first = port.completion.status.toInt
    clock.waitSampling(random.nextInt(4))
    assert(port.completion.valid.toBoolean && port.completion.status.toInt == first && port.completion.tag.toInt == 5)
    assert(ports.forall(_.quiet), "complete with a request in flight")
    val outcome = Outcome(first, port.completion.results.map(_.toLong).toSeq, cycles)
    port.completion.ready #= true
    clock.waitSampling()
    port.completion.ready #= false
    outcome
  }
  def run(input: Array[Byte], fixedBytes: Int = 0x20000): Outcome = { submit(input, fixedBytes); complete() }
  def reset(): Unit = {
    clock.assertReset()
    sleep(35)
    ports.foreach(_.reset())
    clock.deassertReset()
    clock.waitSampling(5)
    setRegisters()
  }

  private def header(at: Long, klassWord: Long): Unit = {
    assert(at % 8 == 0 && memory.word(at) == 1 && memory.word(at + 4) == klassWord, f"object at $at%x")
  }
  private def slot(
      at: Long, log2: Int): BigInt = (0 until (1 << log2)).map(i => BigInt(memory.byte(at + i)) << (8 * i)).sum
  private def value(at: Long, kind: FieldType.Type): Value = kind match {
    case FieldType.Message => message(memory.word(at))
    case FieldType.Str | FieldType.Bytes =>
      val text = memory.word(at)
      header(text, klass(RuntimeRegister.ByteString))
      assert(memory.word(text + ObjectLayout.ByteString.Hash) == 0)
      val array = memory.word(text + ObjectLayout.ByteString.Bytes)
      header(array, klass(RuntimeRegister.ByteArray))
      val length = memory.word(array + ObjectLayout.Array.Length).toInt
      for (i <- length until (length + 7) / 8 * 8) assert(memory.byte(array + ObjectLayout.Array.Elements + i) == 0)
      Text(memory.read(array + ObjectLayout.Array.Elements, length).toSeq)
    case _ => Bits(slot(at, kind.log2Size))
  }
  /** Returns the bytes of a list of unknown fields. */
  private def kept(at: Long, there: Boolean): Seq[Byte] = {
    assert(there == (at != unknown))
    if (!there) Nil
    else list(at, RuntimeRegister.ByteArrayList, FieldType.Bool).map { case Bits(b) => b.toByte; case _ => 0: Byte }
  }
  private def list(at: Long, kind: FieldType.Type): Seq[Value] = list(at, FieldType.listRegister(kind), kind)
  private def list(at: Long, register: RuntimeRegister.Register, kind: FieldType.Type): Seq[Value] = {
    header(at, klass(register))
    val (count, array) =
      (memory.word(at + ObjectLayout.ArrayList.Count).toInt, memory.word(at + ObjectLayout.ArrayList.Array))
    header(array, 0x100L + 16 * (register.index + RuntimeRegister.ListToArray))
    val capacity = memory.word(array + ObjectLayout.Array.Length).toInt
    assert(count <= capacity)
    val elements = array + ObjectLayout.Array.Elements
    for (at <- elements + (count << kind.log2Size) until elements + (capacity << kind.log2Size))
      assert(memory.byte(at) == 0)
    (0 until count).map(i => value(elements + (i << kind.log2Size), kind))
  }
  /** Returns the message object at an address, and checks everything about it. */
  def message(at: Long): Message = {
    header(at, 0x5550)
    assert(memory.word(at + memoizedSize) == 0xffffffffL && memory.word(at + memoizedIsInitialized) == 0xffffffffL)
    def has(bit: Int) = (memory.word(at + hasbitsOffset + bit / 32 * 4) >> (bit % 32) & 1) == 1
    Message(
      fields.flatMap { field =>
        val content = slot(at + field.offset, field.log2Slot)
        if (field.repeated) {
          assert(has(field.bit) == (content != 0));
          if (content == 0) None else Some(field.number -> list(content.toLong, field.kind))
        } else if (has(field.bit)) Some(field.number -> Seq(value(at + field.offset, field.kind)))
        else { assert(content == 0); None }
      }.toMap, kept(memory.word(at + unknownFields), has(unknownHasbit)))
  }
}

class EngineTest extends AnyFunSuite {
  import SampleSchema._
  // None of the supported boards has 64 bits.
  private def whole(width: Int) = width != 64 || sys.env.contains("HEAPWIRE_FULL")
  for (width <- Seq(32, 64, 128)) {
    lazy val compiled =
      SimConfig.compile(Engine(EngineParameter(maxDepth = 7, cacheBytes = 1024), MemoryParameter(dataWidth = width)))

    for ((stall, latency) <- (if (whole(width)) Seq((0.0, 20 to 20)) else Nil) :+ ((0.4, 1 to 60)))
      test(s"width $width, stalls $stall: random messages become the objects they mean") {
        compiled.doSim(seed = 1) { dut =>
          val bench = new EngineBench(dut, new Random(width), stall, latency)
          for (i <- 0 until Rounds(40)) {
            val (expected, input) = SampleSchema.random(bench.random, i % 4)
            val outcome = bench.run(input)
            assert((outcome.status, outcome.results(3)) == ((0, input.length.toLong)))
            assert(bench.message(outcome.results.head) == expected)
          }
        }
      }

    if (whole(width))
      test(s"width $width: cut messages end in TRUNCATED, full arenas in their status, and the next command is right") {
        compiled.doSim(seed = 2) { dut =>
          val bench = new EngineBench(dut, new Random(width + 1), 0.2, 1 to 40)
          for (_ <- 0 until Rounds(25)) {
            val (expected, input) = SampleSchema.random(bench.random, 2)
            val cut = bench.run(input ++ Wire.key(6, 1) ++ Array[Byte](1, 2, 3))
            assert((cut.status, cut.results) ==
              ((Status.Truncated.code, Seq(0L, bench.fixedAt, bench.flexibleAt, input.length.toLong))))
            assert(bench.run(input, fixedBytes = objectSize - 8).status == Status.FixedArenaFull.code)
            val outcome = bench.run(input)
            assert(outcome.status == 0 && bench.message(outcome.results.head) == expected)
          }
        }
      }

    // The number of levels is a power of two: one level more would wrap around to level 0.
    if (whole(width)) test(s"width $width: the deepest message is taken, a deeper one is refused") {
      compiled.doSim(seed = 4) { dut =>
        val bench = new EngineBench(dut, new Random(width + 3), 0.2, 1 to 40)
        val number = SampleSchema.fields.find(field => field.kind == FieldType.Message && !field.repeated).get.number
        def within(levels: Int): Array[Byte] =
          if (levels == 0) Array[Byte]()
          else { val inner = within(levels - 1); Wire.key(number, 2) ++ Wire.varint(inner.length) ++ inner }
        for (_ <- 0 until 2) {
          assert(bench.run(within(7)).status == Status.Ok.code)
          assert(bench.run(within(8)).status == Status.DepthExceeded.code)
        }
      }
    }

    if (whole(width)) test(s"width $width: reset in mid-command leaves nothing behind") {
      compiled.doSim(seed = 3) { dut =>
        val bench = new EngineBench(dut, new Random(width + 2), 0.2, 1 to 40)
        for (_ <- 0 until Rounds(15)) {
          val (expected, input) = SampleSchema.random(bench.random, 2)
          bench.submit(input)
          bench.clock.waitSampling(1 + bench.random.nextInt(200))
          bench.reset()
          val outcome = bench.run(input)
          assert(outcome.status == 0 && bench.message(outcome.results.head) == expected)
        }
      }
    }
  }
}
