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
    val first = Reg(UInt(32 bits))
    val stride = Reg(UInt(17 bits))
    val product = Reg(UInt(33 bits))
    /** Pointers to strings, or to bytes with their count. */
    def refers: Bool = pointer && !native.fixedLength && !isMessage
  }

  /** The most bytes of a string, or of bytes behind their count. */
  private def room(field: NativeField, pointer: Bool): UInt = {
    val countSize = io.wide ? U(4, 16 bits) | U(2, 16 bits)
    val inStruct = (field.isText || field.fixedLength) ? field.elementSize | ((field.elementSize < countSize) ? U(0, 16 bits) | (field.elementSize - countSize))
    (pointer && !field.fixedLength) ? U(32 bits, default -> true) | inStruct.resize(32)
  }

  /** The operation for a string or bytes at `at`. */
  private def pushString(field: NativeField, pointer: Bool, at: UInt): Unit = {
    op.kind := field.isText ? OpKind.Terminated | OpKind.Counted
    when(field.fixedLength) { op.kind := OpKind.Text }
    op.value := room(field, pointer).asBits ## at
    op.direct := True
    op.encoding.log2Size := 0
    op.encoding.fixed := False
    op.checked := False
  }

  /** What was found, or where it is. */
  private def base: UInt = found.field.pointer ? found.value(31 downto 0).asUInt | (message.address + found.field.native.offset)
  private def walks: Bool = found.field.isMessage || found.field.isString && found.field.repeated

  /** In Scan: the operation for the field that was found, if one is enough. */
  protected def nativeField(): Unit = {
    val field = found.field
    op.valid := found.valid && !walks
    op.kind := OpKind.Scalar
    op.value := field.encoding.wire(found.value)
    op.encoding := field.encoding
    op.packed := field.packed && field.repeated
    op.optional := field.unlessZero
    op.checked := False
    op.direct := True
    when(field.repeated || field.pointer) {
      op.kind := OpKind.Array
      op.value := (field.repeated ? found.count | U(1, 32 bits)).asBits ## base
    }
    when(field.isString) { pushString(field.native, field.pointer, base) }
    found.ready := op.ready || walks
  }

  /** In Scan: goes on where the field's messages, or strings, are written. */
  protected def nativeWalk(): Unit = {
    val field = found.field
    array.native := field.native
    array.isMessage := field.isMessage
    array.pointer := field.pointer
    array.first := base
    when(walks) {
      child := base
      list.origin := base
      list.left := field.repeated ? found.count | U(0, 32 bits)
      state := field.repeated ? NativeList | Dive
    }
  }

  // ---- arrays ----------------------------------------------------------------
  protected def nativeList(): Unit = {
    val pointers = list.left << 2
    val last = (array.first + pointers - 4).resize(32)
    array.stride := array.native.elementSize.resized
    texts.checked := False
    texts.toAsk := list.left
    texts.at := last
    when(array.refers) {
      list.element := last
      when(array.first(1 downto 0) =/= 0 || array.first < io.bounds.bound || (array.first +^ pointers) > io.bounds.limit.resize(35)) {
        fail(Status.BadObject, list.origin)
      } otherwise {
        state := Texts
      }
    } elsewhen (list.left >> 16 =/= 0) {
      fail(Status.Unsupported, list.origin)
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
    list.stride := array.stride
    state := NativeFirst
  }

  protected def nativeFirst(): Unit = {
    list.element := (array.first + array.product).resize(32)
    state := array.isMessage ? NativeNext | NativeTexts
  }

  private def step(): Unit = {
    list.element := list.element - list.stride
    list.left := list.left - 1
  }

  protected def nativeTexts(): Unit = {
    op.valid := True
    op.key := message.field.key
    op.optional := False
    pushString(array.native, array.pointer, list.element)
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
  protected def nativeReferred(reference: Bits): Unit = {
    pushString(array.native, True, reference.asUInt)
    when(reference === 0) {
      op.kind := OpKind.Scalar
      op.value := 0
    }
  }
}
