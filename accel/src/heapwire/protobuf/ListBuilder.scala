package heapwire.protobuf

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.memory.{ByteRange, MemoryParameter}
import spinal.core._
import spinal.lib._

/** Builds the lists of repeated fields: an array list in the fixed arena, and
  * its array in the flexible one.
  *
  * One list a message is open. The topmost array of the flexible arena grows in
  * place. When an array is opened above it, its list is closed, or, if it
  * belongs to an outer message, suspended with slack for max(4, count) elements.
  * A list that returns is read back from memory; one whose array is full moves
  * to the top. Lists that moved are closed with slack, so that moving costs a
  * constant an element.
  *
  * Every array left behind has a valid header, so the arena can be walked.
  */
case class ListBuilder(p: MemoryParameter) extends Component {
  val io = ListPort(p)
  import ObjectLayout.{Array => ArrayObject, ArrayList}
  private val Elements = ArrayObject.Elements
  private def bytesOf(count: UInt, log2Size: UInt): UInt = (count.resize(36) |<< log2Size)
  private def aligned(address: UInt): UInt = (((address + 7) >> 3) << 3).resize(widthOf(address))

  object State extends SpinalEnum {
    val Idle, Next, New, Check, CheckArray, OpenSlot, Suspend, Zero, WriteList, WriteArray, Flush, Read, Receive, Retire, Move, Copy =
      newElement()
  }
  import State._
  val state = RegInit(Idle)
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
  val size = (U(1, 4 bits) |<< io.target.log2Size)
  io.full := list.onTop && (element +^ size) > limit.resize(33)
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
  private def withSlack(count: UInt): UInt = count + ((count < 4) ? U(4, 32 bits) | count)
  val restored = CombInit(io.popState)
  restored.onTop.removeAssignments() := io.popState.onTop && outer.valid
  restored.capacity.removeAssignments() := (io.popState.onTop ? withSlack(io.popState.count) | io.popState.capacity)
  when(io.pop) {
    list := restored
    element := io.popState.array + Elements + bytesOf(io.popState.count, io.popState.log2Size).resize(32)
    when(io.popState.onTop) { outer.valid := False }
  }

  io.error := False
  io.status.assignDontCare()
  private def fail(status: Status): Unit = {
    io.error := True
    io.status := status.code
    state := Idle
  }

  val back = Reg(State())
  /** Zeros from `zero` up to `zeroEnd`. */
  val zero, zeroEnd = Reg(UInt(32 bits))
  val overflow = Reg(Bool())
  /** Which read is under way: slot, list, array. */
  val reading = Reg(UInt(2 bits))
  val address = Reg(UInt(32 bits))
  val granules = Reg(UInt(32 bits))
  val newArray = Reg(UInt(32 bits))
  val moving = Reg(Bool())

  io.opened := False
  io.allocate := False
  io.flush := state === Flush
  io.klassIndex := U(TypeFacts.FirstList, 5 bits) + list.kind
  when(state === WriteArray || state === Retire) {
    io.klassIndex := U(TypeFacts.FirstList + RuntimeRegister.ListToArray, 5 bits) + list.kind
  }
  io.write.valid := False
  io.write.payload := ObjectWrite.words(list.array, io.mark, io.klass, list.capacity.asBits, B(0, 32 bits))
  io.readCommand.valid := state === Read
  io.readCommand.address := address & ~U(7, 32 bits)
  io.readCommand.length := granules |<< 3
  io.readWord.ready := False

  private def zeroTo(from: UInt, array: UInt, count: UInt, log2Size: UInt, next: State.E): Unit = {
    val end = (array.resize(36) + Elements + bytesOf(count, log2Size) + 7) >> 3
    zero := from
    zeroEnd := (end << 3).resize(32)
    overflow := (end << 3) > limit.resize(36)
    back := next
    state := Zero
  }

  switch(state) {
    is(Idle) {
      target := io.target
      closing := io.close
      moving := False
      when(io.enter || io.close) { state := Next }
    }
    // What is to be done next.
    is(Next) {
      val mine = list.open && list.bit === target.bit && !closing
      when(mine) {
        when(list.log2Size =/= target.log2Size || list.kind =/= target.kind) { fail(Status.BadDescriptor) } elsewhen (
          list.onTop || list.count =/= list.capacity) { state := Idle } elsewhen (outer.valid) { state := Suspend } otherwise {
          moving := True
          state := Retire
        }
      } elsewhen (list.open) {
        // Close it; a list that moved before may well come back.
        when(list.onTop) {
          val capacity = (list.moved && !closing) ? withSlack(list.count) | list.count
          list.capacity := capacity
          zeroTo(element, list.array, capacity, list.log2Size, WriteList)
        } otherwise {
          state := WriteList
        }
      } elsewhen (closing) {
        state := Idle
      } elsewhen (target.seen) {
        reading := 0
        address := target.slot
        granules := 1
        state := Flush
      } elsewhen (outer.valid) {
        state := Suspend
      } otherwise {
        state := New
      }
    }
    is(Suspend) {
      outer.valid := False
      zeroTo(outer.element, outer.array, withSlack(outer.count), outer.log2Size, Next)
    }
    is(Zero) {
      when(overflow) { fail(Status.FlexibleArenaFull) } otherwise {
        top := zeroEnd
        val fresh = zero(2 downto 0)
        io.write.valid := zero < zeroEnd
        io.write.address := zero
        io.write.data := 0
        io.write.mask := (B(0xffff, 16 bits) |<< fresh)
        when(zeroEnd - (zero & ~U(7, 32 bits)) === 8) { io.write.mask(15 downto 8) := 0 }
        when(io.write.fire) { zero := ((zero >> 3) << 3) + 16 }
        when(zero >= zeroEnd) { state := back }
      }
    }
    is(WriteList) {
      io.write.valid := True
      io.write.payload := ObjectWrite.words(list.list, io.mark, io.klass, list.count.asBits, list.array.asBits)
      when(io.write.ready) { state := WriteArray }
    }
    is(WriteArray) {
      io.write.valid := True
      when(io.write.ready) {
        list.open := False
        list.onTop := False
        state := Next
      }
    }
    is(New) {
      when(!io.fixedRoom) { fail(Status.FixedArenaFull) } elsewhen ((top +^ Elements) > limit.resize(33)) { fail(Status.FlexibleArenaFull) } otherwise {
        list.open := True
        list.onTop := True
        list.moved := False
        list.bit := target.bit
        list.kind := target.kind
        list.log2Size := target.log2Size
        list.list := io.fixedTop
        list.array := top
        list.count := 0
        element := top + Elements
        io.allocate := True
        io.opened := True
        state := OpenSlot
      }
    }
    is(OpenSlot) {
      io.write.valid := True
      io.write.payload := ObjectWrite.value(target.slot, list.list.asBits, U(2, 2 bits))
      when(io.write.ready) { state := Idle }
    }
    // Reading back: slot -> array list -> array, then its state is checked.
    is(Flush) { when(io.flushed) { state := Read } }
    is(Read) { when(io.readCommand.ready) { state := moving ? Copy | Receive } }
    is(Receive) {
      io.readWord.ready := True
      when(io.readWord.valid) {
        val low = io.readWord.data(31 downto 0).asUInt
        val high = io.readWord.data(63 downto 32).asUInt
        reading := reading + 1
        state := Check
        switch(reading) {
          is(0) { list.list := address(2) ? high | low }
          is(1) {
            list.count := low
            list.array := high
          }
          default { list.capacity := low }
        }
        when(io.readWord.error) { fail(Status.BusFault) }
      }
    }
    is(Check) {
      // Slots that overlap in a malformed table could hold anything.
      val object_ = (reading === 1) ? list.list | list.array
      val low = (reading === 1) ? io.fixedBase | io.base
      val high = (reading === 1) ? io.fixedTop | top
      val good = object_ >= low && (object_ +^ 16) <= high.resize(33) && object_(2 downto 0) === 0
      address := object_ + 8
      state := Read
      when(reading === 3) { state := CheckArray }
      when(!good) { fail(Status.BadDescriptor) }
    }
    is(CheckArray) {
      val end = list.array.resize(36) + Elements + bytesOf(list.capacity, target.log2Size)
      list.open := True
      list.onTop := False
      list.moved := True
      list.bit := target.bit
      list.kind := target.kind
      list.log2Size := target.log2Size
      element := list.array + Elements + bytesOf(list.count, target.log2Size).resize(32)
      state := Next
      when(end > top.resize(36) || list.count > list.capacity) {
        list.open := False
        fail(Status.BadDescriptor)
      }
    }
    // Moving to the top: the old array stays behind with a header of its own.
    is(Retire) {
      io.write.valid := True
      newArray := top
      granules := (bytesOf(list.count, list.log2Size) + 7 >> 3).resized
      address := list.array + Elements
      element := top + Elements
      when(io.write.ready) { state := Move }
    }
    is(Move) {
      val end = top.resize(36) + Elements + (granules.resize(36) |<< 3)
      state := Flush
      when(end > limit.resize(36)) { fail(Status.FlexibleArenaFull) }
      when(granules === 0) { state := Copy }
    }
    is(Copy) {
      io.write.valid := io.readWord.valid && granules =/= 0
      io.write.address := element
      io.write.data := io.readWord.data.resize(128)
      io.write.mask := 0x00ff
      io.readWord.ready := io.write.ready
      when(io.write.fire) {
        element := element + 8
        granules := granules - 1
        when(io.readWord.error) { fail(Status.BusFault) }
      }
      when(granules === 0) {
        list.array := newArray
        list.onTop := True
        list.moved := True
        element := newArray + Elements + bytesOf(list.count, list.log2Size).resize(32)
        moving := False
        state := Idle
      }
    }
  }
  when(io.reset) {
    list.open := False
    list.onTop := False
    outer.valid := False
    top := aligned(io.base)
  }
  when(io.kill) { state := Idle }
  io.busy := state =/= Idle
}
