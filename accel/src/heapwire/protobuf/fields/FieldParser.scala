package heapwire.protobuf.fields

import heapwire.isa._
import heapwire.memory._
import heapwire.protobuf._
import spinal.core._
import spinal.lib._

/** What is wrong, and where: an address of the input or of the heap. */
case class FieldFault() extends Bundle {
  val status = Bits(Status.Width bits)
  val at = UInt(32 bits)
}

/** Parses one value at a time: `parfield`.
  *
  * The input is read ahead of the core, which goes through it upwards; a step
  * back, or a long one ahead, starts over. `next` answers as soon as it is known,
  * strings and packed runs are stored behind it.
  *
  * Of several faults of a value the first of this list counts: BAD_COMMAND,
  * BAD_ALIGNMENT, OUT_OF_BOUNDS; TRUNCATED, VARINT_OVERFLOW; FLEXIBLE_ARENA_FULL,
  * FIXED_ARENA_FULL; what is within the value.
  */
case class FieldParser(p: FieldsParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val field = slave(Stream(FieldRequest()))
    val next = master(Flow(Bits(32 bits)))
    val busy = out Bool()
    /** A sequence opens; from the next cycle on `input` holds, which starts at this address. */
    val open = slave(Flow(UInt(32 bits)))
    val input, destination, fixed, flexible = in(Bounds(m))
    val setFixed, setFlexible = slave(Flow(UInt(32 bits)))
    /** Takes bytes off the fixed arena, only while not busy; `taken` is combinational, 0 if there is no room. */
    val take = slave(Flow(UInt(32 bits)))
    val taken, fixedTop, flexibleTop = out UInt(32 bits)
    val fault = master(Flow(FieldFault()))
    /** Ends everything under way (level, until all is idle). */
    val kill = in Bool()
    /** Closes the open list; only while not busy. */
    val close = in Bool()
    val listOpen = out Bool()
    val mark, byteString, byteArray, listKlass, arrayKlass = in Bits(32 bits)
    val listRegister = out UInt(5 bits)
    val read = master(Stream(ByteRange(m)))
    val word = slave(Stream(RangeWord(m)))
    val abort = out Bool()
    val readerIdle = in Bool()
    val write = master(Stream(ObjectWrite()))
    val flush = out Bool()
    val flushed = in Bool()
    val listRequest = master(Stream(CachedRead(m)))
    val listWord = slave(Stream(CachedWord(m)))
    /** How far the input is parsed. */
    val position = out UInt(32 bits)
    /** Input is waited for. */
    val starving = out Bool()
  }
  private val wordShift = log2Up(m.wordBytes)
  private def code(status: Status) = B(status.code, Status.Width bits)

  object State extends SpinalEnum { val Idle, Check, Restart, Seek, Value, Bytes, Copy, Packed = newElement() }
  import State._
  val state = RegInit(Idle)
  val request = Reg(FieldRequest())
  val owed = RegInit(False)
  val source = Reg(UInt(32 bits))
  val fixedTop = Reg(UInt(32 bits))

  val facts = TypeFacts(request.function(4 downto 0).asUInt)
  val repeated = request.function(FieldInstruction.RepeatedBit)
  val flag = request.function(FieldInstruction.FlagBit)
  val packed = flag && repeated && !facts.isString
  val reference = facts.isMessage || facts.isGroup
  val slot = (request.rs2(31 downto 1) ## (request.rs2(0) && !repeated)).asUInt

  val window = Window(m)
  window.io.word << io.word
  window.io.clear := False
  window.io.consume := 0
  /** The address of the window's first byte. */
  val at = Reg(UInt(32 bits))
  at := at + window.io.consume

  val lists = FieldLists(m)
  lists.io.reset := io.open.valid
  lists.io.kill := io.kill
  lists.io.target.slot := slot
  lists.io.target.existing := request.rs2(0)
  lists.io.target.log2Size := facts.log2Size
  lists.io.target.klass := io.listKlass
  lists.io.target.arrayKlass := io.arrayKlass
  io.listRegister := facts.list.resize(5) + TypeFacts.FirstList
  lists.io.enter := False
  lists.io.append := False
  lists.io.close := io.close && state === Idle
  lists.io.mark := io.mark
  lists.io.fixed := io.fixed
  lists.io.flexible := io.flexible
  lists.io.fixedTop := fixedTop
  lists.io.setTop << io.setFlexible
  io.flush := lists.io.flush
  lists.io.flushed := io.flushed
  io.listRequest << lists.io.request
  lists.io.word << io.listWord
  io.listOpen := lists.io.open
  io.flexibleTop := lists.io.top
  io.fixedTop := fixedTop
  io.position := at

  val copier = StringCopier()
  copier.io.start := False
  copier.io.address := fixedTop
  copier.io.mark := io.mark
  copier.io.klassByteString := io.byteString
  copier.io.klassByteArray := io.byteArray
  copier.io.kill := io.kill

  io.fault.valid := False
  io.fault.status := code(Status.BadCommand)
  io.fault.at := source
  private def fail(status: Bits): Unit = {
    io.fault.valid := True
    io.fault.status := status
    state := Idle
  }
  private def fail(status: Status): Unit = fail(code(status))

  /** The value at the start of the window, of a run that ends at `end`. */
  val packedEnd = Reg(UInt(32 bits))
  val value = new Area {
    val end = (state === Packed) ? packedEnd | io.input.limit
    val room = end - at
    val whole = room <= window.io.count
    val available = whole ? room.resize(6) | window.io.count
    val bytes = window.io.bytes(8 * Varint.MaxBytes - 1 downto 0)
    val stop = Varint.end(Varint.continuations(bytes))
    val isRun = packed && state =/= Packed
    val isFixed = !isRun && (facts.wireType === 1 || facts.wireType === 5)
    val fixedSize = U(1, 4 bits) |<< facts.log2Size
    val length = isFixed ? fixedSize | (OHToUInt(stop) +^ U(1)).resize(4)
    val found = (isFixed || stop.orR) && length <= available
    val overflow = !isFixed && !stop.orR && available >= Varint.MaxBytes
    val cut = !found && !overflow && whole
    val raw = isFixed ? ((bytes(63 downto 32).andMask(facts.log2Size === 3)) ## bytes(31 downto 0)) | Varint.value(bytes)
    val next = at + length
    /** As a length: does it stay within the input? */
    val fits = raw.asUInt <= (room - length).resize(64)
    val wide = facts.log2Size === 3
    val low = wide ? raw.asUInt | raw(31 downto 0).asUInt.resize(64)
    val stored = Bits(64 bits)
    stored := raw
    when(facts.zigzag) { stored := ((low |>> 1) ^ U(64 bits, default -> low.lsb)).asBits }
    when(facts.isBool) { stored := raw.orR.asBits.resize(64) }
  }
  io.starving := (state === Seek || state === Value || state === Bytes || state === Packed) && !window.io.complete && window.io.count < 16

  private def answer(next: UInt): Unit = {
    io.next.valid := True
    io.next.payload := next.asBits
    owed := False
  }
  io.next.valid := False
  io.next.payload.setAll()

  // ---- writes ------------------------------------------------------------------
  val own = Stream(ObjectWrite())
  own.valid := False
  own.payload := ObjectWrite.value(repeated ? lists.io.element | slot, value.stored, facts.log2Size)
  when(lists.io.busy) {
    io.write << lists.io.write
    own.ready := False
    copier.io.write.ready := False
  } elsewhen (copier.io.busy) {
    io.write << copier.io.write
    own.ready := False
    lists.io.write.ready := False
  } otherwise {
    io.write << own
    lists.io.write.ready := False
    copier.io.write.ready := False
  }

  /** Stores into the slot, or appends; true once it is done. */
  private def store(): Bool = {
    val done = False
    when(!repeated) {
      own.valid := True
      done := own.ready
    } elsewhen (!lists.io.ready) {
      lists.io.enter := !lists.io.busy
    } elsewhen (lists.io.full) {
      fail(Status.FlexibleArenaFull)
    } otherwise {
      own.valid := True
      done := own.ready
      lists.io.append := own.ready
    }
    done
  }

  // ---- strings -----------------------------------------------------------------
  val left = Reg(UInt(32 bits))
  val stringEnd = fixedTop.resize(34) + StringCopier.size(value.raw(31 downto 0).asUInt)
  copier.io.length := value.raw(31 downto 0).asUInt
  val chunk = new Area {
    val last = left <= 16
    val count = last ? left.resize(5) | U(16, 5 bits)
    copier.io.chunk.valid := state === Bytes && count <= window.io.count
    copier.io.chunk.data := window.io.bytes(127 downto 0)
    copier.io.chunk.count := count
    copier.io.chunk.last := last
  }
  val text = new Area {
    val before = Reg(Vec.fill(3)(Bits(8 bits)))
    val bytes = (0 until 16).map(i => window.io.bytes(8 * i, 8 bits).andMask(chunk.count > i)) :+ B(0, 8 bits)
    private def previous(i: Int) = if (i < 0) before(-1 - i) else bytes(i)
    val judged = (0 to 16).map(i => Utf8Rule.wrong(bytes(i), (1 to 3).map(d => previous(i - d))))
    val wrong = RegNext(copier.io.chunk.fire && flag && (judged.take(16).orR || chunk.last && judged.last)) init False
    when(copier.io.chunk.fire) { for (i <- 0 until 3) before(i) := bytes(15 - i) }
    when(copier.io.start) { before.foreach(_ := 0) }
  }

  // ---- the arena -----------------------------------------------------------------
  val takeEnd = fixedTop +^ (((io.take.payload +^ U(7)) >> 3) << 3)
  val takeFits = takeEnd <= io.fixed.limit.resize(34)
  io.taken := takeFits ? fixedTop | U(0)
  when(io.take.valid && takeFits) { fixedTop := takeEnd.resized }
  when(lists.io.allocate) { fixedTop := fixedTop + ObjectLayout.ArrayList.Size }
  when(io.setFixed.valid) { fixedTop := (((io.setFixed.payload +^ U(7)) >> 3) << 3).resized }

  io.field.ready := state === Idle && !lists.io.busy && !copier.io.busy && !text.wrong
  io.busy := !io.field.ready || io.field.valid
  io.read.valid := False
  io.read.address := source
  io.read.length := io.input.limit - source
  io.abort := False

  val done = False
  switch(state) {
    is(Idle) {
      when(io.field.fire) {
        request := io.field.payload
        source := io.field.rs1.asUInt
        owed := True
        state := Check
      }
    }
    is(Check) {
      val size = (repeated || facts.isString) ? U(4, 4 bits) | (U(1, 4 bits) |<< facts.log2Size)
      val misaligned = (slot(2 downto 0) & (size - 1).resize(3)) =/= 0
      val outside = slot < io.destination.base || (slot +^ size) > io.destination.limit.resize(33)
      when(!facts.known || reference && (!repeated || flag) || flag && !facts.isString && !(repeated && facts.packable)) {
        fail(Status.BadCommand)
      } elsewhen (misaligned) {
        fail(Status.BadAlignment)
      } elsewhen (outside || !reference && (source < io.input.base || source > io.input.limit)) {
        fail(Status.OutOfBounds)
      } otherwise {
        state := reference ? Value | Seek
      }
    }
    is(Restart) {
      // Forget what was read, then read from `source` on.
      io.abort := !io.readerIdle
      window.io.clear := True
      when(io.readerIdle) {
        io.read.valid := True
        at := (source >> wordShift) << wordShift
        when(io.read.ready) { state := owed ? Seek | Idle }
      }
    }
    is(Seek) {
      val gap = source - at
      when(gap === 0) {
        state := Value
      } elsewhen (source < at || gap > p.seekBytes) {
        state := Restart
      } otherwise {
        val most = (window.io.count > 16) ? U(16, 5 bits) | window.io.count.resize(5)
        window.io.consume := (gap < most) ? gap.resize(5) | most
      }
    }
    is(Value) {
      when(reference) {
        own.payload := ObjectWrite.value(lists.io.element, request.rs1, U(2, 2 bits))
        done := store()
        when(done) {
          answer(source + 1)
          state := Idle
        }
      } elsewhen (value.overflow) {
        fail(Status.VarintOverflow)
      } elsewhen (value.cut || value.found && (facts.isString || packed) && !value.fits) {
        fail(Status.Truncated)
      } elsewhen (value.found) {
        when(packed) {
          val end = value.next + value.raw(31 downto 0).asUInt
          packedEnd := end
          window.io.consume := value.length.resized
          answer(end)
          state := Packed
        } elsewhen (facts.isString) {
          own.payload := ObjectWrite.value(repeated ? lists.io.element | slot, fixedTop.asBits.resize(64), U(2, 2 bits))
          when(repeated && !lists.io.ready) {
            // A new list may need room in the same arena first.
            lists.io.enter := !lists.io.busy
          } elsewhen (stringEnd > io.fixed.limit.resize(34)) {
            fail(Status.FixedArenaFull)
          } otherwise {
            done := store()
          }
          when(done) {
            copier.io.start := True
            fixedTop := stringEnd.resized
            left := value.raw(31 downto 0).asUInt
            window.io.consume := value.length.resized
            answer(value.next + value.raw(31 downto 0).asUInt)
            state := (value.raw === 0) ? Copy | Bytes
          }
        } otherwise {
          done := store()
          when(done) {
            window.io.consume := value.length.resized
            answer(value.next)
            state := Idle
          }
        }
      }
    }
    is(Bytes) {
      when(copier.io.chunk.fire) {
        window.io.consume := chunk.count
        left := left - chunk.count
        when(chunk.last) { state := Copy }
      }
    }
    is(Copy) {
      when(!copier.io.busy) { state := Idle }
    }
    is(Packed) {
      when(at === packedEnd) {
        state := Idle
      } elsewhen (value.overflow || value.cut) {
        fail(value.overflow ? code(Status.VarintOverflow) | ((packedEnd === io.input.limit) ? code(Status.Truncated) | code(Status.BadLength)))
        io.fault.at := at
      } elsewhen (value.found) {
        done := store()
        when(done) { window.io.consume := value.length.resized }
      }
    }
  }
  when(text.wrong) { fail(Status.InvalidUtf8) }
  when(lists.io.error.valid) { fail(lists.io.error.payload) }
  when(io.take.valid && !takeFits) {
    fail(Status.FixedArenaFull)
    io.fault.at := fixedTop
  }
  when(io.open.valid) {
    source := io.open.payload
    state := Restart
  }
  when(io.kill) {
    state := Idle
    io.abort := True
    window.io.clear := True
  }
  // Whoever waits for an answer gets one.
  when((io.fault.valid || io.kill) && owed) {
    io.next.valid := True
    io.next.payload.setAll()
    owed := False
  }
}
