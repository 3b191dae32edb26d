package heapwire.core

import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

/** The TAP of an ECP5 as Lattice describes it: IDCODE, and the two user instructions with JTAGG. */
class Ecp5Tap(jtagg: Jtagg, idCode: Long, half: Int = 11) extends JtagCable {
  import Ecp5Tap._
  private var state = "reset"
  private var ir, shifted = 0L
  jtagg.jtck #= false

  def clock(tms: Boolean, tdi: Boolean): Boolean = {
    val inDr = state == "dr-capture" || state == "dr-shift"
    jtagg.jtdi #= tdi
    jtagg.jrstn #= state != "reset"
    jtagg.jce1 #= inDr && ir == Er1
    jtagg.jce2 #= inDr && ir == Er2
    jtagg.jshift #= state == "dr-shift" && (ir == Er1 || ir == Er2)
    jtagg.jupdate #= state == "dr-update" && (ir == Er1 || ir == Er2)
    sleep(half)
    val tdo = if (state == "dr-shift" && ir == Er1) jtagg.jtdo1.toBoolean
    else if (state == "dr-shift" && ir == Er2) jtagg.jtdo2.toBoolean
    else (shifted & 1) == 1
    jtagg.jtck #= true
    state match {
      case "reset" => ir = IdCode
      case "dr-capture" => shifted = idCode
      case "dr-shift" => shifted = shifted >> 1 | (if (tdi) 1L << 31 else 0)
      case "ir-capture" => shifted = 1
      case "ir-shift" => shifted = shifted >> 1 | (if (tdi) 1L << 7 else 0)
      case "ir-update" => ir = shifted
      case _ =>
    }
    val kind = state.takeWhile(_ != '-')
    state = state match {
      case "reset" => if (tms) "reset" else "idle"
      case "idle" | "dr-update" | "ir-update" => if (tms) "dr-select" else "idle"
      case "dr-select" => if (tms) "ir-select" else "dr-capture"
      case "ir-select" => if (tms) "reset" else "ir-capture"
      case "dr-capture" | "ir-capture" | "dr-shift" | "ir-shift" => if (tms) s"$kind-exit" else s"$kind-shift"
      case "dr-exit" | "ir-exit" => assert(tms, "no pauses here"); s"$kind-update"
    }
    sleep(half)
    jtagg.jtck #= false
    tdo
  }
}

object Ecp5Tap {
  val IdCode = 0xe0
  val Er1 = 0x32
  val Er2 = 0x38
}

class Ecp5TransportTest extends AnyFunSuite {
  test("the debug module behind the ECP5's user instructions") {
    SimConfig.withConfig(
      SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).fewOptimisation
      .compile(DebugPort(DebugTransport.Ecp5)).doSim("ecp5", 1) { dut =>
        dut.clockDomain.forkStimulus(10)
        val hart = dut.io.hart
        for (level <- Seq(hart.halted, hart.unavailable, hart.exception, hart.commit, hart.ebreak, hart.redo,
            hart.regSuccess,
            hart.haveReset, hart.resume.rsp.valid, hart.hartToDm.valid)) level #= false
        hart.running #= true
        var registers = 0L
        dut.clockDomain.onSamplings {
          if (hart.haltReq.toBoolean) { hart.halted #= true; hart.running #= false }
          hart.resume.rsp.valid #= hart.resume.cmd.valid.toBoolean
          if (hart.resume.cmd.valid.toBoolean) { hart.halted #= false; hart.running #= true }
          // An instruction of the debugger sends a word and is done.
          val executes = hart.dmToHart.valid.toBoolean &&
            hart.dmToHart.op.toEnum == spinal.lib.cpu.riscv.debug.DebugDmToHartOp.EXECUTE
          if (executes) registers += 1
          hart.hartToDm.valid #= executes
          hart.hartToDm.address #= 0
          hart.hartToDm.data #= 0x12340000L + registers
          hart.commit #= executes
        }
        dut.clockDomain.waitSampling(20)
        val cable = new Ecp5Tap(dut.io.jtagg, 0x41113043L)
        val d = new Debugger(cable, irWidth = 8, idCode = Ecp5Tap.IdCode, dmiCode = Ecp5Tap.Er2)
        assert(d.connect() == 0x41113043L)
        cable.ir(Ecp5Tap.Er1, 8)
        assert((cable.dr(0, 32) & 0x3ff) == (7 << 4 | 1), "dtmcs: version 0.13, 7 bits of address")
        cable.ir(Ecp5Tap.Er2, 8)
        assert(d.status(Debugger.AllRunning))
        d.halt()
        assert(d.register(5) == 0x12340001L && d.register(6) == 0x12340002L)
        d.resume()
        assert(d.status(Debugger.AllRunning))
      }
  }
}
