package heapwire.core

import heapwire.memory.UnitCommand
import spinal.core._
import spinal.lib._

/** The queue of one kind of unit. A sole unit gets every command at once; of several,
  * the first without a command gets the next one, so a long command never holds up
  * one that another unit could run.
  */
case class Dispatcher(tagWidth: Int, depth: Int, units: Int) extends Component {
  require(units >= 1, "a queue needs a unit")
  val io = new Bundle {
    val push = slave(Stream(UnitCommand(tagWidth)))
    val commands = Vec.fill(units)(master(Stream(UnitCommand(tagWidth))))
    /** The unit's completion was taken. */
    val completed = in Vec (Bool(), units)
  }
  val queue = StreamFifo(UnitCommand(tagWidth), depth, latency = 1)
  queue.io.push << io.push

  if (units == 1) io.commands(0) << queue.io.pop
  else {
    val busy = RegInit(B(0, units bits))
    val chosen = Reg(UInt(log2Up(units) bits))
    val offering = RegInit(False)
    when(!offering && queue.io.pop.valid && !busy.andR) {
      offering := True
      chosen := OHToUInt(OHMasking.first(~busy))
    }
    val offer = queue.io.pop.continueWhen(offering)
    when(offer.fire) { offering := False }
    for ((command, i) <- io.commands.zipWithIndex) {
      command.valid := offer.valid && chosen === i
      command.payload := offer.payload
      busy(i) clearWhen io.completed(i)
      busy(i) setWhen command.fire
    }
    offer.ready := io.commands.map(_.ready).read(chosen)
  }
}
