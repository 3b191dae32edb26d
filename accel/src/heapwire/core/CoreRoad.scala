package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

object CoreRoad {
  /** The source of an instruction cache's request: none of [[DataBridge]]'s. */
  val Instructions = 3
  def node(p: MemoryParameter): NodeParameters = p.master("core", sources = 4, get = true, put = true)
}

/** The core's bus to main memory, and the place where words come back: those of peripherals, too.
  *
  * A request for instructions goes first: of these there is one at a time. So a request that is offered may give way to another one
  * until it is taken. `words` wait for nothing: memory's answer waits for them, and both bridges find them where memory's data stand.
  */
case class CoreRoad(p: MemoryParameter) extends Component {
  val io = new Bundle {
    val data = slave(Bus(DataBridge.node(p)))
    val instructions = slave(Bus(InstructionBridge.node(p)))
    val words = slave(Flow(Bits(p.dataWidth bits)))
    val memory = master(Bus(CoreRoad.node(p)))
  }
  private val (data, instructions) = (io.data.a, io.instructions.a)
  val a = io.memory.a
  a.valid := data.valid || instructions.valid
  a.payload.assignSomeByName(data.payload)
  when(instructions.valid) {
    a.opcode := Opcode.A.GET()
    a.param := 0
    a.source := CoreRoad.Instructions
    a.address := instructions.address
    a.size := instructions.size
  }
  instructions.ready := a.ready
  data.ready := a.ready && !instructions.valid

  val d = io.memory.d
  d.ready := !io.words.valid
  val word = io.words.valid ? io.words.payload | d.data
  private val toInstructions = d.source === CoreRoad.Instructions
  for ((bus, mine) <- Seq(io.data -> !toInstructions, io.instructions -> toInstructions)) {
    bus.d.valid := d.fire && mine
    bus.d.payload.assignSomeByName(d.payload)
    bus.d.source.removeAssignments() := d.source.resized
    bus.d.data.removeAssignments() := word
  }
}
