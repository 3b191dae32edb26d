package heapwire.crossing

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._

import scala.collection.mutable
import scala.util.Random

/** A stream in each direction, pipelined and not. */
class StreamCrossings extends Component {
  val unitClock = in Bool ()
  val unitReset = out Bool ()
  val phase = new Phase(unitClock)
  unitReset := phase.domain.readResetWire

  class Lane(pipelined: Boolean) extends Area {
    private val toUnit = ToUnit(UInt(16 bits), phase.domain, pipelined)
    private val fromUnit = FromUnit(UInt(16 bits), phase.domain, pipelined)
    toUnit.io.move := phase.move
    fromUnit.io.move := phase.move
    val downInput, upInput = slave(Stream(UInt(16 bits)))
    val downOutput, upOutput = master(Stream(UInt(16 bits)))
    toUnit.io.input << downInput
    downOutput << toUnit.io.output
    fromUnit.io.input << upInput
    upOutput << fromUnit.io.output
  }
  val pipelined = new Lane(true)
  val spared = new Lane(false)
}

/** One side's ends of both streams: offers consecutive numbers, expects those of the other side, and checks the
  * contract of streams.
  */
class End(input: Stream[UInt], output: Stream[UInt], random: Random) {
  var offers, takes = 1.0
  val sent, got = mutable.ArrayBuffer[Int]()
  private var next = 0
  private var stood = Option.empty[Int]
  input.valid #= false
  output.ready #= false

  /** To be called at each edge of the side's clock outside of reset. */
  def edge(): Unit = {
    val fires = input.valid.toBoolean && input.ready.toBoolean
    if (fires) sent += input.payload.toInt
    if (fires || !input.valid.toBoolean) {
      next = (next + 1) & 0xffff
      input.valid #= random.nextDouble() < offers
      input.payload #= next
    }
    val value = Option.when(output.valid.toBoolean)(output.payload.toInt)
    if (stood.nonEmpty) assert(value == stood, s"offered $stood, not taken, then $value")
    if (value.nonEmpty && output.ready.toBoolean) got += value.get
    stood = if (output.ready.toBoolean) None else value
    output.ready #= random.nextDouble() < takes
  }

  /** Drops everything before; the numbers continue. */
  def reset(): Unit = {
    sent.clear()
    got.clear()
    stood = None
    input.valid #= false
  }
}

class StreamCrossingTest extends AnyFunSuite {
  private lazy val compiled = TwoClocks.compile("stream_crossing")(new StreamCrossings)

  for (pipelined <- Seq(true, false)) {
    class Bench(dut: StreamCrossings, seed: Int, skew: Int) {
      val random = new Random(seed)
      private val lane = if (pipelined) dut.pipelined else dut.spared
      val cluster = new End(lane.downInput, lane.upOutput, random)
      val unit = new End(lane.upInput, lane.downOutput, random)
      var cycles = 0
      private var unitResets = 0
      dut.clockDomain.onActiveEdges {
        cycles += 1
        if (dut.clockDomain.resetSim.toBoolean) cluster.reset() else cluster.edge()
      }
      ClockDomain(dut.unitClock).onActiveEdges {
        if (dut.unitReset.toBoolean) {
          unit.reset()
          unitResets += 1
        } else {
          if (unitResets > 0) assert(unitResets >= 7, "the unit's reset was too short")
          unitResets = 0
          unit.edge()
        }
      }
      TwoClocks.start(dut.clockDomain, dut.unitClock, skew, odd = random.nextBoolean(), start = 1 + random.nextInt(6))

      def run(count: Int): Unit = sleep(count * TwoClocks.Period)
      /** Checks that what arrived is what was sent, except for items on their way. */
      def check(): Unit = for ((from, to) <- Seq(cluster -> unit, unit -> cluster)) {
        assert(from.sent.startsWith(to.got))
        assert(from.sent.size - to.got.size <= 4)
      }
    }

    for (skew <- Seq(0, 40, -40)) test(s"random stalls, skew $skew %, pipelined $pipelined") {
      for (seed <- 1 to 2) compiled.doSim(s"stalls_${pipelined}_${skew}_$seed", seed) { dut =>
        val bench = new Bench(dut, seed, skew)
        for (_ <- 0 until 12) {
          for (end <- Seq(bench.cluster, bench.unit)) {
            end.offers = bench.random.nextInt(5) / 4.0
            end.takes = bench.random.nextInt(5) / 4.0
          }
          bench.run(400)
          bench.check()
        }
        assert(bench.cluster.got.size > 100 && bench.unit.got.size > 100)
      }
    }

    test(s"one item a unit's cycle if pipelined ($pipelined), else one in two") {
      compiled.doSim(s"rate_$pipelined", 1) { dut =>
        val bench = new Bench(dut, 1, 0)
        bench.run(60)
        val before = bench.cluster.got.size -> bench.unit.got.size
        bench.run(400)
        bench.check()
        val items = if (pipelined) 200 else 100
        for ((got, at) <- Seq(bench.cluster.got.size -> before._1, bench.unit.got.size -> before._2))
          assert((got - at - items).abs <= 1)
      }
    }

    test(s"reset in the middle of traffic, pipelined $pipelined") {
      for (seed <- 1 to 2) compiled.doSim(s"reset_${pipelined}_$seed", seed) { dut =>
        val bench = new Bench(dut, seed, Seq(0, 40, -40)(seed % 3))
        for (end <- Seq(bench.cluster, bench.unit)) end.takes = 0.7
        for (_ <- 0 until 10) {
          bench.run(100 + bench.random.nextInt(50))
          bench.check()
          assert(bench.cluster.got.size > 10 && bench.unit.got.size > 10)
          dut.clockDomain.waitRisingEdge()
          dut.clockDomain.resetSim #= true
          dut.clockDomain.waitRisingEdge(1 + bench.random.nextInt(5))
          dut.clockDomain.resetSim #= false
          // Items that the unit takes before its own reset were sent before the reset.
          waitUntil(dut.unitReset.toBoolean)
          ClockDomain(dut.unitClock).waitRisingEdge()
        }
      }
    }
  }
}
