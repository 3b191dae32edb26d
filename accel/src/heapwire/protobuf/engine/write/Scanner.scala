package heapwire.protobuf.engine.write

import heapwire.isa.DescriptorLayout.Presence
import heapwire.protobuf.engine.logic.Same
import heapwire.protobuf.engine.microcode.{ScanStop, ScannedString}
import spinal.core._
import spinal.lib._

/** Walks the ordered entries of the open message, highest field number first, and hands the values and keys of present
  * scalars to the packer: 4 cycles per field, 2 per absent field. It stops at any other field, with the field's slot in
  * the current granule. It also walks the elements of an array downwards: one item per cycle within a granule of 16
  * bytes.
  *
  * An entry is requested when the one before comes or is written. The request is repeated until the entry is taken,
  * because the cache answers 2 cycles later and does not hold its answer.
  */
case class Scanner() extends Component {
  val io = new ScannerPorts {
    val item = master(Stream(PackItem()))
    /** The item is a value, not the entry's key. `behindKey`: the byte to be written behind a one-byte key. */
    val isValue = out Bool ()
    val behindKey = out Bits (8 bits)
    /** `full` is valid for all items. */
    val placed = in Bool ()
  }
  object State extends SpinalEnum(binaryOneHot) {
    val Rest, Fetch, Decide, Case, Slot, Key, Start, Element, ElementKey, HaveString, HaveArray, Bytes, Length, AskEnd,
        FindEnd, GoToEnd = newElement()
  }
  import State._
  val state = RegInit(Rest)
  val port = io.scan
  val entry = io.entry
  val facts = io.facts
  private val presence = entry.presence

  /** The program requested the string that is being written. */
  val called = RegInit(False)
  /** The key is one byte. If the string's length is one byte as well, both are put together. */
  private val shortKey = RegNext(entry.bits(31 downto 7) === 0)
  val walking = new ScanElements(this)
  import walking._
  private val together = shortKey && !text.length.msb
  /** The key is being put, and nothing else of the field is left. */
  val putsKey = state === Key || state === Length && together
  val entries = new ScanEntries(this)

  // ---- the current field --------------------------------------------------------------------
  private val byte = io.value(31 downto 0).subdivideIn(8 bits).read(io.lane)
  private val second = io.lane(1) ? io.value(31 downto 24) | io.value(15 downto 8)
  private val pointer = io.native && entry.pointer
  /** The object has a hasbit for the field. */
  private val byBit = !io.native && (presence === Presence.Hasbit || presence === Presence.Required)
  /** The case word, `which`, has-flag or count is read before the slot. */
  private val flagged = io.native && presence === Presence.Hasbit
  private val counted = io.native && entry.repeated
  private val byCase = presence === Presence.Case || flagged || counted && !entry.fixedCount
  io.wantBit := state === Decide && byBit
  io.atCase := state === Decide && byCase
  io.ask := False
  io.mayAsk := state === Decide && (!entries.early || byCase) || state === Case && io.hereIfHit && !counted ||
    entries.comes
  io.atNext := putsKey
  port.stop.valid := False
  port.stop.payload := ScanStop.Malformed
  port.likely := ScanStop.End
  when(state === Slot) { port.likely := ScanStop.Message }
  when(state === HaveString) { port.likely := facts.packable ? ScanStop.Scalars() | ScanStop.References() }
  io.atElement := state =/= Decide && state =/= Case && !putsKey
  // What follows from the entry alone is in registers by the time the field's slot is here.
  /** log2 of the slot's size: the slot of a list holds a reference. */
  private val slotSize = RegNext((entry.repeated || pointer) ? U(2, 2 bits) | io.log2Size)
  private val absentIfZero = RegNext(
    io.native ? (pointer ? (presence =/= Presence.Required) | (presence === Presence.Implicit && facts.packable)) |
      (presence === Presence.Implicit || presence === Presence.Reference))
  private val zero = io.noByte && (slotSize === 0 || io.noSecond) && (!slotSize(1) || io.noUpper) &&
    (!slotSize.andR || io.noAbove)
  private val absent = zero && absentIfZero
  private val scalar = RegNext(facts.packable && !entry.repeated && !entry.unsupported && !pointer)
  private def stop(why: ScanStop.E): Unit = {
    port.stop.valid := True
    port.stop.payload := why
    // That a string is invalid has priority over that it does not fit.
    if (why != ScanStop.NotText) text.active := False
    state := Rest
  }

  /** Continues behind a field. */
  private def goOn(): Unit = {
    state := io.load ? Decide | (called ? Rest | Fetch)
    when(entries.over && !called) { stop(ScanStop.End) }
  }

  private def stopAtArray(): Unit = {
    stop(ScanStop.Array)
    when(entry.unsupported) { port.stop.payload := ScanStop.Unsupported }
    when(!facts.known) { port.stop.payload := ScanStop.Malformed }
  }

  /** Requests the object to which the current word refers. */
  private def follow(): Unit = {
    io.take := True
    io.ask := True
  }
  /** Continues with the current string or list. */
  private def goIn(byProgram: Bool): Unit = {
    follow()
    called := byProgram
    text.wide := False
    state := HaveString
    when(io.native) {
      text.active := True
      text.fresh := False
      text.length := 0
      walk.bytes := True
      walk.keys := False
      walk.counted := True
      state := FindEnd
    }
  }
  /** Only the program can check the address that was followed: it is in the first or last block of the bounds, or not a
    * multiple of 8.
    */
  private val isOdd = io.atLimit || !awayFromBase || io.element(2 downto 0) =/= 0
  /** The object is the current list. */
  private val isList = entry.repeated && !called
  private def leaveToProgram(): Unit = {
    io.ask := False
    stop(ScanStop.Str)
  }

  // ---- items --------------------------------------------------------------------------------
  private val withKey = state === Length && together
  io.isValue := state === Slot || state === Element || state === Length && !together
  io.behindKey := text.length.asBits.andMask(withKey)
  private val raw = walk.bytes && state === Element
  io.item.valid := state === Key || state === ElementKey || state === Length && !text.holds ||
    state === Slot && io.ready && scalar && !absent || state === Element && elementHere
  /** A bool is written as 0 or 1, whatever its byte is. */
  private val isBool = facts.isBool && !raw
  io.item.value :=
    io.value(63 downto 16) ## second ##
      ((state === Length) ? text.length.asBits | (isBool ? byte.orR.asBits.resize(8) | byte))
  io.item.log2Size := (raw || state === Length) ? (raw ? walk.log2Size | withKey.asUInt(2 bits)) |
    (io.isValue ? io.log2Size.andMask(!isBool) | U(2, 2 bits))
  io.item.sign := io.log2Size.mux(0 -> byte.msb, 1 -> second.msb, 2 -> io.value(31), 3 -> io.value(63))
  io.item.signed := io.isValue && facts.isSigned && !raw && state =/= Length
  io.item.zigzag := io.isValue && facts.zigzag && !raw && state =/= Length
  io.item.fixed := io.isValue && facts.packable && facts.wireType(0) && state =/= Length || raw || withKey

  // The slot of the arriving entry is requested now. If that is in vain, it is requested again when the entry is taken.
  when(entries.arrives) { io.ask := True }
  switch(state) {
    is(Fetch) {
      when(entries.over) { stop(ScanStop.End) }
      when(io.load) { state := entries.rests ? Rest | Decide }
    }
    is(Decide) {
      when(byBit) {
        when(io.bitReady) {
          io.ask := !entries.early
          state := io.seen ? Slot | Fetch
          when(!io.seen && presence === Presence.Required) { stop(ScanStop.Missing) }
        }
      } otherwise {
        io.ask := !entries.early || byCase
        state := byCase ? Case | Slot
        when(presence > Presence.Required) { stop(ScanStop.Malformed) }
      }
    }
    is(Case) {
      when(io.ready) {
        io.ask := !counted
        val wide = !io.native || io.wide
        val word = (io.value(31 downto 16).andMask(wide) ## second ## byte).asUInt
        val isThere = !io.noByte || !flagged && (!io.noSecond || wide && !io.noUpper)
        val set = Same(word, entry.bits(31 downto 3).asUInt.resize(32))
        state := ((flagged || counted) ? isThere | set) ? Slot | Fetch
        when(counted && isThere) { stopAtArray() }
      }
    }
    is(Slot) {
      when(io.ready) {
        when(absent) {
          state := Fetch
        } elsewhen (entry.unsupported) {
          stop(ScanStop.Unsupported)
        } elsewhen (!facts.known || entry.repeated && presence =/= Presence.Reference) {
          stop(ScanStop.Malformed)
        } elsewhen (pointer && zero && presence === Presence.Required) {
          stop(ScanStop.Missing)
        } elsewhen (io.native && (entry.repeated || entry.pointer && facts.packable)) {
          stopAtArray()
        } elsewhen (entry.repeated) {
          goIn(False)
        } elsewhen (facts.isString && io.native && !(pointer && facts.isText)) {
          stop(ScanStop.Str)
        } elsewhen (facts.isString) {
          when(zero && !io.native) {
            text.length := 0
            called := False
            state := Length
          } otherwise {
            goIn(False)
          }
        } elsewhen (!facts.packable) {
          stop(ScanStop.Message)
          when(!io.native) { follow() }
          when(zero && !io.native) {
            io.ask := False
            port.stop.payload := ScanStop.NoMessage
          }
        } elsewhen (io.item.ready) {
          state := Key
        }
      }
    }
    is(Key) {
      when(io.item.ready) { goOn() }
    }
    // ---- a string or a list: every unusual case is left to the program
    is(HaveString) {
      when(io.ready) {
        follow()
        state := HaveArray
        when(isOdd) { leaveToProgram() }
        when(isList) {
          io.take := False
          io.ask := False
          stop(ScanStop.References)
          when(facts.packable) { port.stop.payload := ScanStop.Scalars }
        }
      }
      when(io.outside) { leaveToProgram() }
      when(isList && (io.outside || io.ready && isOdd)) { stop(ScanStop.List) }
    }
    is(HaveArray) {
      text.length := io.value(0, ScannedString.LengthWidth bits).asUInt
      walk.left := io.value(0, ScannedString.LengthWidth bits).asUInt
      text.active := True
      text.fresh := True
      walk.bytes := True
      walk.keys := False
      when(io.ready) {
        state := Bytes
        when(text.tooLong || isOdd) { leaveToProgram() }
      }
      when(io.outside) { leaveToProgram() }
    }
    is(Bytes) {
      // By now it is known whether everything behind the string fits.
      when(io.placed) {
        moveDown()
        io.ask := True
        state := Element
        when(walk.left === 0) {
          io.ask := False
          state := (presence === Presence.Implicit) ? Fetch | Length
        }
      }
    }
    is(Length) {
      when(io.item.ready && !text.holds) {
        text.active := False
        state := Key
        when(together) { goOn() }
      }
      when(text.isWrong) { stop(ScanStop.NotText) }
    }
    is(Start) {
      when(isLast) {
        state := text.active ? Length | Rest
      } otherwise {
        moveDown()
        // The granule in which a string ends is at hand.
        io.ask := !text.active || walk.crosses
        state := Element
      }
    }
    // ---- the end of a string of a C struct
    is(AskEnd) {
      io.ask := True
      state := FindEnd
    }
    is(FindEnd) {
      when(io.ready) { state := GoToEnd }
      when(io.outside || text.active && io.ready && (io.atLimit || !awayFromBase)) {
        stop(ScanStop.Endless)
        when(text.active) { port.stop.payload := ScanStop.Str }
      }
    }
    is(GoToEnd) {
      io.move := True
      val length = text.length +^ end.by
      state := end.crosses ? AskEnd | FindEnd
      when(end.found) { state := text.active ? Start | Rest }
      text.length := length.resized
      walk.left := length.resized
      when(text.active && length.msb) { stop(ScanStop.Str) }
    }
    is(Element) {
      when(text.active && text.fresh && (io.outside || io.ready && io.atLimit)) { stop(ScanStop.Str) }
      when(putsElement) {
        when(walk.keys) { state := ElementKey } otherwise { goDown() }
      }
    }
    is(ElementKey) {
      when(io.item.ready) { goDown() }
    }
  }
  when(port.scan || port.fetch) {
    state := Fetch
    entries.rests := port.fetch
  }
  when(port.field) {
    state := Decide
    entries.rests := False
  }
  when(port.scan || port.field) { called := False }
  when(port.walk) {
    state := Start
    text.active := False
    walk.left := port.address.resized
  }
  when(port.find) {
    state := AskEnd
    text.active := False
  }
  when(port.text) { goIn(True) }
  when(port.kill) {
    state := Rest
    text.active := False
  }
  port.busy := state =/= Rest
  io.inText := text.active && !text.fresh && entry.checkUtf8 && !io.native
}
