package heapwire.core

import spinal.core.sim._
import spinal.lib.com.jtag.Jtag

/** A JTAG chain. `clock` takes TMS and TDI, and returns TDO as it was before the edge. */
trait JtagCable {
  def clock(tms: Boolean, tdi: Boolean): Boolean

  def reset(): Unit = { for (_ <- 0 until 5) clock(tms = true, tdi = false); clock(tms = false, tdi = false) }
  def idle(clocks: Int): Unit = for (_ <- 0 until clocks) clock(tms = false, tdi = false)
  private def move(tms: Int*): Unit = tms.foreach(level => clock(level == 1, tdi = false))
  private def shift(value: BigInt, width: Int): BigInt = (0 until width).map(i =>
    if (clock(i == width - 1, value.testBit(i))) BigInt(1) << i else BigInt(0)).sum
  def ir(value: BigInt, width: Int): Unit = { move(1, 1, 0, 0); shift(value, width); move(1, 0) }
  def dr(value: BigInt, width: Int): BigInt = { move(1, 0, 0); val out = shift(value, width); move(1, 0); out }
}

/** The pins of a TAP; `half` is half a TCK period. */
class JtagPins(jtag: Jtag, half: Int = 11) extends JtagCable {
  jtag.tck #= false
  def clock(tms: Boolean, tdi: Boolean): Boolean = {
    jtag.tms #= tms
    jtag.tdi #= tdi
    sleep(half)
    val tdo = jtag.tdo.toBoolean
    jtag.tck #= true
    sleep(half)
    jtag.tck #= false
    tdo
  }
}

/** A debugger that does what OpenOCD would do, through the debug module (RISC-V debug specification 0.13.2). */
class Debugger(cable: JtagCable, irWidth: Int = 5, idCode: Int = 1, dmiCode: Int = 0x11) {
  import Debugger._
  private def dmi(address: Int, data: Long, op: Int): Long = {
    val out = cable.dr(BigInt(address) << 34 | BigInt(data) << 2 | op, 41)
    assert((out & 3) == 0, s"DMI answers ${out & 3}")
    cable.idle(12)
    ((out >> 2) & 0xffffffffL).toLong
  }
  def write(address: Int, data: Long): Unit = dmi(address, data & 0xffffffffL, 2)
  def read(address: Int): Long = { dmi(address, 0, 1); dmi(0, 0, 0) }

  /** Activates the debug module; returns the TAP's IDCODE. */
  def connect(): Long = {
    cable.reset()
    cable.ir(idCode, irWidth)
    val id = cable.dr(0, 32)
    cable.ir(dmiCode, irWidth)
    write(DmControl, 0)
    write(DmControl, 1)
    id.toLong
  }

  def status(bit: Int): Boolean = (read(DmStatus) >> bit & 1) == 1
  private def until(bit: Int, what: String): Unit = {
    var tries = 0
    while (!status(bit)) {
      tries += 1; assert(tries < 100, s"the hart is not $what: dmstatus ${read(DmStatus).toHexString}")
    }
  }
  def halted: Boolean = status(AllHalted)
  def awaitHalt(): Unit = until(AllHalted, "halted")
  def halt(): Unit = { write(DmControl, 1L << 31 | 1); awaitHalt(); write(DmControl, 1) }
  def resume(): Unit = { write(DmControl, 1L << 30 | 1); until(AllResumeAck, "resumed"); write(DmControl, 1) }
  def reset(haltAfter: Boolean): Unit = {
    val request = if (haltAfter) 1L << 31 else 0L
    write(DmControl, request | 3)
    cable.idle(100)
    write(DmControl, request | 1)
    if (haltAfter) awaitHalt()
    assert(status(AllHaveReset), "havereset is not set")
    write(DmControl, 1L << 28 | 1)
    assert(!status(AllHaveReset))
  }

  /** Runs an abstract command; returns 0, or `cmderr`, which is cleared. */
  private def command(word: Long): Int = {
    write(Command, word)
    var found = read(AbstractCs)
    while ((found >> 12 & 1) == 1) found = read(AbstractCs)
    val error = (found >> 8 & 7).toInt
    if (error != 0) write(AbstractCs, 7 << 8)
    error
  }
  private def good(error: Int): Unit = assert(error == 0, s"cmderr $error")
  def register(index: Int): Long = { good(command(2L << 20 | 1 << 17 | 0x1000 + index)); read(Data0) }
  def register(index: Int, value: Long): Unit = {
    write(Data0, value); good(command(2L << 20 | 3 << 16 | 0x1000 + index))
  }
  /** Runs one instruction from the program buffer; returns 0 or `cmderr`. */
  def execute(instruction: Long): Int = {
    write(ProgBuf, instruction)
    write(ProgBuf + 1, Ebreak)
    command(1 << 18)
  }
  /** Runs `body`, which may use s0, and restores s0. */
  private def borrowing[T](body: => T): T = { val s0 = register(8); val result = body; register(8, s0); result }
  def csr(number: Int): Long = borrowing { good(execute(number.toLong << 20 | 2 << 12 | 8 << 7 | 0x73)); register(8) }
  def csr(number: Int, value: Long): Unit =
    borrowing { register(8, value); good(execute(number.toLong << 20 | 8 << 15 | 1 << 12 | 0x73)) }
  /** Returns the word at an address, or `cmderr`. */
  def load(address: Long): Either[Int, Long] = borrowing {
    register(8, address)
    val error = execute(0x00042403) // lw s0, 0(s0)
    if (error == 0) Right(register(8)) else Left(error)
  }
  def store(address: Long, value: Long): Unit = borrowing {
    val s1 = register(9)
    register(8, address)
    register(9, value)
    good(execute(0x00942023)) // sw s1, 0(s0)
    register(9, s1)
  }
  def pc: Long = csr(DebugHartPlugin.Dpc)
  def pc_=(value: Long): Unit = csr(DebugHartPlugin.Dpc, value)
  def cause: Int = (csr(DebugHartPlugin.Dcsr) >> 6 & 7).toInt
  def control(step: Boolean = false, breakpoints: Boolean = true): Unit =
    csr(DebugHartPlugin.Dcsr, (if (step) 4 else 0) | (if (breakpoints) 1 << 15 else 0) | 3)
  /** Makes one step from a halt; waits for the next halt. */
  def step(): Unit = { control(step = true); resume(); awaitHalt(); control() }
  /** Sets a hardware breakpoint; returns false if there is none with this index. */
  def breakAt(index: Int, address: Long): Boolean = {
    csr(DebugTriggers.Select, index)
    val taken = csr(DebugTriggers.Select) == index
    if (taken) {
      csr(DebugTriggers.Data1, Breakpoint)
      csr(DebugTriggers.Data2, address)
    }
    taken && csr(DebugTriggers.Data1) == Breakpoint && csr(DebugTriggers.Data2) == address
  }
  def clear(index: Int): Unit = { csr(DebugTriggers.Select, index); csr(DebugTriggers.Data1, 0) }
}

object Debugger {
  val Data0 = 0x04
  val DmControl = 0x10
  val DmStatus = 0x11
  val AbstractCs = 0x16
  val Command = 0x17
  val ProgBuf = 0x20
  val AllHalted = 9
  val AllRunning = 11
  val AllUnavailable = 13
  val AllResumeAck = 17
  val AllHaveReset = 19
  val Ebreak = 0x00100073L
  /** The value that OpenOCD writes to `tdata1` for a breakpoint of a core with M-mode only. */
  val Breakpoint = 2L << 28 | 1 << 27 | 1 << 12 | 1 << 6 | 1 << 2
  /** The `cmderr` of an instruction that traps. */
  val Exception = 3
}
