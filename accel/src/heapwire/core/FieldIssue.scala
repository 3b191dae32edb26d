package heapwire.core

import heapwire.isa.FieldInstruction
import heapwire.isa.FieldInstruction._
import heapwire.memory.{FieldPort, FieldRequest, RegisterWrite}
import spinal.core._
import spinal.lib._

/** Hands the custom-1 instructions to their unit, in order: see [[FieldInstruction]].
  *
  * `seroutput` and `serfield` are done as soon as the unit has room for them. `parfield` and `chksuccess` wait for an
  * answer, and are sent only when the answer will come soon. Long waits therefore happen here, where an interrupt takes
  * precedence. An instruction takes 2 cycles here and the unit's cycles.
  */
case class FieldIssue() extends Component {
  val io = new Bundle {
    val request = slave(Flow(CommandRequest()))
    val response = master(Flow(Bits(32 bits)))
    val interrupt = in Bool ()
    /** The core is held in reset: drops its instruction. */
    val abandon = in Bool ()
    val storesDrained = in Bool ()
    val registers = slave(Flow(RegisterWrite()))
    val unit = master(FieldPort())
  }
  io.unit.registers << io.registers

  val active, sent, stale = RegInit(False)
  val current = Reg(CommandRequest())
  when(io.request.valid) {
    active := True
    sent := False
    current := io.request.payload
  }
  def is(kind: Kind): Bool = current.kind === kind.funct3
  private def function(value: Int): Bool = current.function === value

  val drains = is(Seroutput) && (function(SetUp.Output) || function(SetUp.Input) || function(SetUp.Destination))
  val parses = is(Parfield) || is(Chksuccess) && function(Check.Take)
  val answered = is(Parfield) || is(Chksuccess)

  val push = Stream(FieldRequest())
  val registered = push.m2sPipe()
  io.unit.request << registered
  val settled = io.unit.settled && !registered.valid
  val parsing = io.unit.parsing || registered.valid
  val mayGo = Mux(drains, io.storesDrained, True) && Mux(parses, !parsing, !is(Chksuccess) || settled)
  io.unit.flush := RegNext(active && is(Chksuccess) && !parses && !sent) init False

  push.valid := active && !sent && mayGo && !stale && !io.abandon
  push.kind := current.kind(1 downto 0)
  push.function := current.function
  push.rs1 := current.rs1
  push.rs2 := current.rs2

  val done = False
  val answer = B(0, 32 bits)
  io.response.valid := RegNext(done && !io.abandon) init False
  io.response.payload := RegNextWhen(answer, done)
  when(done || io.abandon) {
    active := False
    sent := False
  }
  val arrives = io.unit.response.valid && !stale
  when(push.fire) {
    when(answered) { sent := True } otherwise { done := True }
  } elsewhen (active && !sent && io.interrupt) {
    done := True
    answer := is(Parfield) ? current.rs1 | B(NotTaken.toLong & 0xffffffffL, 32 bits)
  }
  when(active && sent && arrives) {
    done := True
    answer := io.unit.response.payload
  }
  // The answer to an instruction of a core that was reset in between is dropped.
  when(io.unit.response.valid) { stale := False }
  when(io.abandon && active && sent && !arrives) { stale := True }
}
