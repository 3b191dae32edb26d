package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** The part of a [[Walker]] that knows C structs: what is written of a field that
  * is present, and arrays of strings and messages, which lie `stride` bytes apart
  * or, strings behind a pointer, are arrays of pointers.
  *
  * UNSUPPORTED: more than 65,535 elements `stride` bytes apart.
  */
abstract class NativeWalk(p: SerializerParameter, m: MemoryParameter) extends WalkerParts(p, m) {
  import State._

  /** The array that is being walked. */
  protected val array = new Area {
    val native = Reg(NativeField())
    val isMessage, pointer = Reg(Bool())
    val stride = Reg(UInt(17 bits))
    val product = Reg(UInt(33 bits))
    /** Pointers to strings, or to bytes with their count. */
    def refers: Bool = pointer && !native.fixedLength && !isMessage
  }

  /** The string or bytes whose turn it is: a field's, or an element's. */
  private val string = new Area {
    val native = (state === Scan) ? found.field.native | array.native
    val pointer = (state === Scan) ? found.field.pointer | array.pointer
    private val countSize = io.wide ? U(4, 16 bits) | U(2, 16 bits)
    private val counted = native.elementSize - countSize
    /** The most bytes of a string, or of bytes behind their count. */
    val room = UInt(32 bits)
    room := ((native.isText || native.fixedLength) ? native.elementSize | counted.andMask(native.elementSize >= countSize)).resized
    when(pointer && !native.fixedLength) { room := room.maxValue }
  }

  /** The operation for it, but where it is. */
  private def pushString(): Unit = {
    op.kind := string.native.isText ? OpKind.Terminated | OpKind.Counted
    when(string.native.fixedLength) { op.kind := OpKind.Text }
    op.value(63 downto 32) := string.room.asBits
    op.direct := True
    op.encoding.log2Size := 0
    op.encoding.fixed := False
    op.checked := False
  }

  /** What was found, or where it is. */
  private val base: UInt = found.field.pointer ? found.value(31 downto 0).asUInt | (message.address + found.field.native.offset)
  private def walks: Bool = found.field.isMessage || found.field.isString && found.field.repeated

  /** In Scan: the operation for the field that was found, if one is enough. */
  protected def nativeField(): Unit = {
    val field = found.field
    op.valid := found.valid && !walks
    op.kind := OpKind.Scalar
    op.encoding := field.encoding
    op.packed := field.packed && field.repeated
    op.optional := field.unlessZero
    op.checked := False
    op.direct := True
    when(field.repeated || field.pointer) {
      op.kind := OpKind.Array
      op.value(63 downto 32) := (field.repeated ? found.count | U(1, 32 bits)).asBits
    }
    when(field.repeated || field.isString) { op.value(31 downto 0) := base.asBits }
    when(field.isString) { pushString() }
    found.ready := op.ready || walks
  }

  /** In Scan: goes on where the field's messages, or strings, are written. */
  protected def nativeWalk(): Unit = {
    val field = found.field
    array.native := field.native
    array.isMessage := field.isMessage
    array.pointer := field.pointer
    list.element := base
    when(walks) {
      child := base
      list.origin := base
      list.left := field.repeated ? found.count | U(0, 32 bits)
      state := field.repeated ? NativeList | Dive
    }
  }

  // ---- arrays ----------------------------------------------------------------
  protected def nativeList(): Unit = {
    array.stride := array.native.elementSize.resized
    texts.checked := False
    texts.ahead := 0
    check.at := list.element
    check.size := (list.left << 2).resized
    check.ofList := True
    move.by := (list.left << 2).resize(32).asSInt
    when(array.refers && !check.done) {
      // The range is being looked at.
    } elsewhen (array.refers) {
      list.element := move.element
      when(list.origin(1 downto 0) =/= 0 || !check.inside) {
        failList(Status.BadObject)
      } otherwise {
        state := Texts
      }
    } elsewhen (list.left >> 16 =/= 0) {
      failList(Status.Unsupported)
    } otherwise {
      state := array.isMessage ? NativeTable | NativeProduct
    }
  }

  /** The stride of messages is in their table. */
  protected def nativeTable(): Unit = {
    val mask = ((U(1, 4 bits) |<< known.alignLog2) - 1).resize(17)
    array.stride := (known.objectSize.resize(17) + mask) & ~mask
    when(isKnown && known.address === message.field.table) {
      state := NativeProduct
    } otherwise {
      loader.io.start := True
      state := NativeLoad
    }
  }

  protected def nativeProduct(): Unit = {
    array.product := (list.left - 1).resize(16) * array.stride
    list.step := -(array.stride.resize(18).asSInt)
    state := NativeFirst
  }

  protected def nativeFirst(): Unit = {
    move.by := array.product.resize(32).asSInt
    list.element := move.element
    state := array.isMessage ? NativeNext | NativeTexts
  }

  private def step(): Unit = {
    move.by := list.step.resized
    list.element := move.element
    list.left := list.left - 1
  }

  protected def nativeTexts(): Unit = {
    op.valid := True
    op.key := message.field.key
    op.optional := False
    op.value(31 downto 0) := list.element.asBits
    pushString()
    move.by := list.step.resized
    when(op.ready) {
      step()
      when(list.left === 1) { continue() }
    }
  }

  protected def nativeNext(): Unit = {
    child := list.element
    step()
    state := Dive
  }

  /** In Texts: a string behind a pointer; one without is empty. */
  protected def nativeReferred(isNull: Bool): Unit = {
    pushString()
    when(isNull) { op.kind := OpKind.Scalar }
  }
}
