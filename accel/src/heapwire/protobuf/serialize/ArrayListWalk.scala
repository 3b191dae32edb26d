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
    check.at := list.origin
    check.size := ObjectLayout.ArrayList.Size
    check.ofList := True
    when(check.done && !check.held) {
      failList(Status.BadObject)
    } elsewhen (check.done) {
      ask(list.origin, ObjectLayout.ArrayList.Count)
      when(request.ready) { state := GetList }
    }
  }

  protected def getList(): Unit = {
    word.ready := True
    list.left := granule(31 downto 0).asUInt
    list.element := granule(63 downto 32).asUInt
    when(word.valid) {
      when(word.error) {
        word.ready := False
        failWord()
      } elsewhen (granule(31 downto 0) === 0) {
        continue()
      } otherwise {
        state := AskArray
      }
    }
  }

  protected def askArray(): Unit = {
    check.at := list.element
    check.size := ObjectLayout.Array.Elements
    check.ofList := True
    move.by := ObjectLayout.Array.Elements
    when(check.done && !check.held) {
      failList(Status.BadObject)
    } elsewhen (check.done) {
      ask(list.element, ObjectLayout.Array.Length)
      when(request.ready) {
        // What is said next is said of the elements.
        check.ofList := False
        list.element := move.element
        state := GetArray
      }
    }
  }

  protected def getArray(): Unit = {
    val length = granule(31 downto 0).asUInt
    check.at := list.element
    check.size := (length << 2).resized
    check.ofList := word.valid
    move.by := (list.left << 2).resize(32).asSInt
    texts.ahead := 0
    when(check.done) {
      when(word.error || !check.fits || length < list.left) {
        failWord()
      } otherwise {
        word.ready := True
        list.element := move.element
        state := texts.wanted ? Texts | AskElement
      }
    }
  }
}
