package heapwire.protobuf.engine.message

import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.microcode._
import spinal.core._
import spinal.lib._

/** How acts change flags. Those of a step change with it, too. */
object Flags {
  def change(execution: Execution, command: Command, message: OpenMessage): Unit = {
    import execution._
    for (flag <- Flag.all) {
      when(does(flag.raise)) { flags(flag.index) := True }
      when(does(flag.lower)) { flags(flag.index) := False }
    }
    when(message.enters) {
      for (i <- 0 until Flag.OfMessage) flags(i) := False
      when(is(Flag.listOpen) && is(Flag.onTop) && !message.native) { flags(Flag.outerValid.index) := True }
    }
    when(does(Act.setState)) { for (i <- 0 until Flag.OfMessage) flags(i) := result(i) }
    when(does(Act.setShape) || does(Act.openList)) { flags(Flag.elsewhere.index) := False }
    when(does(Act.openList)) {
      for (flag <- Seq(Flag.listOpen, Flag.onTop)) flags(flag.index) := True
      flags(Flag.moved.index) := False
    }
    when(command.begins) { for (flag <- flags) flag := False }
    when(does(Act.closeSequence)) { flags(Flag.live.index) := False }
  }
}
