package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

object CoreRoad {
  /** The source id of the instruction cache's requests, which [[DataBridge]] does not use. */
  val Instructions = 3
  def node(p: MemoryParameter): NodeParameters = p.master("core", sources = 4, get = true, put = true)
}

/** Merges the core's two buses to main memory into one, and carries the data back, peripherals' data included.
  *
  * Requests for instructions have priority; at most one is outstanding. An offered data request may therefore be
  * replaced by an instruction request until it is taken. `words` (data of peripherals) cannot wait: an answer of memory
  * waits for them, and both bridges receive them on the lines of memory's data.
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
