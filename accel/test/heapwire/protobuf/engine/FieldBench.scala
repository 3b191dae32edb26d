package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.isa.FieldInstruction._
import heapwire.memory._
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** An engine over a memory, whose field instructions are driven as the front end does it. */
class FieldBench(dut: Engine, val random: Random, stall: Double, latency: Range) {
  val memory = new SimBytes(0x40000000L, 1 << 20)
  val heapAt = 0x40010000L
  val outputAt = 0x40040000L
  val inputAt = 0x40050000L
  val messageAt = 0x40060000L
  val fixedAt = 0x40070000L
  val flexibleAt = 0x400a0000L
  val unknownFields = 0x40001000L
  val clock = dut.clockDomain
  clock.forkStimulus(10)
  /** The ranges in which writes are allowed. */
  var writable = Seq.empty[(Long, Long)]
  private def watch(address: Long, value: Byte): Unit =
    if (!writable.exists { case (low, high) => address >= low && address < high }) simFailure(f"a write to $address%x")
  val ports = dut.buses.map { case (_, bus) => new TilelinkMemory(bus, clock, memory, random, stall, latency, watch) }
  private val port = dut.io.fields
  port.request.valid #= false
  port.flush #= false
  dut.io.port.registers.valid #= false
  dut.io.port.command.valid #= false
  dut.io.port.completion.ready #= true
  port.registers.valid #= false
  var cycles = 0L
  private val responses = mutable.Queue[Long]()
  clock.onSamplings {
    cycles += 1
    if (port.response.valid.toBoolean) responses.enqueue(port.response.payload.toLong)
  }
  clock.waitSampling(5)
  setRegisters()

  def klass(register: RuntimeRegister.Register): Long = 0x100L + 16 * register.index
  def setRegisters(): Unit = for (register <- RuntimeRegister.all) {
    dut.io.port.registers.valid #= true
    dut.io.port.registers.index #= register.index
    dut.io.port.registers.value #=
      (register match {
        case RuntimeRegister.MarkPrototype => 1
        case RuntimeRegister.UnknownFields => unknownFields
        case other => klass(other)
      })
    clock.waitSampling()
    dut.io.port.registers.valid #= false
  }

  private def waitFor(what: String)(condition: => Boolean): Unit = {
    val end = cycles + 100000
    while (!condition) {
      clock.waitSampling()
      if (cycles > end) simFailure(s"the unit hangs: $what")
    }
  }
  private def send(kind: Kind, function: Int, rs1: Long, rs2: Long): Unit = {
    port.request.valid #= true
    port.request.kind #= kind.funct3
    port.request.function #= function
    port.request.rs1 #= rs1
    port.request.rs2 #= rs2
    val end = cycles + 100000
    do {
      clock.waitSampling()
      if (cycles > end) simFailure("the unit takes no request")
    } while (!port.request.ready.toBoolean)
    port.request.valid #= false
  }
  private def response(): Long = {
    waitFor("no answer")(responses.nonEmpty)
    responses.dequeue()
  }
  def setUp(function: Int, first: Long, second: Long): Unit = send(Seroutput, function, first, second)
  def serfield(function: Int, slot: Long, number: Long): Unit = send(Serfield, function, slot, number)
  def parfield(function: Int, source: Long, slot: Long): Long = {
    clock.waitSampling()
    waitFor("parsing")(!port.parsing.toBoolean)
    send(Parfield, function, source, slot)
    response()
  }
  def take(bytes: Long): Long = {
    clock.waitSampling()
    waitFor("parsing")(!port.parsing.toBoolean)
    send(Chksuccess, Check.Take, bytes, 0)
    response()
  }
  def check(form: Int): Long = {
    port.flush #= true
    clock.waitSampling(2)
    waitFor("not settled")(port.settled.toBoolean)
    port.flush #= false
    if (!port.activity.busy.toBoolean) assert(ports.head.quiet && ports.last.quiet, "settled with a request in flight")
    send(Chksuccess, form, 0, 0)
    response()
  }
  def reset(): Unit = {
    clock.assertReset()
    sleep(35)
    ports.foreach(_.reset())
    responses.clear()
    port.request.valid #= false
    port.flush #= false
    clock.deassertReset()
    clock.waitSampling(5)
    setRegisters()
  }

  // ---- objects ---------------------------------------------------------------
  var top = heapAt
  def word(address: Long, value: Long): Unit = memory.write(address, Array.tabulate(4)(i => (value >> (8 * i)).toByte))
  private def take8(bytes: Int): Long = { val at = top; top += (bytes + 7) / 8 * 8; at }
  def array(register: RuntimeRegister.Register, bytes: Array[Byte], length: Int): Long = {
    val at = take8(16 + bytes.length)
    word(at, 1); word(at + 4, klass(register)); word(at + 8, length)
    memory.write(at + 16, bytes)
    at
  }
  def byteString(bytes: Array[Byte]): Long = {
    val at = take8(16)
    if (random.nextInt(4) == 0) take8(8 * random.nextInt(20))
    val data = array(RuntimeRegister.ByteArray, bytes, bytes.length)
    word(at, 1); word(at + 4, klass(RuntimeRegister.ByteString)); word(at + 12, data)
    at
  }
  def list(kind: FieldType.Type, elements: Array[Byte], count: Int): Long = {
    val register = FieldType.listRegister(kind)
    val at = take8(16)
    word(at, 1); word(at + 4, klass(register)); word(at + 8, count)
    val spare = random.nextInt(3)
    if (count > 0) word(at + 12, array(register, elements ++ new Array[Byte](spare << kind.log2Size), count + spare))
    else word(at + 12, 0)
    at
  }
}

object FieldBench {
  val widths: Seq[Int] = Seq(32, 128)
  /** Compiled once for all suites. */
  val compiled: Map[Int, () => SimCompiled[Engine]] = widths.map { width =>
    lazy val once = SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC)))
      .workspaceName(s"fields_$width").compile(Engine(EngineParameter(fields = true),
          MemoryParameter(dataWidth = width)))
    width -> (() => once)
  }.toMap
}
