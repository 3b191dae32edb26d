package heapwire.crossing

import heapwire.memory.{FieldPort, UnitActivity, UnitPort}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

import scala.collection.mutable.ArrayBuffer

/** The interfaces of a unit that runs at half the cluster's clock rate. `phase.domain` is the unit's clock domain. Each
  * function takes an interface on the unit's side and returns it on the cluster's side, with the same contract.
  * Commands and completions cross at half the rate of the others, because they are wide and rare.
  */
class HalfRate(clock: Bool) extends Area {
  val phase = new Phase(clock)
  private val waits = ArrayBuffer(phase.starting)
  /** An item is crossing, so the unit's clock must run. */
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

  /** Carries a flow to the unit. At most [[HalfRate.Burst]] items may follow one another in successive cycles; later
    * ones may come every second cycle. Returns whether an item is crossing.
    */
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
    // No command overtakes an earlier register write.
    toUnit(inner.command, outer.command.haltWhen(setting), pipelined = false)
    fromUnit(inner.completion, outer.completion, pipelined = false)
    outer.activity := activity(inner.activity)
    outer
  }

  /** `settled` and `parsing` must not report an idle unit before the unit has received every request that the cluster
    * counts as taken. The number of requests that reached the unit therefore crosses with them. `flush` crosses only
    * after these requests.
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
  /** The most register writes that may follow one another in successive cycles. */
  val Burst = 3
  /** Bits of the counts of requests: fewer requests than this can count are ever between the cluster and its knowledge
    * of the unit.
    */
  private val CountWidth = 4
}
