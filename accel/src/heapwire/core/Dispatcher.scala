package heapwire.core

import heapwire.memory.UnitCommand
import spinal.core._
import spinal.lib._

/** Distributes commands among several units of a kind. The first unit without a command gets the next command, so a
  * long command never delays one that another unit could run. Commands that come one at a time all go to the first
  * unit, whose caches are then warm.
  */
case class Dispatcher(tagWidth: Int, units: Int) extends Component {
  val io = new Bundle {
    val command = slave(Stream(UnitCommand(tagWidth)))
    val commands = Vec.fill(units)(master(Stream(UnitCommand(tagWidth))))
    /** One bit per unit: its completion was taken. */
    val completed = in Bits (units bits)
  }
  val busy = RegInit(B(0, units bits))
  val chosen = Reg(UInt(log2Up(units) bits))
  val offering = RegInit(False)
  private val offer = io.command.continueWhen(offering)
  when(!offer.valid && !busy.andR) {
    offering := True
    chosen := OHToUInt(OHMasking.first(~busy))
  }
  when(offer.fire) { offering := False }
  for ((command, i) <- io.commands.zipWithIndex) {
    command.valid := offer.valid && chosen === i
    command.payload := offer.payload
    busy(i) clearWhen io.completed(i)
    busy(i) setWhen command.fire
  }
  offer.ready := io.commands.map(_.ready).read(chosen)
}
