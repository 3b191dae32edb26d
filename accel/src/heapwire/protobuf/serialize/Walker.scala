package heapwire.protobuf.serialize

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Walks a message and those in it, last field first, and says what is to be
  * written. It never waits for strings, arrays or the output, only for message
  * objects, their tables, and lists of references.
  *
  * Ends with one End or Fail; then it rests until `kill`.
  */
case class Walker(p: SerializerParameter, m: MemoryParameter) extends ArrayListWalk(p, m) {
  import State._

  switch(state) {
    is(Rest) {
      depth := 0
      child := io.root
      message.field.table := io.table
      list.left := 0
      isKnown := False
      when(io.start) { state := Enter }
    }
    // ---- opening a message -------------------------------------------------
    is(Enter) {
      // Said of its header, in Dive.
      when(depth > io.maxDepth) {
        failChild(Status.DepthExceeded)
      } elsewhen (depth =/= 0 && !native && !check.held) {
        failChild(Status.BadObject)
      } elsewhen (isKnown && known.address === message.field.table) {
        state := Open
      } otherwise {
        loader.io.start := True
        state := Load
      }
    }
    is(Load, NativeLoad) {
      isKnown := False
      when(loader.io.ready) {
        val table = MessageTable(loader.io.header.bits, message.field.table, loader.io.hashedEnd)
        known := table
        isKnown := True
        state := (state === Load) ? Loaded | NativeTable
      }
      when(loader.io.failed) {
        refusal := loader.io.status
        state := Refuse
      }
    }
    is(Loaded) { state := Open }
    is(Refuse) { failChild(refusal) }
    is(Open) {
      message.address := child
      message.table := known.address
      message.entriesEnd := known.entriesEnd.resized
      message.size := known.objectSize
      message.hasbitsOffset := known.hasbitsOffset
      message.hasbitsWords := known.hasbitsWords
      message.left := known.fieldCount
      entries.io.end := known.entriesEnd.resized
      entries.io.left := known.fieldCount
      val misaligned = (child(2 downto 0) & ((U(1, 4 bits) |<< known.alignLog2) - 1).resize(3)) =/= 0
      val held = known.native ? (check.inside && !misaligned) | check.held
      when(depth === 0) {
        native := known.native
        wide := known.wideCount
      }
      when(!knownFits || unknownWrong && !known.native || depth =/= 0 && (native =/= known.native || wide =/= known.wideCount)) {
        failChild(Status.BadDescriptor)
      } elsewhen (!held) {
        failChild(Status.BadObject)
      } otherwise {
        op.valid := depth =/= 0
        op.kind := message.field.isGroup ? OpKind.Key | OpKind.Mark
        op.key := endKey(message.field.key)
        when(op.ready || depth === 0) {
          hint.open := True
          parts.begin(isFresh = true)
          entries.io.start := True
          state := known.native ? Settle | Parts
        }
      }
    }
    is(Parts) {
      parts.run()
      when(parts.got === parts.end) {
        when(parts.failed) {
          fail(Status.BusFault)
        } elsewhen (parts.wrongKlass) {
          fail(Status.BadObject)
        } otherwise {
          val some = known.unknownOffset =/= 0 && parts.unknown =/= 0 && parts.unknown =/= io.unknownFields
          state := (parts.fresh && some) ? Unknown | (scanner.io.idle ? Scan | Settle)
        }
      }
    }
    is(Unknown) {
      op.valid := True
      op.kind := OpKind.Raw
      op.value(31 downto 0) := parts.unknown.asBits
      op.encoding.log2Size := 0
      when(op.ready) { state := Settle }
    }
    is(Settle) {
      when(scanner.io.idle) { state := Scan }
    }
    // ---- fields ------------------------------------------------------------
    is(Scan) {
      val field = found.field
      val reference = found.value(31 downto 0)
      val nested = field.isMessage || field.isGroup
      val isNull = reference === 0
      op.key := field.key
      op.value := found.value
      op.encoding := field.encoding
      op.packed := field.packed
      op.checked := field.checked
      op.optional := field.unlessZero
      op.kind := OpKind.Scalar
      when(field.isReference) {
        when(field.repeated) {
          op.kind := OpKind.Array
        } elsewhen (field.isString) {
          op.encoding.log2Size := 0
          op.kind := OpKind.Text
        }
        when(isNull) {
          op.kind := OpKind.Scalar
          op.encoding.fixed := False
          op.encoding.log2Size := 0
          when(field.isGroup) {
            op.kind := OpKind.Key
            op.key := endKey(field.key)
          }
        }
      }
      val walks = field.repeated && (nested || field.isString) || nested && !isNull
      op.valid := found.valid && !walks
      found.ready := op.ready || walks
      when(native) { nativeField() }
      when(found.valid) {
        when(found.status =/= Status.Ok.code) {
          found.ready := op.ready
          fail(found.status)
        } otherwise {
          message.left := field.left
          message.field.key := field.key
          message.field.isGroup := field.isGroup
          message.field.table := message.table + field.native.subTable(native)
          list.left := 0
          texts.checked := field.checked
          texts.wanted := field.isString
          when(native) {
            nativeWalk()
          } elsewhen (walks) {
            child := reference.asUInt
            list.origin := reference.asUInt
            state := field.repeated ? AskList | Dive
          } elsewhen (op.ready && field.isGroup) {
            state := NullGroup
          }
        }
      } elsewhen (over) {
        state := Leave
      }
    }
    is(NullGroup) {
      pushKey(message.field.key)
      when(op.ready) { continue() }
    }
    // ---- lists of references -----------------------------------------------
    is(AskList) { askList() }
    is(GetList) { getList() }
    is(AskArray) { askArray() }
    is(GetArray) { getArray() }
    is(Texts) {
      request.valid := texts.more && !texts.ahead.andR
      place.offset := -((texts.ahead +^ 1) << 2).resize(17).asSInt
      texts.ahead := texts.ahead + request.fire.asUInt - word.fire.asUInt
      val reference = lane(list.element - 4)
      val isNull = reference === 0
      op.key := message.field.key
      op.value(31 downto 0) := reference
      op.encoding.log2Size := 0
      op.encoding.fixed := False
      op.checked := texts.checked
      op.optional := False
      op.kind := OpKind.Text
      op.valid := word.valid
      word.ready := op.ready
      when(native) { nativeReferred(isNull) }
      when(word.valid && (word.error || isNull && !native)) {
        failWord()
      } elsewhen (word.valid && op.ready) {
        list.element := move.element
        list.left := list.left - 1
        when(list.left === 1) { continue() }
      }
    }
    // ---- arrays of C structs -----------------------------------------------
    is(NativeList) { nativeList() }
    is(NativeTable) { nativeTable() }
    is(NativeProduct) { nativeProduct() }
    is(NativeFirst) { nativeFirst() }
    is(NativeTexts) { nativeTexts() }
    is(NativeNext) { nativeNext() }
    is(AskElement) {
      request.valid := True
      when(request.ready) { state := GetElement }
    }
    is(GetElement) {
      word.ready := True
      val element = lane(list.element - 4)
      child := element.asUInt
      val inWord = (list.element - 4)(PathWord.shift(m) - 1 downto 2) =/= 0
      val following = lane(list.element - 8).asUInt.andMask(list.left =/= 1 && inWord)
      hint.next := following
      hint.following := following
      hint.below := list.left =/= 1 && !inWord
      when(word.valid) {
        when(word.error || element === 0) {
          word.ready := False
          failWord()
        } otherwise {
          list.element := move.element
          list.left := list.left - 1
          state := Dive
        }
      }
    }
    // ---- in and out --------------------------------------------------------
    is(Dive) {
      check.size := ObjectLayout.Header.Size
      depth := depth + 1
      list.left := 0
      state := Enter
    }
    is(Leave) {
      when(depth === 0) {
        op.valid := True
        op.kind := OpKind.End
        when(op.ready) { state := Rest }
      } otherwise {
        message := stack.io.top
        depth := depth - 1
        state := Close
      }
    }
    is(Close) {
      op.valid := True
      op.kind := message.field.isGroup ? OpKind.Key | OpKind.Close
      op.key := message.field.key
      when(op.ready) {
        when(list.left =/= 0) {
          state := native ? NativeNext | AskElement
        } elsewhen (message.left === 0) {
          state := Leave
        } otherwise {
          entries.io.start := True
          parts.begin(isFresh = false)
          state := native ? Settle | Parts
        }
      }
    }
    is(Again) {
      entries.io.start := message.left =/= 0
      state := (message.left === 0) ? Leave | Settle
    }
  }
  when(io.kill) {
    state := Rest
  }
}
