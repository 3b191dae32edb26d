package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** When hasbits are looked at and set. */
class EngineHasbitsUse(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  val ofList = active && is(Kind.ofTarget)
  private val singular = !entry.repeated && (step.action === Action.Scalar || step.action === Action.Str || step.action === Action.Message)
  val stepHere = stepping && at.stepValid
  // Unknown groups have no hasbits: a message that ends in one still has its own.
  hasbits.io.level := depth - groups
  hasbits.io.begin.valid := does(Act.hasbitsBegin) || does(Act.hasbitsOpen)
  // A table that says more than 16 words ends the command, at the latest in the next instruction, unless it says that its objects are usual,
  // which no loaded table does: then the low bits of that number count.
  hasbits.io.begin.payload := does(Act.hasbitsOpen) ? ask.words(3)(20 downto 16).asUInt | computed.resize(5)
  // None is at hand when a message goes on.
  hasbits.io.want.valid := ofList || wants(Act.hasbitsHere) || stepHere && singular || !hasbits.io.valid && !command.writing || writer.io.wantBit
  private val hasbitsIndex = Reg(UInt(4 bits))
  when(does(Act.hasbitsAt)) { hasbitsIndex := result.resized }
  when(command.begins || does(Act.leave)) { hasbitsIndex := 0 }
  hasbits.io.want.payload := wants(Act.hasbitsHere) ? hasbitsIndex | target.bit(8 downto 5)
  /** The word of the field's or list's bit is at hand: of the field or list all is known a cycle before its bit is looked at. */
  val targetReady = RegNext(hasbits.io.stays && hasbits.io.index === target.bit(8 downto 5)) init False
  private val indexReady = hasbits.io.stays && hasbits.io.index === hasbitsIndex && !ask.busy && !does(Act.hasbitsAt)
  /** The word of the index is at hand, and was in the cycle before: what follows from it and from the header is known a cycle later. */
  val indexSettled = !ask.busy && (RegNext(indexReady) init False)
  // A cycle later: nothing asks for another word so soon, nor looks at this one.
  hasbits.io.put.valid := RegNext(does(Act.hasbitsPut) || does(Act.hasbitsPutAndScan)) init False
  hasbits.io.put.payload := RegNext(result.asBits)
  hasbits.io.setWords.valid := does(Act.setState)
  hasbits.io.setWords.payload := result(Flag.OfMessage + widthOf(ListShape()), 5 bits)
  hasbits.io.release := does(Act.enter) || does(Act.leave)
}
