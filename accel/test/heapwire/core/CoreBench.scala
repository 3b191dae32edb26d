package heapwire.core

import heapwire.isa.UnitKind
import heapwire.memory.{FieldPort, UnitPort}
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** A command as a unit received it. */
case class SeenCommand(unit: Int, tag: Int, operation: Int, arguments: Seq[Long])

/** A simulated unit: takes commands, passes them to `act`, and completes them after `latency` cycles. */
class FakeUnit(index: Int, port: UnitPort, domain: ClockDomain, random: Random, seen: mutable.Buffer[SeenCommand]) {
  var latency: () => Int = () => random.nextInt(30)
  /** Runs just before the completion is offered; returns status and results. */
  var act: SeenCommand => (Int, Seq[Long]) = command => (0, command.arguments.take(4))
  var accept = true
  var onRegister: (Int, Long) => Unit = (_, _) => ()
  private var current: SeenCommand = null
  private var left = 0

  port.command.ready #= false
  port.completion.valid #= false
  port.activity.busy #= false
  port.activity.readStall #= false
  port.activity.tableStall #= false
  port.activity.writeStall #= false
  domain.onSamplings {
    if (port.registers.valid.toBoolean) onRegister(port.registers.index.toInt, port.registers.value.toLong)
    if (port.completion.valid.toBoolean && port.completion.ready.toBoolean) {
      port.completion.valid #= false
      current = null
    }
    if (port.command.valid.toBoolean && port.command.ready.toBoolean) {
      current = SeenCommand(index, port.command.tag.toInt, port.command.operation.toInt,
        port.command.arguments.map(_.toLong).toSeq)
      seen += current
      left = latency()
    } else if (current != null && left > 0) {
      left -= 1
      if (left == 0) complete()
    }
    if (current != null && left == 0 && !offered) complete()
    if (finishing != null) { offer(finishing._1, finishing._2); finishing = null }
    if (current == null) offered = false
    port.command.ready #= current == null && accept && random.nextInt(3) != 0
    port.activity.busy #= current != null
  }
  private var offered = false
  def clear(): Unit = {
    current = null
    offered = false
    finishing = null
    port.completion.valid #= false
  }
  /** `act` does not complete the command: `finish` does so later. */
  var asynchronous = false
  private var finishing: (Int, Seq[Long]) = null
  def finish(status: Int, results: Seq[Long]): Unit = finishing = (status, results)

  private def complete(): Unit = {
    offered = true
    val (status, results) = act(current)
    if (!asynchronous) offer(status, results)
  }
  private def offer(status: Int, results: Seq[Long]): Unit = {
    port.completion.valid #= true
    port.completion.tag #= current.tag
    port.completion.status #= status
    for (i <- 0 until 4) port.completion.results(i) #= results.applyOrElse(i, (_: Int) => 0L)
  }
}

/** A simulated unit of the field instructions: takes requests at random times, and answers. */
class FakeFieldUnit(port: FieldPort, domain: ClockDomain, random: Random) {
  case class Seen(kind: Int, function: Int, rs1: Long, rs2: Long)
  val seen = mutable.ArrayBuffer[Seen]()
  var answer: Seen => Long = request => request.rs1 + 1
  /** Cycles until the unit is settled after a request, or has parsed. */
  var latency: () => Int = () => random.nextInt(60)
  var accept: () => Boolean = () => random.nextInt(3) != 0
  private var settling, parsing = 0
  private val due = mutable.Queue[(Long, Long)]()
  private var now = 0L
  port.request.ready #= false
  port.response.valid #= false
  port.settled #= true
  port.parsing #= false
  port.activity.busy #= false
  port.activity.readStall #= false
  port.activity.tableStall #= false
  port.activity.writeStall #= false
  domain.onSamplings {
    now += 1
    settling = settling - 1 max 0
    parsing = parsing - 1 max 0
    if (port.request.valid.toBoolean && port.request.ready.toBoolean) {
      val request =
        Seen(port.request.kind.toInt, port.request.function.toInt, port.request.rs1.toLong, port.request.rs2.toLong)
      if (request.kind == 3 && request.function != 5)
        assert(settling == 0, "chksuccess came before the unit had settled")
      if (request.kind == 2 || request.kind == 3 && request.function == 5)
        assert(parsing == 0, "parfield came while the unit was parsing")
      seen += request
      settling = if (request.kind == 3) 0 else latency()
      if (request.kind == 2) parsing = settling min latency()
      if (request.kind >= 2) due.enqueue((now + random.nextInt(5), answer(request)))
    }
    port.response.valid #= due.nonEmpty && due.head._1 <= now
    if (due.nonEmpty && due.head._1 <= now) port.response.payload #= due.dequeue()._2
    port.settled #= settling == 0 && due.isEmpty
    port.parsing #= parsing != 0
    port.request.ready #= accept()
  }
}

/** The core complex over memory models, with fake units and a peripheral bus.
  *
  * Peripherals: a write to 0xf0000000 outputs a word (`received`), and one to 0xf0000004 ends the program. A write to
  * 0xf0000010 lowers the interrupt lines. Words in [0, 64 KB) are ROM. 0xf0000008 counts how often it is read. All
  * other reads are bus errors.
  */
class CoreBench(dut: CoreComplex, config: ClusterConfig, seed: Int, latency: Range = 4 to 30, stall: Double = 0.3) {
  val random = new Random(seed)
  val domain = dut.clockDomain
  val bytes, rom = new Bytes
  val received = mutable.ArrayBuffer[Long]()
  val seen = mutable.ArrayBuffer[SeenCommand]()
  var finished = false
  var cycles = 0L
  var reads = 0

  dut.io.resetVector #= config.memoryBase
  dut.io.interrupts #= 0
  dut.io.invalidate.valid #= false
  dut.io.invalidated.ready #= true
  dut.io.peripheral.ACK #= false
  dut.io.peripheral.ERR #= false
  dut.io.traffic.foreach { t => t.readBytes #= 0; t.writtenBytes #= 0 }
  dut.io.dram.reads #= 0
  dut.io.dram.writes #= 0
  Option(dut.io.jtag).foreach { jtag => jtag.tck #= false; jtag.tms #= false; jtag.tdi #= false }

  val memory =
    new TileLinkMemory(dut.io.memory, domain, bytes, random, latency, stall, ordered = _ != CoreRoad.Instructions)
  val fields = Option(dut.io.fields).map(new FakeFieldUnit(_, domain, random))
  val units = dut.io.units.zipWithIndex.map { case (port, i) => new FakeUnit(i, port, domain, random, seen) }.toSeq

  private var answerIn = -1
  domain.onSamplings {
    cycles += 1
    val bus = dut.io.peripheral
    val answered = bus.ACK.toBoolean || bus.ERR.toBoolean
    bus.ACK #= false
    bus.ERR #= false
    if (bus.CYC.toBoolean && bus.STB.toBoolean && !answered) {
      if (answerIn < 0) answerIn = random.nextInt(4)
      if (answerIn == 0) {
        val address = bus.ADR.toLong << 2
        if (bus.WE.toBoolean) {
          bus.ACK #= true
          if (address == 0xf0000000L) received += bus.DAT_MOSI.toLong
          if (address == 0xf0000004L) finished = true
          if (address == 0xf0000010L) { dut.io.interrupts #= 0; acknowledged = true }
        } else if (address < 0x10000 || address == 0xf0000008L) {
          bus.ACK #= true
          if (address == 0xf0000008L) reads += 1
          bus.DAT_MISO #= (if (address == 0xf0000008L) reads.toLong else rom.word(address))
        } else bus.ERR #= true
      }
      answerIn -= 1
    }
  }

  /** Invalidates the block at `address` in the core's data cache, as the fabric would; calls `done` once it is
    * acknowledged.
    */
  private val invalidations = mutable.Queue[(Long, () => Unit)]()
  private val inFlight = mutable.Queue[() => Unit]()
  def invalidate(address: Long)(done: => Unit): Unit = invalidations.enqueue((address & ~63L, () => done))
  domain.onSamplings {
    if (dut.io.invalidated.valid.toBoolean && dut.io.invalidated.ready.toBoolean) inFlight.dequeue()()
    if (dut.io.invalidate.valid.toBoolean && dut.io.invalidate.ready.toBoolean) {
      inFlight.enqueue(invalidations.dequeue()._2)
      dut.io.invalidate.valid #= false
    } else if (!dut.io.invalidate.valid.toBoolean && invalidations.nonEmpty && random.nextBoolean()) {
      dut.io.invalidate.valid #= true
      dut.io.invalidate.payload #= invalidations.head._1
    }
    dut.io.invalidated.ready #= random.nextInt(4) != 0
  }

  /** Breaks the reservation as a unit's write to `address` does. */
  def breakReservation(address: Long): Unit = if (memory.reserved == (address & ~63L)) memory.reserved = -1
  /** Raises an interrupt line; a write to 0xf0000010 lowers all lines. */
  def raise(line: Int): Unit = {
    acknowledged = false
    dut.io.interrupts #= 1L << line
  }
  var acknowledged = false

  /** Raises `line` repeatedly, each time `gap` cycles after it was acknowledged. */
  def storm(line: Int, gap: () => Int): Unit = fork {
    while (true) {
      domain.waitSampling(gap())
      raise(line)
      waitUntil(acknowledged)
    }
  }

  /** Sets the number of words read from and written to DRAM in each cycle from now on. */
  def dram(reads: Int, writes: Int): Unit = {
    dut.io.dram.reads #= reads
    dut.io.dram.writes #= writes
  }

  def load(program: Array[Byte]): Unit = bytes.load(config.memoryBase, program)

  /** Resets everything, whatever is under way. Memory keeps its content. */
  def reset(): Unit = {
    domain.assertReset()
    sleep(50) // nothing is sampled during reset
    memory.clear()
    units.foreach(_.clear())
    invalidations.clear()
    inFlight.clear()
    dut.io.invalidate.valid #= false
    dut.io.peripheral.ACK #= false
    dut.io.peripheral.ERR #= false
    received.clear()
    seen.clear()
    finished = false
    sleep(50) // nothing is sampled during reset
    domain.deassertReset()
  }

  /** Runs until the program ends. Fails if that takes more than `limit` cycles. */
  def run(limit: Int): Unit = {
    val end = cycles + limit
    while (!finished) {
      domain.waitSampling()
      assert(cycles < end,
        s"the program did not end within $limit cycles; it said ${received.map(_.toHexString).mkString(" ")}")
    }
  }
}

object CoreBench {
  val config = ClusterConfig("test", memoryBytes = 16 << 20, instructionCacheBytes = 1024, dataCacheBytes = 1024,
    units = Map(UnitKind.Copy -> 2, UnitKind.ProtobufEngine -> 1), queueDepth = 2, tags = 8,
    debug = DebugTransport.NoDebug, argumentMemory = false)

  /** Compiled once for all suites. */
  lazy val compiled: SimCompiled[CoreComplex] = compile(config)

  def compile(config: ClusterConfig): SimCompiled[CoreComplex] =
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC)))
      .fewOptimisation.workspaceName(s"core_complex_${config.name}_${config.dataWidth}").compile(
        new CoreComplex(config))
}
