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
  * being read ahead. The first member of a oneof waits for the case word.
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
    val bounds = in(HeapBounds())
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
  }
  io.hasbitsIndex := io.entry.entry.hasbit(8 downto 5)
  val decode = new Area {
    val entry = io.entry.entry
    val facts = TypeFacts(entry.fieldType)
    val plan = Plan()
    private val native = io.message.native
    val asked = !native && (entry.presence === Presence.Hasbit || entry.presence === Presence.Required)
    val bitThere = entry.hasbit < (io.message.hasbitsWords << 5)
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
      private def inside(offset: UInt, size: UInt) = (native || offset >= ObjectLayout.Header.Size) &&
        (offset +^ size) <= io.message.size.resize(17) && (offset(2 downto 0) & (size - 1).resize(3)) === 0
      private val four = native ? entry.pointer | entry.repeated
      private val slotSize = U(1, 4 bits) |<< (four ? U(2, 2 bits) | plan.field.encoding.log2Size)
      private val countSize = io.message.wide ? U(4, 4 bits) | U(2, 4 bits)
      /** Of the case word, the has-flag or the count. */
      private val otherSize = native ? (plan.reads.isFlag ? U(1, 4 bits) | countSize) | U(4, 4 bits)
      val right = (!plan.reads.slot || inside(entry.offset, slotSize)) && (!(plan.inOneof || plan.reads.presence) || inside(entry.caseOffset, otherSize))
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
    val drop = absent && entry.presence === Presence.Hasbit && plan.status === code(Status.MissingRequired)
  }
  val plan = io.entry.throwWhen(decode.drop).translateWith(decode.plan).m2sPipe(flush = flush)

  /** Slots asked for, in order; `isCase`: no slot but the case word of the oneof whose members come next. */
  case class Pending() extends Bundle {
    val field = ScannedField()
    val caseOffset = UInt(16 bits)
    val reads = NativeReads()
    val status = Bits(Status.Width bits)
    /** The low bits of the address that was asked for. */
    val lane = UInt(4 bits)
    val isCase = Bool()
    /** Not the slot either, but the has-flag or count, which is not in the slot's word. */
    val isPresence = Bool()
    val asked = Bool()
  }
  val pending = StreamFifo(Pending(), p.fieldsAhead, latency = 1)
  pending.io.flush := io.kill

  /** The case word that was read last, and of which oneof it is. */
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
    val go = plan.valid && !oneof.waiting && !other && !io.stop
    io.request.valid := go && reads && pending.io.push.ready
    io.request.address := io.message.address + offset
    io.request.streaming := False
    pending.io.push.valid := go && (!reads || io.request.ready)
    pending.io.push.field := plan.field
    pending.io.push.caseOffset := plan.caseOffset
    pending.io.push.reads := plan.reads
    pending.io.push.status := plan.status
    pending.io.push.lane := io.request.address(3 downto 0)
    pending.io.push.isCase := lookUp
    pending.io.push.isPresence := first
    pending.io.push.asked := reads
    plan.ready := plan.valid && (other && !oneof.waiting || pending.io.push.fire && last) && !io.stop
    when(pending.io.push.fire && lookUp) { oneof.waiting := True }
    when(pending.io.push.fire && !lookUp) { presenceAsked := first }
    when(flush) { presenceAsked := False }
  }

  /** Takes the slots that come back. */
  val look = new Area {
    val top = pending.io.pop.payload
    val field = top.field
    val granule = io.word.eight(top.lane)
    val value = granule |>> (top.lane(2 downto 0) << 3)
    val low = value(31 downto 0)
    val here = pending.io.pop.valid && (!top.asked || io.word.valid)
    val isNull = field.pointer && low === 0
    val log2Size = field.repeated ? U(2, 2 bits) | field.encoding.log2Size
    val isZero = log2Size.mux(0 -> (value(7 downto 0) === 0), 1 -> (value(15 downto 0) === 0), 3 -> (value === 0), default -> (low === 0))
    /** The has-flag or count; the one that came before its slot. */
    val presence = new Area {
      val reads = top.reads
      val at = io.message.address + top.caseOffset
      val lane = io.word.four(at) |>> (at(1 downto 0) << 3)
      val here = (reads.isFlag ? lane(7 downto 0).resize(32) | (io.message.wide ? lane | lane(15 downto 0).resize(32))).asUInt
      val before = Reg(UInt(32 bits))
      val value = (reads.slot && !reads.together) ? before | here
      val count = field.native.fixedCount ? field.native.most.resize(32) | value
      val absent = io.message.native && (reads.presence && value === 0 || field.repeated && count === 0)
      val tooMany = io.message.native && field.repeated && !field.pointer && count > field.native.most
    }
    val absent = field.unlessZero && isZero && !(io.message.native && field.isString) || field.unlessNull && isNull && !(field.required && io.message.native) ||
      presence.absent

    val found = FoundField()
    found.field := field
    found.value := value
    found.count := presence.count
    found.status := top.status
    when(top.status === code(Status.Ok)) {
      when(top.asked && io.word.error) {
        found.status := code(Status.BusFault)
      } elsewhen (field.required && isNull && (!field.isString || io.message.native)) {
        found.status := code(Status.MissingRequired)
      } elsewhen (field.unsupported) {
        found.status := code(Status.Unsupported)
      } elsewhen (presence.tooMany) {
        found.status := code(Status.DoesNotFit)
      }
    }
    val dropped = (top.isCase || top.isPresence) && !io.word.error || top.status === code(Status.Ok) && absent && !(top.asked && io.word.error)
    val prefetch = here && top.asked && field.pointer && !top.isCase && !top.isPresence && top.reads.slot && low.asUInt >= io.bounds.bound && low.asUInt < io.bounds.limit && !io.word.error
    io.found.valid := here && !dropped && !io.stop
    io.found.payload := found
    io.hint.valid := io.stop && prefetch
    io.hint.payload := low.asUInt
    val take = here && (io.stop ? (!io.hint.valid || io.hint.ready) | (dropped || io.found.ready))
    pending.io.pop.ready := take
    io.word.ready := take && top.asked
    when(take && top.isCase) {
      oneof.waiting := False
      // One that comes while the scanner stops is that of the message that was open before.
      oneof.known := !io.stop
      oneof.offset := top.caseOffset
      oneof.number := (io.message.native && !io.message.wide) ? low(15 downto 0).resize(32) | low
    }
    when(take && top.isPresence) { presence.before := presence.here }
  }
  when(io.kill) { oneof.waiting := False }
  io.idle := !plan.valid && !pending.io.pop.valid && pending.io.occupancy === 0
}
