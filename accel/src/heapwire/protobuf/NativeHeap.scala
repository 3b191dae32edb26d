package heapwire.protobuf

import heapwire.isa.Status
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** The places of a C struct's fields: in the struct, or behind pointers in the
  * flexible arena, in blocks as nanopb's allocator makes them (8-byte aligned, a
  * word 8 bytes before one tells the bytes it has room for).
  *
  * One list a message is open. Its count is written when it is closed, and read
  * back when its field returns. An array behind a pointer grows in place while
  * it is the topmost block; else it moves to the top, with room for as much again.
  */
abstract class NativeHeap(p: ProtobufParameter, m: MemoryParameter) extends FieldExecution(p, m) {
  import ExecutorState._
  protected val BlockHeader = 8
  /** Bytes that an array begins with at least. */
  private val Smallest = 64

  /** The struct was begun by this command, and nothing but its fields has been stored since. */
  val fresh = Reg(Bool())
  /** The open list: `list` is where its count lies, `array` where its next element goes, `moved` says that it has no
    * count, `capacity` is its most elements, `kind` 1 that an element is a message that is open. `onTop` says that its
    * array lies behind a pointer: at `block`, and `capacity` is that block's end.
    */
  val list = Reg(ListState())
  val block = Reg(UInt(32 bits))
  /** Of this step: the has-flag or which is written; the oneof's was read; its pointer refers to `allocated`. */
  val presenceWritten, recalled, pointed = RegInit(False)
  val allocated = Reg(UInt(32 bits))
  /** Which of several words has been written. */
  val written = Reg(UInt(1 bits))

  protected val countLog2 = table.wideCount ? U(2, 2 bits) | U(1, 2 bits)
  private val wordLog2 = U(2, 2 bits)
  /** The most elements or bytes that the struct's count can say. */
  private val most = table.wideCount ? U(0xffffffffL, 32 bits) | U(0xffff, 32 bits)
  private val presenceAddress = message + step.caseOffset
  private val marksPresence = !step.repeated && (step.native.hasFlag || step.inOneof)
  private val presenceDue = marksPresence && !presenceWritten
  private val inList = list.open && list.bit === step.bit
  /** Bytes of an element, or of a message on its own. */
  protected val elementBytes = UInt(16 bits)
  elementBytes := (U(1, 4 bits) |<< step.log2Size).resize(16)
  when(step.native.isString) { elementBytes := (step.native.pointer && !step.native.fixedLength) ? U(4, 16 bits) | step.native.elementSize }
  when(step.native.isMessage) { elementBytes := step.native.maxCount }
  private val isFull = list.onTop ? ((list.array +^ elementBytes) > list.capacity.resize(33)) | (list.count >= list.capacity)
  private val tooMany = list.onTop && list.count >= most
  /** The value lies in a block of its own. */
  private val referred = step.native.pointer && (!step.repeated || step.native.isString && !step.native.fixedLength)
  /** Everything before the value itself is done. */
  protected val placed = (step.repeated ? (inList && !isFull && !tooMany) | !presenceDue) && (!referred || pointed)
  private val slotPlace = step.repeated ? list.array | slot
  protected val place = referred ? allocated | slotPlace
  when(step.ready) {
    presenceWritten := False
    recalled := False
    pointed := False
  }

  private def rounded(bytes: UInt): UInt = (((bytes + 7) >> 3) << 3).resize(widthOf(bytes))
  private val heapLimit = argument("flexible_limit") & ~U(7, 32 bits)

  /** A string or bytes in its place. */
  protected val text = new Area {
    val header = step.native.isText ? U(0, 3 bits) | (table.wideCount ? U(4, 3 bits) | U(2, 3 bits))
    val needed = step.native.fixedLength ? step.native.elementSize.resize(33) | (stepLength +^ (step.native.isText ? U(1, 3 bits) | header))
    val fits = step.native.fixedLength ? (stepLength === 0 || stepLength === step.native.elementSize.resize(32)) |
      (step.native.pointer ? (!step.native.isString || step.native.isText || stepLength <= most) | needed <= step.native.elementSize.resize(33))
    val start = nativeCopier.io.start.payload
    start.address := place
    start.zeros := step.native.fixedLength && stepLength === 0
    start.length := start.zeros ? step.native.elementSize.resize(32) | stepLength
    start.sized := !step.native.isText && !step.native.fixedLength
    start.wide := table.wideCount
    start.terminated := step.native.isText
  }

  /** What has to precede a field's value: the has-flag or which, its list, its block. `placed` says that it is done. */
  protected def prepare(): Unit = {
    when(step.repeated && !inList) {
      state := EnterNative
    } elsewhen (step.repeated && tooMany) {
      fail(Status.DoesNotFit)
    } elsewhen (step.repeated && isFull) {
      when(list.onTop) { state := Grow } otherwise { fail(Status.DoesNotFit) }
    } elsewhen (presenceDue) {
      own.valid := True
      put(presenceAddress, step.inOneof ? step.number.asBits.resize(32) | B(1, 32 bits), step.inOneof ? countLog2 | U(0, 2 bits))
      presenceWritten := own.fire
    } elsewhen (referred && !pointed && text.fits) {
      state := Allocate
    }
  }

  private def writeWord(address: UInt, word: UInt): Unit = {
    own.valid := True
    put(address, word.asBits, wordLog2)
  }

  /** Closes the open list: its count, and the room of its block. */
  protected def closeNative(): Unit = {
    val topmost = list.capacity === heapTop
    val end = rounded(list.array)
    when(list.moved) {
      list.open := False
      when(list.count =/= list.capacity) { fail(Status.DoesNotFit) }
    } elsewhen (list.onTop && written === 0) {
      writeWord(block - BlockHeader, (topmost ? end | list.capacity) - block)
      when(own.fire) {
        written := 1
        when(topmost) {
          heapTop := end
          list.capacity := end
        }
      }
    } otherwise {
      own.valid := True
      put(list.list, list.count.asBits, countLog2)
      when(own.fire) {
        list.open := False
        written := 0
      }
    }
  }

  private val isKnown = fresh && !presence.io.seen
  private val used = list.array - block
  private val first = (elementBytes < Smallest) ? U(Smallest, 32 bits) | rounded(elementBytes.resize(32))
  private val more = (used < Smallest) ? U(Smallest, 32 bits) | rounded(used)

  switch(state) {
    is(EnterNative) {
      when(list.open) {
        closeNative()
        // nanopb may come back to such a list.
        when(list.moved && list.count =/= list.capacity && !step.native.fixedCount) { fail(Status.Unsupported) }
      } elsewhen (step.native.fixedCount && (presence.io.seen || step.native.pointer) || step.native.pointer && !isKnown) {
        fail(Status.Unsupported)
      } otherwise {
        list.bit := step.bit
        list.log2Size := step.log2Size
        list.kind := 0
        list.moved := step.native.fixedCount
        list.onTop := step.native.pointer
        list.capacity := step.native.maxCount.resized
        list.list := presenceAddress
        list.array := slot
        list.count := 0
        when(step.native.pointer) {
          val from = heapTop + BlockHeader
          val end = heapTop +^ first + BlockHeader
          block := from
          list.array := from
          list.capacity := end.resized
          when(end > heapLimit.resize(33)) { fail(Status.FlexibleArenaFull) } otherwise {
            writeWord(slot, from)
            when(own.fire) {
              heapTop := end.resized
              list.open := True
              presence.io.mark := True
              state := Run
            }
          }
        } elsewhen (isKnown || step.native.fixedCount) {
          list.open := True
          presence.io.mark := True
          state := Run
        } otherwise {
          nativeReader.io.start := True
          state := Recall
        }
      }
    }
    is(Recall) {
      val count = nativeReader.io.value(15 downto 0)
      when(!nativeReader.io.busy) {
        list.open := True
        presence.io.mark := True
        list.count := nativeReader.io.value
        list.array := slot + count * elementBytes
        state := Run
        // Where its elements lie is known by the table of their type only.
        when(step.native.isMessage && nativeReader.io.value =/= 0) { fail(Status.Unsupported) }
      }
      when(nativeReader.io.failed) { fail(Status.BusFault) }
    }
    is(RecallCase) {
      when(!nativeReader.io.busy) {
        recalled := True
        state := Run
      }
      when(nativeReader.io.failed) { fail(Status.BusFault) }
    }
    is(Allocate) {
      val bytes = rounded(step.native.isString ? text.needed.resize(34) | elementBytes.resize(34))
      val end = heapTop.resize(35) + bytes + BlockHeader
      when(end > heapLimit.resize(35)) { fail(Status.FlexibleArenaFull) } elsewhen (written === 0) {
        writeWord(heapTop, bytes.resize(32))
        when(own.fire) { written := 1 }
      } otherwise {
        writeWord(slotPlace, heapTop + BlockHeader)
        when(own.fire) {
          written := 0
          allocated := heapTop + BlockHeader
          heapTop := end.resized
          pointed := True
          state := Run
        }
      }
    }
    is(Grow) {
      val end = heapTop +^ more
      when(list.capacity =/= heapTop) { state := Flush } elsewhen (end > heapLimit.resize(33)) {
        fail(Status.FlexibleArenaFull)
      } otherwise {
        heapTop := end.resized
        list.capacity := end.resized
        state := Run
      }
    }
    is(Flush) {
      val end = heapTop.resize(35) + BlockHeader + rounded(used).resize(35) + more
      when(end > heapLimit.resize(35)) { fail(Status.FlexibleArenaFull) } elsewhen (flushed) {
        nativeMover.io.start := used =/= 0
        state := Move
      }
    }
    is(Move) {
      val to = heapTop + BlockHeader
      when(!nativeMover.io.busy) {
        writeWord(slot, to)
        when(own.fire) {
          block := to
          list.array := to + used
          list.capacity := (to + rounded(used) + more).resized
          heapTop := (to + rounded(used) + more).resized
          state := Run
        }
      }
    }
  }
  nativeMover.io.source := block
  nativeMover.io.destination := heapTop + BlockHeader
  nativeMover.io.length := used
  when(nativeMover.io.failed) { fail(Status.BusFault) }
}
