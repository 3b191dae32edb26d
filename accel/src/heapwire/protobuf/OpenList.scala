package heapwire.protobuf

import heapwire.isa.ObjectLayout
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** What a list builder works on: the open list of the open message, the topmost
  * array of the flexible arena, and the copier. [[ListBuilder]] moves them on.
  */
abstract class OpenList(p: MemoryParameter) extends Component {
  val io = ListPort(p)
  protected val Elements = ObjectLayout.Array.Elements
  protected def aligned(address: UInt): UInt = (((address + 7) >> 3) << 3).resize(widthOf(address))

  val list = Reg(ListState())
  /** Where the next element of the open list goes. */
  val element = Reg(UInt(32 bits))
  /** The topmost array, if it belongs to an outer message. */
  val outer = new Area {
    val valid = RegInit(False)
    val array, element, count = Reg(UInt(32 bits))
    val log2Size = Reg(UInt(2 bits))
  }
  val top = Reg(UInt(32 bits))
  val target = Reg(ListTarget())
  val closing = Reg(Bool())
  val limit = io.limit & ~U(7, 32 bits)

  io.state := list
  io.top := top
  val same = list.open && list.bit === io.target.bit
  io.ready := same && list.log2Size === io.target.log2Size && list.kind === io.target.kind && (list.onTop || list.count =/= list.capacity)
  // Elements are aligned to their size, and the limit to the largest.
  io.full := list.onTop && element >= limit
  io.element := element
  when(io.append) {
    element := element + (U(1, 4 bits) |<< list.log2Size)
    list.count := list.count + 1
  }
  when(io.push) {
    when(list.open && list.onTop) {
      outer.valid := True
      outer.array := list.array
      outer.element := element
      outer.count := list.count
      outer.log2Size := list.log2Size
    }
    list.open := False
    list.onTop := False
  }
  /** Slack for another max(4, count) elements. */
  protected def withSlack(count: UInt): UInt = count + ((count < 4) ? U(4, 32 bits) | count)
  val restored = CombInit(io.popState)
  restored.onTop.removeAssignments() := io.popState.onTop && outer.valid
  restored.capacity.removeAssignments() := (io.popState.onTop ? withSlack(io.popState.count) | io.popState.capacity)
  /** Where the element `count` of an array at `array` lies: the one place where this is worked out. A list that is
    * popped goes before whatever [[ListBuilder]] asks for.
    */
  val place = new Area {
    val array, count = UInt(32 bits)
    val log2Size = UInt(2 bits)
    def of(state: ListState): Unit = {
      array := state.array
      count := state.count
      log2Size := state.log2Size
    }
    of(list)
    val bytes = count.resize(35) |<< log2Size
    val at = array.resize(36) + (bytes +^ Elements)
  }
  when(io.pop) {
    list := restored
    element := place.at.resized
    when(io.popState.onTop) { outer.valid := False }
  }

  when(io.reset) {
    list.open := False
    list.onTop := False
    outer.valid := False
    top := aligned(io.base)
  }

  val copier = RangeCopier(p)
  copier.io.start := False
  copier.io.readCommand.ready := io.readCommand.ready
  copier.io.readWord.valid := io.readWord.valid
  copier.io.readWord.payload := io.readWord.payload
  copier.io.write.ready := io.write.ready
  copier.io.kill := io.kill
}
