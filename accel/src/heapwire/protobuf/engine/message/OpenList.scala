package heapwire.protobuf.engine.message

import heapwire.protobuf.TypeFacts
import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.logic.Same
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.write.ScannerPorts
import spinal.core._
import spinal.lib._

/** The layout of a list's elements, and the hasbit or reference that identifies the list. */
case class ListShape() extends Bundle {
  val bit = UInt(9 bits)
  val kind = UInt(3 bits)
  val log2Size = UInt(2 bits)
}

/** The open list, which takes elements; when messages are written, the array that the scanner walks. */
class OpenList(execution: Execution, command: Command, message: OpenMessage, current: CurrentField,
    scanner: ScannerPorts) extends Area {
  import current.{entry, facts, step}
  import execution._
  import message.context
  /** The next element, where the array ends, and the number of elements. */
  val element, limit, count = Reg(UInt(32 bits))
  val shape = Reg(ListShape())
  /** The shape of the field's list, or of the list of unknown fields. */
  val target = ListShape()
  private val keeping = is(Flag.keeping)
  target.bit := keeping ? context.unknownBit | entry.hasbit(8 downto 0)
  target.kind := keeping ? U(TypeFacts.UnknownFields, 3 bits) | facts.list
  target.log2Size := keeping ? U(0, 2 bits) | Mux(command.inSequence, facts.log2Size, step.log2Size)

  /** The word that was requested. Assigned by who requests it. */
  val asked = Bits(32 bits)
  private val oneMore = current.stored && entry.repeated || does(Act.append)
  private val oneUp = U(1, 4 bits) |<< shape.log2Size
  /** The element after this one. */
  val moved = ((scanner.fromWord && command.writing) ? asked.asUInt | element) +
    (command.writing ? scanner.by | oneUp.resize(10).asSInt).resize(32).asUInt
  when(oneMore || scanner.move) { element := moved }
  when(scanner.take) { element := asked.asUInt }
  when(oneMore) { count := count + 1 }
  when(does(Act.setElement)) { element := result }
  when(does(Act.setLimit)) { limit := result }
  when(does(Act.setCount)) { count := result }
  when(does(Act.openList)) { count := 0 }
  when(does(Act.setState)) { shape.assignFromBits(result(Flag.OfMessage, widthOf(shape) bits).asBits) }
  when(does(Act.setShape) || does(Act.openList)) { shape := target }

  // Whether the open list is the current field's (`same`), is full (`full`), and is the current field's and takes
  // another element (`takes`: it has room and its count can still grow). These are registers: no step comes before they
  // reflect what the program did. They do not yet reflect an element of the cycle before (`grew`).
  private val isField = is(Flag.listOpen) && shape.bit === target.bit && !is(Flag.elsewhere)
  private val isFull = Same(element, limit)
  val grew = RegNext(oneMore) init False
  private val same = RegNext(isField)
  private val full = RegNext(isFull)
  val takes = RegNext(isField && !isFull && !(message.native && count(15 downto 0).andR && !context.wide))
  scanner.isFirst := isFull
  scanner.element := element(3 downto 0)
  scanner.atBase := Same(element >> 6, command.objects.base >> 6)

  val words: Map[Outside, Bits] = Map(
    Outside.element -> element.asBits, Outside.limit -> limit.asBits, Outside.count -> count.asBits,
    Outside.slack -> (U(4, 6 bits) |<< shape.log2Size).resize(32).asBits)
  private val stillOnTop = is(Flag.onTop) && is(Flag.outerValid)
  val conditions: Map[Cond, Bool] = Map(
    Cond.sameList -> same, Cond.listFull -> full, Cond.listReady -> (same && !full),
    Cond.sameShape -> RegNext(shape.kind === target.kind && shape.log2Size === target.log2Size),
    Cond.plainMessage -> RegNext(!facts.isGroup && !current.presenceDue && !is(Flag.listOpen)),
    Cond.plainElement -> (same && !full && RegNext(!facts.isGroup && !message.depthFull && is(Flag.onTop))),
    Cond.tooMany -> RegNext(count(15 downto 0).andR && (!context.wide || count(31 downto 16).andR)),
    Cond.plainLeave -> (!is(Flag.unknownValid) && (!is(Flag.listOpen) || stillOnTop)), Cond.stillOnTop -> stillOnTop,
    Cond.wide0 -> shape.log2Size.lsb, Cond.wide1 -> shape.log2Size.msb)
}
