package heapwire.protobuf.engine.message

import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.write.ScannerPorts
import spinal.core._
import spinal.lib._

/** When hasbits are read and set.
  *
  * @param header       words of the header's first half, which is requested while `headerComes`
  */
class MessageHasbits(levelWidth: Int, execution: Execution, command: Command, message: OpenMessage,
    current: CurrentField, list: OpenList, scanner: ScannerPorts, header: Vec[Bits], headerComes: Bool) extends Area {
  import current.{entry, step}
  import execution._
  import list.target
  val memory = Hasbits(levelWidth)
  private val ofList = active && is(Kind.ofTarget)
  private val singular = !entry.repeated &&
    (step.action === Action.Scalar || step.action === Action.Str || step.action === Action.View ||
      step.action === Action.Message)
  // Unknown groups have no hasbits: a message that ends in an unknown group still has its own level.
  memory.io.level := message.depth - message.groups
  memory.io.begin.valid := does(Act.hasbitsBegin) || does(Act.hasbitsOpen)
  // A table with more than 16 words of hasbits ends the command, in the next instruction at the latest. The exception
  // is a table that claims that its objects are usual, which no loaded table does: then only the low bits of the number
  // count.
  memory.io.begin.payload := does(Act.hasbitsOpen) ? header(3)(20 downto 16).asUInt | computed.resize(5)
  // There is no current word when a message is resumed.
  memory.io.want.valid := ofList || wants(Act.hasbitsHere) || current.stepping && current.stepValid && singular ||
    !memory.io.valid && !command.writing || scanner.wantBit
  private val ofIndex = Reg(UInt(4 bits))
  when(does(Act.hasbitsAt)) { ofIndex := result.resized }
  when(command.begins || does(Act.leave)) { ofIndex := 0 }
  private val word = target.bit(8 downto 5)
  private val bit = target.bit(4 downto 0)
  memory.io.want.payload := wants(Act.hasbitsHere) ? ofIndex | word
  /** The word with the field's or list's bit is the current one. The field or list is known a cycle before its bit is
    * read.
    */
  val targetReady = RegNext(memory.io.stays && memory.io.index === word) init False
  private val indexReady = memory.io.stays && memory.io.index === ofIndex && !headerComes && !does(Act.hasbitsAt)
  reasons(Kind.ofTarget) := !targetReady
  // The word of the index is the current one, and was in the cycle before. Conditions derived from it and from the
  // header are valid a cycle later.
  reasons(Kind.ofIndex) := !(!headerComes && (RegNext(indexReady) init False))
  // One cycle late. No other word is requested, and this one is not read, that soon.
  memory.io.put.valid := RegNext(does(Act.hasbitsPut) || does(Act.hasbitsPutAndScan)) init False
  memory.io.put.payload := RegNext(result.asBits)
  memory.io.setWords.valid := does(Act.setState)
  memory.io.setWords.payload := result(Flag.OfMessage + widthOf(ListShape()), 5 bits)
  memory.io.release := message.enters || does(Act.leave)
  memory.io.mark.valid := does(Act.mark) || current.stored && !entry.repeated
  memory.io.mark.payload := bit
  // The word with the field's hasbit stays current until another one comes, whatever the program requests.
  scanner.bitReady := memory.io.valid && memory.io.index === word
  scanner.seen := memory.io.word(bit)

  val words: Map[Outside, Bits] = Map(
    Outside.state -> (memory.io.words.asBits ## list.shape.asBits ## flags.asBits(Flag.OfMessage - 1 downto 0)).resize(
      32),
    Outside.hasbits -> memory.io.word)
  private val seen = RegNext(memory.io.word(bit))
  private val missing = RegNext((message.context.requiredMask & ~memory.io.word).orR)
  private val plainRest = RegNext(!is(Flag.unknownValid) && !is(Flag.group) && !message.skipping)
  val conditions: Map[Cond, Bool] = Map(
    Cond.noHasbits -> RegNext(memory.io.words === 0), Cond.oneHasbitsWord -> RegNext(memory.io.words === 1),
    Cond.manyHasbits -> RegNext(memory.io.words > 1), Cond.seen -> seen,
    Cond.newList -> (!seen && !is(Flag.outerValid)), Cond.missingRequired -> missing,
    Cond.plainEnd ->
      (plainRest && RegNext(message.depth =/= 0) && !is(Flag.listOpen) && message.context.usual && !missing),
    Cond.plainRest -> plainRest)
}
