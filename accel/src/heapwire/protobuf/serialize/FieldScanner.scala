package heapwire.protobuf.serialize

import heapwire.isa.DescriptorLayout.Presence
import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import heapwire.protobuf.TypeFacts
import spinal.core._
import spinal.lib._

/** A field of the open message, as its entry has it. */
case class ScannedField() extends Bundle {
  val key = Bits(32 bits)
  val encoding = Encoding()
  val isString, isMessage, isGroup, repeated, packed, checked = Bool()
  /** Not written if its value is zero or empty; not if its reference is null; may not be absent. */
  val unlessZero, unlessNull, required = Bool()
  val unsupported = Bool()
  /** The slot holds a reference. */
  val pointer = Bool()
  val native = NativeField()
  /** Fields after this one. */
  val left = UInt(16 bits)
  def isReference: Bool = isString || isMessage || isGroup || repeated
}

/** A field that is present, with what its slot holds in the low bits of `value`. */
case class FoundField() extends Bundle {
  val field = ScannedField()
  val value = Bits(64 bits)
  /** Native: elements of a repeated field. */
  val count = UInt(32 bits)
  /** OK, or why the command ends here. */
  val status = Bits(Status.Width bits)
}

/** Where a message's parts are. */
case class ScannedObject() extends Bundle {
  val address = UInt(32 bits)
  val size = UInt(16 bits)
  val hasbitsWords = UInt(5 bits)
  /** A C struct; its counts have four bytes. */
  val native, wide = Bool()
}

/** Looks at the fields of one message by their ordered entries and delivers those
  * that are present: one entry a cycle, whether its field is there or not, slots
  * being read ahead, 3 cycles behind a slot's word. The first member of a oneof waits for the case word.
  *
  * Of a C struct's field the has-flag or count is read besides the slot, with one
  * read where both lie in one word, and nothing where the entry says enough.
  *
  * A field that fails comes like one that is present, in its turn.
  *
  *  - `stop` (level): forgets all entries taken so far. References in slots
  *    that have been asked for become hints: they will be needed.
  *  - `idle`: nothing is under way; `restart` (pulse) forgets the case word.
  */
case class FieldScanner(p: SerializerParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val entry = slave(Stream(EntryStep()))
    val message = in(ScannedObject())
    val hasbitsIndex = out UInt(4 bits)
    val hasbits = in Bits(32 bits)
    val found = master(Stream(FoundField()))
    val request = master(Stream(CachedRead(m)))
    val word = slave(Stream(CachedWord(m)))
    val hint = master(Stream(UInt(32 bits)))
    val restart, stop, kill = in Bool()
    val idle = out Bool()
  }
  private val flush = io.stop || io.kill
  private def code(status: Status) = B(status.code, Status.Width bits)

  /** What is to be done about an entry. */
  case class Plan() extends Bundle {
    val field = ScannedField()
    val offset, caseOffset = UInt(16 bits)
    val inOneof = Bool()
    val reads = NativeReads()
    val status = Bits(Status.Width bits)
    /** The field is not there. */
    val drop = Bool()
  }
  io.hasbitsIndex := io.entry.entry.hasbit(8 downto 5)
  val decode = new Area {
    val entry = io.entry.entry
    val facts = TypeFacts(entry.fieldType)
    val plan = Plan()
    private val native = io.message.native
    val asked = !native && (entry.presence === Presence.Hasbit || entry.presence === Presence.Required)
    val bitThere = (entry.hasbit >> 5) < io.message.hasbitsWords
    val absent = asked && bitThere && !io.hasbits(entry.hasbit(4 downto 0)) && !io.entry.fault
    private val reference = entry.repeated || facts.isString || facts.isMessage || facts.isGroup
    plan.field.key := entry.key
    plan.field.encoding := Encoding(entry.fieldType)
    plan.field.isString := facts.isString
    plan.field.isMessage := facts.isMessage
    plan.field.isGroup := facts.isGroup
    plan.field.repeated := entry.repeated
    plan.field.packed := entry.packed
    plan.field.checked := entry.checkUtf8
    plan.field.unlessZero := entry.presence === Presence.Implicit
    plan.field.unlessNull := entry.presence === Presence.Reference || entry.repeated
    plan.field.required := entry.presence === Presence.Required
    plan.field.unsupported := entry.unsupported
    plan.field.pointer := reference
    plan.field.native := NativeField(entry)
    plan.field.left := io.entry.left
    plan.offset := entry.offset
    plan.caseOffset := entry.caseOffset
    plan.inOneof := entry.presence === Presence.Case
    plan.reads := NativeReads.managed
    when(native) {
      plan.field.pointer := entry.pointer
      plan.field.unlessZero := entry.presence === Presence.Implicit && !entry.pointer && !entry.repeated
      plan.field.unlessNull := entry.pointer
      when(!plan.field.encoding.fixed && !plan.field.encoding.isBool && !plan.field.isString) { plan.field.encoding.log2Size := entry.sizeLog2 }
      plan.reads := NativeReads(entry, plan.field, io.message, PathWord.shift(m))
    }

    /** What is read lies in the object, at its alignment. */
    val place = new Area {
      /** `low`: of the offset, what is 0 where it is aligned; the last byte is at `offset | low` then. */
      private def inside(offset: UInt, low: UInt) = (native || offset >= ObjectLayout.Header.Size) &&
        (offset | low.resized) < io.message.size && (offset(2 downto 0) & low) === 0
      private def lowOf(log2Size: UInt) = (log2Size === 3).asUInt @@ log2Size(1).asUInt @@ (log2Size =/= 0).asUInt
      private val four = native ? entry.pointer | entry.repeated
      private val slotLow = lowOf(four ? U(2, 2 bits) | plan.field.encoding.log2Size)
      /** Of the case word, the has-flag or the count. */
      private val otherLow = U(0, 1 bits) @@ (!native || io.message.wide && !plan.reads.isFlag).asUInt @@ (!native || !plan.reads.isFlag).asUInt
      val right = (!plan.reads.slot || inside(entry.offset, slotLow)) && (!(plan.inOneof || plan.reads.presence) || inside(entry.caseOffset, otherLow))
    }
    plan.status := Status.Ok.code
    when(io.entry.fault) {
      plan.status := code(Status.BusFault)
    } elsewhen (asked && !bitThere && entry.unsupported) {
      plan.status := code(Status.Unsupported)
    } elsewhen (!facts.known || !place.right || asked && !bitThere || entry.presence > Presence.Required || entry.packed && !facts.packable ||
      native && facts.isGroup) {
      plan.status := code(Status.BadDescriptor)
    } elsewhen (absent) {
      plan.status := code(Status.MissingRequired)
    }
    plan.drop := absent && entry.presence === Presence.Hasbit && plan.status === code(Status.MissingRequired)
  }
  val plan = io.entry.translateWith(decode.plan).m2sPipe(flush = flush)

  /** Slots asked for, in order; `isCase`: no slot but the case word of the oneof whose members come next. */
  case class Pending() extends Bundle {
    val field = ScannedField()
    val reads = NativeReads()
    val status = Bits(Status.Width bits)
    /** The low bits of the address that was asked for; of that of the has-flag or count. */
    val lane, presenceLane = UInt(4 bits)
    val isCase = Bool()
    /** Not the slot either, but the has-flag or count, which is not in the slot's word. */
    val isPresence = Bool()
    val asked = Bool()
  }
  val pending = StreamFifo(Pending(), p.fieldsAhead, latency = 2)
  BlockRam(pending.logic.ram)
  pending.io.flush := io.kill

  /** The case word that was read last, or is waited for, and of which oneof it is. */
  val oneof = new Area {
    val known = RegInit(False)
    val waiting = RegInit(False)
    val offset = Reg(UInt(16 bits))
    val number = Reg(Bits(32 bits))
    when(io.restart || io.kill) { known := False }
  }
  val ask = new Area {
    val failed = plan.status =/= code(Status.Ok)
    val here = oneof.known && oneof.offset === plan.caseOffset
    val lookUp = plan.inOneof && !failed && !here
    val other = plan.inOneof && !failed && here && oneof.number =/= plan.field.key(31 downto 3).resize(32)
    /** The has-flag or count of this field has been asked for. */
    val presenceAsked = RegInit(False)
    val two = plan.reads.presence && plan.reads.slot && !plan.reads.together && !failed
    val first = !lookUp && two && !presenceAsked
    val last = !lookUp && !first
    val reads = !failed && (!last || plan.reads.slot || plan.reads.presence)
    val offset = (lookUp || first || plan.reads.presence && !plan.reads.slot) ? plan.caseOffset | plan.offset
    val go = plan.valid && !plan.drop && !oneof.waiting && !other && !io.stop
    io.request.valid := go && reads && pending.io.push.ready
    io.request.address := io.message.address + offset
    io.request.streaming := False
    pending.io.push.valid := go && (!reads || io.request.ready)
    pending.io.push.field := plan.field
    pending.io.push.reads := plan.reads
    pending.io.push.status := plan.status
    pending.io.push.lane := io.request.address(3 downto 0)
    pending.io.push.presenceLane := (io.message.address + plan.caseOffset)(3 downto 0)
    pending.io.push.isCase := lookUp
    pending.io.push.isPresence := first
    pending.io.push.asked := reads
    plan.ready := (plan.drop || other && !oneof.waiting || go && (!reads || io.request.ready) && pending.io.push.ready && last) && !io.stop
    when(pending.io.push.fire && lookUp) {
      oneof.waiting := True
      oneof.offset := plan.caseOffset
    }
    when(pending.io.push.fire && !lookUp) { presenceAsked := first }
    when(flush) { presenceAsked := False }
  }

  /** A field with what was read for it. */
  case class Arrived() extends Bundle {
    val what = Pending()
    /** From the slot on; the has-flag or count, if that is there. */
    val value = Bits(64 bits)
    val presence = UInt(32 bits)
    val denied = Bool()
  }
  val arrive = new Area {
    val top = pending.io.pop.payload
    val output = Stream(Arrived())
    output.valid := pending.io.pop.valid && (!top.asked || io.word.valid)
    output.what := top
    output.value := io.word.eight(top.lane) |>> (top.lane(2 downto 0) << 3)
    output.denied := top.asked && io.word.error
    private val lane = io.word.four(top.presenceLane) |>> (top.presenceLane(1 downto 0) << 3)
    output.presence := (top.reads.isFlag ? lane(7 downto 0).resize(32) | (io.message.wide ? lane | lane(15 downto 0).resize(32))).asUInt
    pending.io.pop.ready := output.fire
    io.word.ready := output.fire && top.asked
    val next = output.m2sPipe(flush = io.kill)
  }

  /** A field that is there, or fails. */
  case class Looked() extends Bundle {
    val found = FoundField()
    /** The slot refers to what will be needed. */
    val refers = Bool()
  }
  val look = new Area {
    val input = arrive.next
    val top = input.what
    val field = top.field
    val low = input.value(31 downto 0)
    val isNull = field.pointer && low === 0
    val log2Size = field.repeated ? U(2, 2 bits) | field.encoding.log2Size
    val zeros = input.value.subdivideIn(8 bits).map(_ === 0)
    val isZero = zeros(0) && (zeros(1) || log2Size === 0) && (zeros(2) && zeros(3) || !log2Size(1)) && (zeros.drop(4).reduce(_ && _) || log2Size =/= 3)
    /** The has-flag or count; the one that came before its slot. */
    val presence = new Area {
      val reads = top.reads
      val before = Reg(UInt(32 bits))
      val value = (reads.slot && !reads.together) ? before | input.presence
      val count = field.native.fixedCount ? field.native.most.resize(32) | value
      val absent = io.message.native && (reads.presence && value === 0 || field.repeated && count === 0)
      val tooMany = io.message.native && field.repeated && !field.pointer && field.native.most < count
    }
    val absent = field.unlessZero && isZero && !(io.message.native && field.isString) || field.unlessNull && isNull && !(field.required && io.message.native) ||
      presence.absent
    val fine = top.status === code(Status.Ok)
    val output = Stream(Looked())
    val found = output.found
    found.field := field
    found.value := input.value
    found.count := presence.count
    found.status := top.status
    when(fine) {
      when(input.denied) {
        found.status := code(Status.BusFault)
      } elsewhen (field.required && isNull && (!field.isString || io.message.native)) {
        found.status := code(Status.MissingRequired)
      } elsewhen (field.unsupported) {
        found.status := code(Status.Unsupported)
      } elsewhen (presence.tooMany) {
        found.status := code(Status.DoesNotFit)
      }
    }
    val isSlot = !top.isCase && !top.isPresence
    val dropped = !input.denied && (!isSlot || fine && absent)
    output.valid := input.valid && !dropped
    output.refers := field.pointer && top.asked && top.reads.slot && isSlot && !input.denied
    input.ready := dropped || output.ready
    when(input.fire && top.isCase) {
      oneof.waiting := False
      // One that comes while the scanner stops is that of the message that was open before.
      oneof.known := !io.stop
      oneof.number := (io.message.native && !io.message.wide) ? low(15 downto 0).resize(32) | low
    }
    when(input.fire && top.isPresence) { presence.before := input.presence }
    val next = output.m2sPipe(flush = io.kill)
  }
  io.found.valid := look.next.valid && !io.stop
  io.found.payload := look.next.found
  io.hint.valid := look.next.valid && io.stop && look.next.refers
  io.hint.payload := look.next.found.value(31 downto 0).asUInt
  look.next.ready := io.stop ? (!look.next.refers || io.hint.ready) | io.found.ready
  when(io.kill) { oneof.waiting := False }
  io.idle := !plan.valid && !pending.io.pop.valid && pending.io.occupancy === 0 && !arrive.next.valid && !look.next.valid
}
