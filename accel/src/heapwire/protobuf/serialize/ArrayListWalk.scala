package heapwire.protobuf.serialize

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** The part of a [[Walker]] that opens a list of references of a managed object: its
  * count and backing array, and where the last element is.
  */
abstract class ArrayListWalk(p: SerializerParameter, m: MemoryParameter) extends NativeWalk(p, m) {
  import State._

  protected def askList(): Unit = {
    when(!io.bounds.hold(list.origin, U(ObjectLayout.ArrayList.Size, 32 bits))) {
      fail(Status.BadObject, list.origin)
    } otherwise {
      ask(list.origin + ObjectLayout.ArrayList.Count)
      when(request.ready) { state := GetList }
    }
  }

  protected def getList(): Unit = {
    word.ready := True
    list.left := granule(31 downto 0).asUInt
    list.element := granule(63 downto 32).asUInt
    when(word.valid) {
      when(word.error) {
        word.ready := op.ready
        fail(Status.BusFault, list.origin)
      } elsewhen (granule(31 downto 0) === 0) {
        continue()
      } otherwise {
        state := AskArray
      }
    }
  }

  protected def askArray(): Unit = {
    when(!io.bounds.hold(list.element, U(ObjectLayout.Array.Elements, 32 bits))) {
      fail(Status.BadObject, list.origin)
    } otherwise {
      ask(list.element + ObjectLayout.Array.Length)
      when(request.ready) { state := GetArray }
    }
  }

  protected def getArray(): Unit = {
    val length = granule(31 downto 0).asUInt
    val end = list.element.resize(36) + ObjectLayout.Array.Elements + (length << 2).resize(36)
    when(word.valid) {
      when(word.error || end > io.bounds.limit.resize(36) || list.left > length) {
        word.ready := op.ready
        fail(word.error ? B(Status.BusFault.code, Status.Width bits) | B(Status.BadObject.code, Status.Width bits), list.origin)
      } otherwise {
        word.ready := True
        list.element := (list.element + ObjectLayout.Array.Elements - 4 + (list.left << 2)).resize(32)
        texts.toAsk := list.left
        texts.at := (list.element + ObjectLayout.Array.Elements - 4 + (list.left << 2)).resize(32)
        state := texts.wanted ? Texts | AskElement
      }
    }
  }
}
