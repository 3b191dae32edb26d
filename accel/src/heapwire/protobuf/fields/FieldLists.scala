package heapwire.protobuf.fields

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import heapwire.protobuf.ObjectWrite
import spinal.core._
import spinal.lib._

/** Which list an element belongs to, and of what class it is. */
case class ListTarget() extends Bundle {
  /** The slot of the field in its message. */
  val slot = UInt(32 bits)
  /** The slot refers to a list. */
  val existing = Bool()
  val log2Size = UInt(2 bits)
  val klass, arrayKlass = Bits(32 bits)
}

/** Appends to lists whose elements come one by one: an array list in the fixed
  * arena, its array in the flexible one.
  *
  * One list is open; its array, if it is the topmost one, grows in place. Another
  * target closes it. A list that returns is read back; if its array is full and
  * not topmost it moves to the top and is closed with slack for max(4, count)
  * elements, so that lists that take turns cost a constant an element.
  *
  * While not `ready` for the target, `enter` starts what makes it so. What is read
  * back must lie in the arenas: BAD_OBJECT.
  */
case class FieldLists(m: MemoryParameter) extends Component {
  val io = new Bundle {
    val reset, kill = in Bool()
    val target = in(ListTarget())
    val ready = out Bool()
    val enter, close = in Bool()
    val busy, open = out Bool()
    /** Where the next element goes; there is no room for it. */
    val element = out UInt(32 bits)
    val full = out Bool()
    val append = in Bool()
    val mark = in Bits(32 bits)
    val fixed, flexible = in(Bounds(m))
    val fixedTop = in UInt(32 bits)
    /** Takes an array list off the fixed arena. */
    val allocate = out Bool()
    val setTop = slave(Flow(UInt(32 bits)))
    /** Behind the arrays of closed lists. */
    val top = out UInt(32 bits)
    val error = master(Flow(Bits(Status.Width bits)))
    val write = master(Stream(ObjectWrite()))
    /** Everything written must reach memory (level); it has, and no read is under way. */
    val flush = out Bool()
    val flushed = in Bool()
    val request = master(Stream(CachedRead(m)))
    val word = slave(Stream(CachedWord(m)))
  }
  import ObjectLayout.{Array => ArrayObject, ArrayList}
  private def aligned(address: UInt): UInt = (((address +^ U(7)) >> 3) << 3).resize(widthOf(address))

  object State extends SpinalEnum {
    val Idle, CloseList, CloseArray, CloseZero, Enter, NewList, NewSlot, Flush, Slot, ListObject, ArrayHead, Move, Copy = newElement()
  }
  import State._
  val state = RegInit(Idle)
  val open = RegInit(False)
  val target = Reg(ListTarget())
  val list, array, count, capacity, element = Reg(UInt(32 bits))
  val onTop, moved = Reg(Bool())
  val top = Reg(UInt(32 bits))
  val reopen = Reg(Bool())
  val limit = io.flexible.limit & ~U(7, 32 bits)

  val same = open && target.slot === io.target.slot && target.log2Size === io.target.log2Size && target.klass === io.target.klass
  io.ready := state === Idle && same && (onTop || count =/= capacity)
  io.full := onTop && (element +^ (U(1, 4 bits) |<< target.log2Size)) > limit.resize(33)
  io.element := element
  io.open := open
  io.busy := state =/= Idle
  io.top := top
  when(io.append) {
    element := element + (U(1, 4 bits) |<< target.log2Size)
    count := count + 1
  }

  io.allocate := False
  io.flush := state === Flush
  io.error.valid := False
  io.error.payload := Status.BadObject.code
  io.write.valid := False
  io.write.payload := ObjectWrite.words(list, io.mark, target.klass, B(0, 32 bits), array.asBits)
  io.word.ready := False
  private def fail(status: Status): Unit = {
    io.error.valid := True
    io.error.payload := status.code
    state := Idle
    open := False
  }

  // ---- reads -----------------------------------------------------------------
  /** The granule that is asked for next; the one whose word comes next. */
  val from, to, asked = Reg(UInt(32 bits))
  val copyEnd = Reg(UInt(32 bits))
  val sent = RegInit(False)
  val single = state === Slot || state === ListObject || state === ArrayHead
  val readAt = state.mux(Slot -> target.slot, ListObject -> (list + ArrayList.Count), ArrayHead -> (array + ArrayObject.Length), default -> asked)
  io.request.valid := single && !sent || state === Copy && asked =/= copyEnd
  io.request.address := readAt
  io.request.streaming := False
  when(io.request.fire) {
    sent := single
    asked := asked + 8
  }
  val granule = io.word.eight(single ? readAt | from)
  val low = granule(31 downto 0).asUInt
  val high = granule(63 downto 32).asUInt

  /** The end of the open list's array, were it closed now. */
  val closing = new Area {
    val slack = (count < 4) ? U(4, 32 bits) | count
    val wanted = element +^ (slack |<< target.log2Size).resize(33)
    val slackFits = moved && wanted <= limit.resize(33) && !(slack.msb)
    val end = Reg(UInt(32 bits))
  }

  switch(state) {
    is(Idle) {
      reopen := False
      sent := False
      when(io.close && open) { state := CloseList }
      when(io.enter && !io.ready) {
        target.existing := io.target.existing
        when(same) {
          // Full, and not topmost.
          state := Flush
        } otherwise {
          reopen := True
          state := open ? CloseList | Enter
        }
      }
    }
    // ---- what the open list knows goes to memory -------------------------------
    is(CloseList) {
      io.write.valid := True
      io.write.address := list + ArrayList.Count
      io.write.data := (array ## count).resized
      io.write.mask := 0xff
      closing.end := aligned(element)
      when(onTop && closing.slackFits) { closing.end := aligned(closing.wanted.resize(32)) }
      when(io.write.ready) {
        when(onTop) { capacity := closing.slackFits ? (count + closing.slack) | count }
        state := CloseArray
      }
    }
    is(CloseArray) {
      io.write.valid := True
      io.write.payload := ObjectWrite.words(array, io.mark, target.arrayKlass, capacity.asBits, B(0, 32 bits))
      when(io.write.ready) {
        open := False
        state := onTop ? CloseZero | (reopen ? Enter | Idle)
        when(onTop) { top := closing.end }
      }
    }
    is(CloseZero) {
      io.write.valid := element < closing.end
      io.write.address := element
      io.write.data := 0
      io.write.mask := (B(0xff, 16 bits) |<< element(2 downto 0)) & B(0xff, 16 bits)
      when(io.write.fire) { element := ((element >> 3) + 1) << 3 }
      when(!io.write.valid) { state := reopen ? Enter | Idle }
    }
    // ---- another list ------------------------------------------------------------
    is(Enter) {
      target := io.target
      list := io.fixedTop
      array := top
      element := top + ArrayObject.Elements
      count := 0
      onTop := True
      moved := False
      state := NewList
      when(io.target.existing) {
        state := Flush
      } elsewhen ((top +^ U(ArrayObject.Elements)) > limit.resize(33)) {
        fail(Status.FlexibleArenaFull)
      } elsewhen ((io.fixedTop +^ U(ArrayList.Size)) > io.fixed.limit.resize(33)) {
        fail(Status.FixedArenaFull)
      }
    }
    is(NewList) {
      io.write.valid := True
      when(io.write.ready) {
        io.allocate := True
        state := NewSlot
      }
    }
    is(NewSlot) {
      io.write.valid := True
      io.write.payload := ObjectWrite.value(target.slot, list.asBits, U(2, 2 bits))
      when(io.write.ready) {
        open := True
        state := Idle
      }
    }
    // ---- a list that returns -------------------------------------------------------
    is(Flush) {
      asked := array + ArrayObject.Elements
      from := array + ArrayObject.Elements
      to := top + ArrayObject.Elements
      copyEnd := aligned(element)
      when(io.flushed) { state := open ? Move | Slot }
    }
    is(Slot) {
      io.word.ready := True
      when(io.word.valid) {
        val reference = target.slot(2) ? high | low
        sent := False
        list := reference
        state := ListObject
        when(reference(2 downto 0) =/= 0 || reference < io.fixed.base || (reference +^ U(ArrayList.Size)) > io.fixedTop.resize(33)) { fail(Status.BadObject) }
      }
    }
    is(ListObject) {
      io.word.ready := True
      when(io.word.valid) {
        sent := False
        count := low
        array := high
        state := ArrayHead
        when(high(2 downto 0) =/= 0 || high < io.flexible.base || (high +^ U(ArrayObject.Elements)) > top.resize(33)) { fail(Status.BadObject) }
      }
    }
    is(ArrayHead) {
      val end = array.resize(37) + ArrayObject.Elements + (low.resize(37) |<< target.log2Size)
      io.word.ready := True
      when(io.word.valid) {
        sent := False
        capacity := low
        element := array + ArrayObject.Elements + (count |<< target.log2Size).resized
        onTop := aligned(end) === top.resize(37)
        moved := True
        open := True
        state := Idle
        when(end > top.resize(37) || count > low) { fail(Status.BadObject) }
      }
    }
    is(Move) {
      state := Copy
      when((to +^ (copyEnd - from)) > limit.resize(33)) { fail(Status.FlexibleArenaFull) }
    }
    is(Copy) {
      io.write.valid := io.word.valid
      io.write.address := to
      io.write.data := granule.resized
      io.write.mask := 0xff
      io.word.ready := io.write.ready
      when(io.write.fire) {
        from := from + 8
        to := to + 8
      }
      when(from === copyEnd) {
        array := top
        element := top + ArrayObject.Elements + (count |<< target.log2Size).resized
        onTop := True
        moved := True
        state := Idle
      }
    }
  }
  when(io.word.fire && io.word.error) { fail(Status.BusFault) }
  when(io.reset || io.kill) {
    open := False
    state := Idle
  }
  when(io.setTop.valid) { top := aligned(io.setTop.payload) }
}
