package heapwire.protobuf

import heapwire.isa.{RuntimeRegister, Status}
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Builds the lists of repeated fields and of unknown fields: an array list in
  * the fixed arena, and its array in the flexible one.
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
case class ListBuilder(p: MemoryParameter) extends OpenList(p) {
  object State extends SpinalEnum {
    val Idle, Next, New, Check, CheckArray, Place, OpenSlot, Suspend, Zero, WriteList, WriteArray, Flush, Read, Receive, Retire, Move, Copy,
      Append, Appending = newElement()
  }
  import State._
  val state = RegInit(Idle)

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
  io.readCommand.valid := state === Read || copier.io.readCommand.valid
  io.readCommand.address := (state === Read) ? (address & ~U(7, 32 bits)) | copier.io.readCommand.address
  io.readCommand.length := (state === Read) ? U(8, 32 bits) | copier.io.readCommand.length
  io.readWord.ready := copier.io.readWord.ready
  copier.io.source := (state === Append) ? target.source | (list.array + Elements)
  copier.io.destination := (state === Append) ? element | (top + Elements)
  copier.io.length := (state === Append) ? target.room | place.bytes.resize(32)

  /** The count of a list with slack, of one that is closed or suspended. */
  private val slack = withSlack((state === Suspend) ? outer.count | list.count)
  /** Zeros from `from` to the end of the array of `place`. */
  private def zeroTo(from: UInt, next: State.E): Unit = {
    val end = (place.at + 7) >> 3
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
          list.onTop || (list.capacity - list.count) >= target.room) {
          state := target.fromMemory ? Append | Idle
        } elsewhen (outer.valid) { state := Suspend } otherwise {
          moving := True
          state := Retire
        }
      } elsewhen (list.open) {
        // Close it; a list that moved before may well come back.
        when(list.onTop) {
          val capacity = (list.moved && !closing) ? slack | list.count
          list.capacity := capacity
          place.count := capacity
          zeroTo(element, WriteList)
        } otherwise {
          state := WriteList
        }
      } elsewhen (closing) {
        state := Idle
      } elsewhen (target.seen) {
        reading := 0
        address := target.slot
        state := Flush
      } elsewhen (outer.valid) {
        state := Suspend
      } otherwise {
        state := New
      }
    }
    is(Suspend) {
      outer.valid := False
      place.array := outer.array
      place.count := slack
      place.log2Size := outer.log2Size
      zeroTo(outer.element, Next)
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
        place.array := top
        place.count := 0
        element := place.at.resized
        io.allocate := True
        io.opened := True
        state := OpenSlot
      }
    }
    is(OpenSlot) {
      io.write.valid := True
      io.write.payload := ObjectWrite.value(target.slot, list.list.asBits, U(2, 2 bits))
      when(io.write.ready) { state := target.fromMemory ? Append | Idle }
    }
    // Reading back: slot -> array list -> array, then its state is checked.
    is(Flush) {
      when(io.flushed) {
        state := Read
        when(moving) {
          copier.io.start := list.count =/= 0
          state := Copy
        }
      }
    }
    is(Read) { when(io.readCommand.ready) { state := Receive } }
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
      place.count := list.capacity
      place.log2Size := target.log2Size
      list.open := True
      list.onTop := False
      list.moved := True
      list.bit := target.bit
      list.kind := target.kind
      list.log2Size := target.log2Size
      state := Place
      when(place.at > top.resize(36) || list.count > list.capacity) {
        list.open := False
        fail(Status.BadDescriptor)
      }
    }
    is(Place) {
      element := place.at.resized
      state := Next
    }
    // Moving to the top: the old array stays behind with a header of its own.
    is(Retire) {
      io.write.valid := True
      when(io.write.ready) { state := Move }
    }
    is(Move) {
      state := Flush
      place.array := top
      when(place.at > limit.resize(36)) { fail(Status.FlexibleArenaFull) }
    }
    is(Copy) {
      when(!copier.io.busy) {
        list.array := top
        list.onTop := True
        list.moved := True
        place.array := top
        element := place.at.resized
        moving := False
        state := target.fromMemory ? Append | Idle
      }
    }
    is(Append) {
      copier.io.start := True
      state := Appending
      when(list.onTop && (element +^ target.room) > limit.resize(33)) {
        copier.io.start := False
        fail(Status.FlexibleArenaFull)
      }
    }
    is(Appending) {
      when(!copier.io.busy) {
        element := element + target.room
        list.count := list.count + target.room
        state := Idle
      }
    }
  }
  when(copier.io.busy) {
    io.write.valid := copier.io.write.valid
    io.write.payload := copier.io.write.payload
  }
  when(copier.io.failed) { fail(Status.BusFault) }
  when(io.kill) { state := Idle }
  when(io.pop) { place.of(io.popState) }
  io.busy := state =/= Idle
}
