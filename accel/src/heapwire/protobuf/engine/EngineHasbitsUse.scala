package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** When hasbits are read and set. */
class EngineHasbitsUse(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  val ofList = active && is(Kind.ofTarget)
  private val singular = !entry.repeated &&
    (step.action === Action.Scalar || step.action === Action.Str || step.action === Action.Message)
  val stepHere = stepping && at.stepValid
  // Unknown groups have no hasbits: a message that ends in an unknown group still has its own level.
  hasbits.io.level := depth - groups
  hasbits.io.begin.valid := does(Act.hasbitsBegin) || does(Act.hasbitsOpen)
  // A table with more than 16 words of hasbits ends the command, in the next instruction at the latest. The exception
  // is a table that claims that its objects are usual, which no loaded table does: then only the low bits of the number
  // count.
  hasbits.io.begin.payload := does(Act.hasbitsOpen) ? ask.words(3)(20 downto 16).asUInt | computed.resize(5)
  // There is no current word when a message is resumed.
  hasbits.io.want.valid := ofList || wants(Act.hasbitsHere) || stepHere && singular ||
    !hasbits.io.valid && !command.writing || writer.io.wantBit
  private val hasbitsIndex = Reg(UInt(4 bits))
  when(does(Act.hasbitsAt)) { hasbitsIndex := result.resized }
  when(command.begins || does(Act.leave)) { hasbitsIndex := 0 }
  hasbits.io.want.payload := wants(Act.hasbitsHere) ? hasbitsIndex | target.bit(8 downto 5)
  /** The word with the field's or list's bit is the current one. The field or list is known a cycle before its bit is
    * read.
    */
  val targetReady = RegNext(hasbits.io.stays && hasbits.io.index === target.bit(8 downto 5)) init False
  private val indexReady = hasbits.io.stays && hasbits.io.index === hasbitsIndex && !ask.busy && !does(Act.hasbitsAt)
  /** The word of the index is the current one, and was in the cycle before. Conditions derived from it and from the
    * header are valid a cycle later.
    */
  val indexSettled = !ask.busy && (RegNext(indexReady) init False)
  // One cycle late. No other word is requested, and this one is not read, that soon.
  hasbits.io.put.valid := RegNext(does(Act.hasbitsPut) || does(Act.hasbitsPutAndScan)) init False
  hasbits.io.put.payload := RegNext(result.asBits)
  hasbits.io.setWords.valid := does(Act.setState)
  hasbits.io.setWords.payload := result(Flag.OfMessage + widthOf(ListShape()), 5 bits)
  val enters = does(Act.enter) || does(Act.enterAndRelease) || does(Act.enterAndAsk)
  hasbits.io.release := enters || does(Act.leave)
}
