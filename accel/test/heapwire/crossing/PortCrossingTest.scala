package heapwire.crossing

import heapwire.memory.{FieldPort, UnitPort}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._

import scala.collection.mutable
import scala.util.Random

/** The crossings of a unit's ports. The test plays the unit. */
class PortCrossings extends Component {
  val unitClock = in Bool ()
  val unitReset = out Bool ()
  val half = new HalfRate(unitClock)
  val inner = new Bundle {
    val port = master(UnitPort(4))
    val fields = master(FieldPort())
  }
  val outer = new Bundle {
    val port = slave(UnitPort(4))
    val fields = slave(FieldPort())
  }
  half.port(inner.port) <> outer.port
  half.fields(inner.fields) <> outer.fields
  unitReset := half.phase.domain.readResetWire
}

class PortCrossingTest extends AnyFunSuite {
  private lazy val compiled = TwoClocks.compile("port_crossing")(new PortCrossings)

  private def bench(name: String, seeds: Range = 1 to 3)(
      body: (PortCrossings, Random, ClockDomain) => scala.Unit): scala.Unit =
    for (seed <- seeds) compiled.doSim(s"${name}_$seed", seed) { dut =>
      val random = new Random(seed)
      for (port <- Seq(dut.outer.port.command, dut.inner.port.completion)) port.valid #= false
      dut.outer.port.registers.valid #= false
      dut.outer.port.completion.ready #= true
      dut.inner.port.command.ready #= true
      dut.inner.port.activity.busy #= false
      dut.outer.fields.request.valid #= false
      dut.outer.fields.registers.valid #= false
      dut.outer.fields.flush #= false
      dut.inner.fields.request.ready #= true
      dut.inner.fields.response.valid #= false
      dut.inner.fields.settled #= true
      dut.inner.fields.parsing #= false
      TwoClocks.start(dut.clockDomain, dut.unitClock, Seq(0, 40, -40)(seed % 3), odd = seed % 2 == 0)
      body(dut, random, ClockDomain(dut.unitClock))
    }

  test("registers that follow one another reach the unit, before the command behind them") {
    bench("registers") { (dut, random, unit) =>
      val seen = mutable.ArrayBuffer[Long]()
      unit.onActiveEdges {
        if (!dut.unitReset.toBoolean) {
          if (dut.inner.port.registers.valid.toBoolean) seen += dut.inner.port.registers.value.toLong
          if (dut.inner.port.command.valid.toBoolean && dut.inner.port.command.ready.toBoolean) seen +=
            dut.inner.port.command.tag.toLong
          dut.inner.port.command.ready #= random.nextBoolean()
        }
      }
      val sent = mutable.ArrayBuffer[Long]()
      // The first ones come while the unit is still in reset.
      dut.clockDomain.waitSampling()
      for (_ <- 0 until 50) {
        for (_ <- 0 until random.nextInt(HalfRate.Burst + 1)) {
          dut.outer.port.registers.valid #= true
          sent += 16 + random.nextInt(1 << 20)
          dut.outer.port.registers.value #= sent.last
          dut.clockDomain.waitSampling()
          dut.outer.port.registers.valid #= false
        }
        dut.outer.port.command.valid #= true
        sent += random.nextInt(16)
        dut.outer.port.command.tag #= sent.last.toInt
        dut.clockDomain.waitSamplingWhere(dut.outer.port.command.ready.toBoolean)
        dut.outer.port.command.valid #= false
        // Registers are written only while units are idle.
        waitUntil(seen.size == sent.size)
        dut.clockDomain.waitSampling(random.nextInt(6))
      }
      assert(seen == sent)
    }
  }

  test("settled and not parsing mean it, a response is not lost, flush comes behind the requests") {
    bench("fields") { (dut, random, unit) =>
      val port = dut.outer.fields
      val waiting = mutable.Queue[Long]()
      var accepted, received, done, flushed, flushes, responses, settled = 0
      unit.onActiveEdges {
        val inner = dut.inner.fields
        if (!dut.unitReset.toBoolean) {
          if (inner.flush.toBoolean) {
            assert(received >= flushed, "flush has overtaken a request")
            flushes += 1
          }
          inner.response.valid #= false
          if (inner.request.valid.toBoolean && inner.request.ready.toBoolean) {
            waiting += inner.request.rs1.toLong
            received += 1
          }
          // As in the unit: low from the edge at which a request is taken, high when its last effect is over.
          else if (waiting.nonEmpty && random.nextInt(3) == 0) {
            inner.response.valid #= true
            inner.response.payload #= waiting.dequeue()
            done += 1
          }
          inner.request.ready #= waiting.size < 3 && random.nextInt(4) > 0
          inner.settled #= waiting.isEmpty
          inner.parsing #= waiting.nonEmpty
        }
      }
      dut.clockDomain.onSamplings {
        if (port.settled.toBoolean || !port.parsing.toBoolean && accepted > 0)
          assert(done == accepted, "a request is under way")
        if (port.settled.toBoolean) settled += 1
        if (port.response.valid.toBoolean) {
          assert(port.response.payload.toLong == responses)
          responses += 1
        }
        if (port.request.valid.toBoolean && port.request.ready.toBoolean) accepted += 1
      }
      for (_ <- 0 until 60) {
        for (_ <- 0 until random.nextInt(7)) {
          port.request.valid #= true
          port.request.rs1 #= accepted
          dut.clockDomain.waitSamplingWhere(port.request.ready.toBoolean)
          port.request.valid #= false
          if (random.nextBoolean()) dut.clockDomain.waitSampling(random.nextInt(4))
        }
        flushed = accepted
        port.flush #= true
        if (random.nextBoolean()) dut.clockDomain.waitSamplingWhere(port.settled.toBoolean)
        else dut.clockDomain.waitSampling(random.nextInt(10))
        port.flush #= false
        // The next instruction does not come earlier than that.
        dut.clockDomain.waitSampling(3)
      }
      dut.clockDomain.waitSamplingWhere(port.settled.toBoolean)
      dut.clockDomain.waitSampling(2)
      assert(responses == accepted && accepted > 100 && settled > 20 && flushes > 20)
    }
  }
}
