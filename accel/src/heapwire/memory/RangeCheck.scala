package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Lets through what lies in main memory and answers everything else `denied`,
  * with as many beats as asked for and nothing written.
  */
case class RangeCheck(node: NodeParameters, dram: LiteDramParameter) extends Component {
  val io = new Bundle {
    val up = slave(Bus(node))
    val down = master(Bus(node))
  }
  private val inside = io.up.a.address(31 downto log2Up(dram.memoryBytes)) === (dram.memoryBase >> log2Up(dram.memoryBytes))

  val demux = StreamDemux(io.up.a, (!inside).asUInt, 2)
  io.down.a << demux(0)

  val denial = new Area {
    // A Put is answered at its last beat, a Get with all of its beats.
    val request = demux(1).m2sPipe()
    val isGet = Opcode.A.isGet(request.opcode)
    val last = request.isLast()
    val answer = Stream(ChannelD(io.up.p))
    val beat = Reg(io.up.p.beat()) init 0
    val lastBeat = !isGet || beat === request.sizeToBeatMinusOne()
    answer.valid := request.valid && (isGet || last)
    request.ready := isGet ? (answer.ready && lastBeat) | (!last || answer.ready)
    when(answer.fire) { beat := lastBeat ? U(0) | (beat + 1) }
    answer.opcode := isGet ? Opcode.D.ACCESS_ACK_DATA() | Opcode.D.ACCESS_ACK()
    answer.param := 0
    answer.source := request.source
    answer.size := request.size
    answer.sink := 0
    answer.denied := True
    answer.corrupt := isGet
    answer.data := 0
  }

  StreamArbiterFactory().lowerFirst.lambdaLock[ChannelD](_.isLast()).on(List(io.down.d, denial.answer)) >> io.up.d
}
