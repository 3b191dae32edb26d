package heapwire.core

import heapwire.memory.UnitCommand
import spinal.core._
import spinal.lib._

/** Hands commands to several units of a kind: the first without a command gets the next one, so a long command never holds up
  * one that another unit could run. Commands that come one at a time all go to the first unit, whose caches know them.
  */
case class Dispatcher(tagWidth: Int, units: Int) extends Component {
  val io = new Bundle {
    val command = slave(Stream(UnitCommand(tagWidth)))
    val commands = Vec.fill(units)(master(Stream(UnitCommand(tagWidth))))
    /** The unit's completion was taken. */
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
