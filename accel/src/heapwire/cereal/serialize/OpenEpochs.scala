package heapwire.cereal.serialize

import heapwire.isa.RuntimeRegister
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** What is known of an owner word. */
case class EpochAnswer() extends Bundle {
  val counts = Bool()
  /** The bus denied the read. */
  val error = Bool()
}

/** Whether an owner word counts: its epoch is open, and its lower half is none that has been retired; as the list in
  * memory says that software keeps: it is read each time, since it may change while commands run. Rare: only objects
  * ask that another serialization marked which is younger than the oldest one that counts.
  *
  * `owner`: hold it valid until `answer` fires, which may be in 2 cycles and a latency of memory; or withdraw it, and
  * ask again when `idle`. The answer waits until it is taken. Without a list everything counts.
  */
case class OpenEpochs(m: MemoryParameter) extends Component {
  val node: NodeParameters = m.master("open_epochs", 1, get = true)
  val io = new Bundle {
    /** Of the list, or 0. */
    val list = in UInt (32 bits)
    val owner = slave(Flow(UInt(32 bits)))
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
  private val (epoch, low) = (io.owner.payload(31 downto 16), io.owner.payload(15 downto 0))
  val here = d.data.subdivideIn(32 bits).map(entry => entry(15 downto 0).asUInt === epoch && low >= entry(31 downto 16).asUInt).orR
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
