package heapwire.crossing

import heapwire.memory.{FieldPort, UnitActivity, UnitPort}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

import scala.collection.mutable.ArrayBuffer

/** The borders of a unit that runs at half the cluster's rate: `phase.domain` is to be the unit's,
  * each function takes a border as the unit has it and gives it as the cluster sees it, same contract.
  *
  * Commands and their completions pass at half the rate of the others, being wide and rare.
  */
class HalfRate(clock: Bool) extends Area {
  val phase = new Phase(clock)
  private val waits = ArrayBuffer(phase.starting)
  /** Something is on its way, and wants edges of the unit's clock. */
  def pending: Bool = waits.orR

  private def crossed[T <: Data](inner: Stream[T], pipelined: Boolean = true) = {
    val crossing = ToUnit(HardType(inner.payloadType()), phase.domain, pipelined)
    crossing.io.move := phase.move
    inner << crossing.io.output
    waits += crossing.io.pending
    crossing.io
  }

  def toUnit[T <: Data](inner: Stream[T], outer: Stream[T], pipelined: Boolean = true): Unit =
    crossed(inner, pipelined).input << outer

  def fromUnit[T <: Data](inner: Stream[T], outer: Stream[T], pipelined: Boolean = true): Unit = {
    val crossing = FromUnit(HardType(inner.payloadType()), phase.domain, pipelined)
    crossing.io.move := phase.move
    crossing.io.input << inner
    waits += crossing.io.pending
    outer << crossing.io.output
  }

  /** A flow, of which [[HalfRate.Burst]] items may follow one another, and later ones every second cycle; true while one is on its way. */
  private def toUnit[T <: Data](inner: Flow[T], outer: Flow[T]): Bool = {
    val stream = Stream(HardType(inner.payloadType()))
    inner << stream.toFlow
    val queued = outer.toStream.queueLowLatency(HalfRate.Burst - 1, latency = 0)
    val crossing = crossed(stream)
    crossing.input << queued
    queued.valid || crossing.waiting
  }

  private def activity(inner: UnitActivity): UnitActivity = {
    val outer = UnitActivity()
    outer.assignFromBits(phase.fromUnit(inner.asBits))
    outer
  }

  def port(inner: UnitPort): UnitPort = {
    val outer = UnitPort(inner.tagWidth)
    val setting = toUnit(inner.registers, outer.registers)
    // No command overtakes a register that was written before it.
    toUnit(inner.command, outer.command.haltWhen(setting), pipelined = false)
    fromUnit(inner.completion, outer.completion, pipelined = false)
    outer.activity := activity(inner.activity)
    outer
  }

  /** `settled` and `parsing` say nothing good before the unit has every request that the cluster sees as
    * taken: the number of requests that reached the unit comes with them. `flush` goes out only behind them.
    */
  def fields(inner: FieldPort): FieldPort = {
    val outer = FieldPort()
    val setting = toUnit(inner.registers, outer.registers)
    toUnit(inner.request, outer.request.haltWhen(setting))
    val response = Stream(Bits(32 bits))
    fromUnit(inner.response.toStream, response)
    outer.response << response.toFlow

    val sent = Reg(UInt(HalfRate.CountWidth bits)) init 0
    when(outer.request.fire) { sent := sent + 1 }
    val reached = phase.domain(Reg(UInt(HalfRate.CountWidth bits)) init 0)
    when(inner.request.fire) { reached := reached + 1 }
    val seen = phase.fromUnit(reached ## inner.settled ## inner.parsing)
    val all = seen(2, HalfRate.CountWidth bits).asUInt === sent
    outer.settled := seen(1) && all
    outer.parsing := seen(0) || !all
    inner.flush := phase.toUnit(outer.flush && all)
    outer.activity := activity(inner.activity)
    outer
  }

  def bus(node: NodeParameters, inner: Bus): Bus = {
    require(!node.withBCE, "the buses of units have no probes")
    val outer = Bus(node)
    fromUnit(inner.a, outer.a)
    toUnit(inner.d, outer.d)
    outer
  }
}

object HalfRate {
  /** Writes of registers that may follow one another in successive cycles. */
  val Burst = 3
  /** More requests of fields are never between the cluster and what it knows of the unit. */
  private val CountWidth = 4
}
