package heapwire.cereal.serialize

import heapwire.isa.RuntimeRegister
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The result of an owner word's look-up. */
case class EpochAnswer() extends Bundle {
  val counts = Bool()
  /** The bus denied the read. */
  val error = Bool()
}

/** Looks up whether an owner word is valid: its epoch must be open, and its lower half must not be retired. Software
  * keeps the list in memory; it is read each time, because it may change while commands run. Look-ups are rare: only
  * objects that another serialization has marked, with an owner word that is not below the lowest valid one, need them.
  *
  * `owner`: hold it valid until `answer` fires, which takes at least 2 cycles and the latency of memory; or withdraw
  * it, and ask again when `idle`. The answer waits until it is taken. Without a list every owner word is valid.
  */
case class OpenEpochs(m: MemoryParameter) extends Component {
  val node: NodeParameters = m.master("open_epochs", 1, get = true)
  val io = new Bundle {
    /** Address of the list, or 0. */
    val list = in UInt (32 bits)
    val owner = slave(Flow(UInt(32 bits)))
    val answer = master(Stream(EpochAnswer()))
    val idle = out(Bool())
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
  private val (epoch, low) = (io.owner.payload(31 downto 16), io.owner.payload(15 downto 0))
  val here = d.data.subdivideIn(32 bits).map(entry =>
    entry(15 downto 0).asUInt === epoch && low >= entry(31 downto 16).asUInt).orR
  val answered = d.valid && d.isLast()
  when(d.valid) {
    found setWhen here
    error setWhen d.denied
  }
  val done = RegInit(False)
  done := io.owner.valid && (answered || done) && !io.answer.fire
  io.idle := !inFlight
  when(answered) { inFlight := False }
  val none = io.list === 0
  when(io.owner.valid && !inFlight && !done && !none) {
    inFlight := True
    asked := True
    found := False
    error := False
  }
  io.answer.valid := io.owner.valid && (done || none)
  io.answer.counts := found || none
  io.answer.error := error && !none
}
