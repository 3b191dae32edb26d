package heapwire.cereal.serialize

import heapwire.isa.RuntimeRegister
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** What is known of an epoch. */
case class EpochAnswer() extends Bundle {
  val open = Bool()
  /** The bus denied the read. */
  val error = Bool()
}

/** Whether an epoch is open, as the list in memory says that software keeps: it is read each time, since it may change while commands run.
  * Rare: only objects ask that another serialization marked which is younger than the oldest open one.
  *
  * `epoch`: hold it valid until `answer` fires, which may be in 2 cycles and a latency of memory; or withdraw it, and ask again when `idle`.
  * The answer waits until it is taken. Without a list every epoch counts as open.
  */
case class OpenEpochs(m: MemoryParameter) extends Component {
  val node: NodeParameters = m.master("open_epochs", 1, get = true)
  val io = new Bundle {
    /** Of the list, or 0. */
    val list = in UInt (32 bits)
    val epoch = slave(Flow(UInt(16 bits)))
    val answer = master(Stream(EpochAnswer()))
    val idle = out Bool()
    val bus = master(Bus(node))
  }
  private val bytes = RuntimeRegister.OpenEpochCount * 4
  val asked, inFlight = RegInit(False)
  val found, error = RegInit(False)
  val a = Stream(ChannelA(io.bus.p))
  a.valid := asked
  a.opcode := Opcode.A.GET
  a.param := Param.Hint.NONE
  a.source := 0
  a.address := io.list
  a.address(log2Up(bytes) - 1 downto 0) := 0
  a.size := log2Up(bytes)
  a.debugId := 0
  when(a.fire) { asked := False }
  io.bus.a << a

  val d = io.bus.d
  d.ready := True
  val here = d.data.subdivideIn(32 bits).map(_.asUInt === io.epoch.payload.resize(32)).orR
  val answered = d.valid && d.isLast()
  when(d.valid) {
    found setWhen here
    error setWhen d.denied
  }
  val done = RegInit(False)
  done := io.epoch.valid && (answered || done) && !io.answer.fire
  io.idle := !inFlight
  when(answered) { inFlight := False }
  val none = io.list === 0
  when(io.epoch.valid && !inFlight && !done && !none) {
    inFlight := True
    asked := True
    found := False
    error := False
  }
  io.answer.valid := io.epoch.valid && (done || none)
  io.answer.open := found || none
  io.answer.error := error && !none
}
