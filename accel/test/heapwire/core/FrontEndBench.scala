package heapwire.core

import heapwire.isa._
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable

/** Plays the core, which waits for answers. The tests play the units. */
class FrontEndBench(val dut: FrontEnd) {
  val domain = dut.clockDomain
  var cycle = 0L
  dut.io.command.request.valid #= false
  dut.io.command.reading #= false
  dut.io.command.trap #= false
  dut.io.command.interrupt #= false
  dut.io.abandon #= false
  dut.io.storesDrained #= true
  dut.io.dram.reads #= 0
  dut.io.dram.writes #= 0
  dut.io.traffic.foreach { t => t.readBytes #= 0; t.writtenBytes #= 0 }
  for (unit <- dut.io.units) {
    unit.command.ready #= false
    unit.completion.valid #= false
    for (level <- Seq(unit.activity.busy, unit.activity.readStall, unit.activity.tableStall, unit.activity.writeStall))
      level #= false
  }
  domain.onSamplings { cycle += 1 }
  domain.forkStimulus(10)
  domain.waitSampling(2)

  private def request(kind: Instruction.Kind, function: Int, rs1: Long, rs2: Long, posted: Boolean = false): Unit = {
    val r = dut.io.command.request
    r.valid #= true
    r.field #= false
    r.posted #= posted
    r.kind #= kind.funct3
    dut.io.command.reading #= kind == Instruction.Result
    r.function #= function
    r.rs1 #= rs1
    r.rs2 #= rs2
    domain.waitSampling()
    r.valid #= false
    dut.io.command.reading #= false
  }
  def stage(i: Int, rs1: Long, rs2: Long): Unit = request(Instruction.Stage, i, rs1, rs2, posted = true)
  def release(tag: Long): Unit = request(Instruction.Release, 0, tag, 0, posted = true)
  /** The number of cycles that the last answer took. */
  var took = 0L
  def ask(kind: Instruction.Kind, function: Int = 0, rs1: Long = 0, rs2: Long = 0): Long = {
    request(kind, function, rs1, rs2)
    val start = cycle
    do {
      domain.waitSampling(); assert(cycle - start < 1000, s"${kind.name} has no answer")
    } while (!dut.io.command.response.valid.toBoolean)
    took = cycle - start
    val answer = dut.io.command.response.payload.toLong
    domain.waitSampling(1)
    answer
  }
  /** Submits a command with the arguments first, first + 1, ... */
  def submit(operation: Int, first: Long): Long = {
    for (i <- 0 until 3) stage(i, first + 2 * i, first + 2 * i + 1)
    ask(Instruction.Submit, operation, first + 6, first + 7)
  }
  def results(tag: Long): Seq[Long] = (0 until 4).map(i => ask(Instruction.Result, i, tag))

  /** Takes the next command of a unit; returns its tag and arguments. */
  def take(unit: Int): (Long, Seq[Long]) = {
    val command = dut.io.units(unit).command
    command.ready #= true
    val end = cycle + 100
    var arguments = Seq.empty[Long]
    do {
      arguments = seen(unit)
      domain.waitSampling()
      assert(cycle < end, s"unit $unit gets no command")
    } while (!command.valid.toBoolean)
    command.ready #= false
    (command.tag.toLong, arguments)
  }
  private val kinds = dut.p.units.flatMap { case (kind, count) => Seq.fill(count)(kind) }
  /** Returns the arguments that a unit is offered in this cycle; looked up in random order if the unit looks them up.
    */
  def seen(unit: Int): Seq[Long] = if (dut.p.looking(kinds(unit))) {
    val port = dut.io.arguments(kinds.take(unit).count(dut.p.looking))
    val words = mutable.Map[Int, Long]()
    for (i <- simRandom.shuffle((0 until 8).toList)) {
      port.index #= i
      sleep(1)
      words(i) = port.word.toLong
    }
    (0 until 8).map(words)
  } else {
    sleep(1)
    dut.io.units(unit).command.arguments.map(_.toLong).toSeq
  }
  /** Offers completions of units in the same cycle, and waits until all are taken. */
  def complete(which: (Int, (Long, Int, Seq[Long]))*): Unit = {
    for ((unit, (tag, status, results)) <- which) {
      val completion = dut.io.units(unit).completion
      completion.valid #= true
      completion.tag #= tag
      completion.status #= status
      for (i <- 0 until 4) completion.results(i) #= results.applyOrElse(i, (_: Int) => 0L)
    }
    var left = which.map(_._1).toSet
    while (left.nonEmpty) {
      domain.waitSampling()
      for (unit <- left if dut.io.units(unit).completion.ready.toBoolean) {
        dut.io.units(unit).completion.valid #= false
        left -= unit
      }
    }
  }
}
