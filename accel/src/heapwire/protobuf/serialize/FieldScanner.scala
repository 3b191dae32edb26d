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
  /** Byte distance from the message's table to that of the field's messages. */
  val subTable = UInt(32 bits)
  /** Fields after this one. */
  val left = UInt(16 bits)
  def isReference: Bool = isString || isMessage || isGroup || repeated
}

/** A field that is present, with what its slot holds in the low bits of `value`. */
case class FoundField() extends Bundle {
  val field = ScannedField()
  val value = Bits(64 bits)
  /** OK, or why the command ends here. */
  val status = Bits(Status.Width bits)
}

/** Where a message's parts are. */
case class ScannedObject() extends Bundle {
  val address = UInt(32 bits)
  val size = UInt(16 bits)
  val hasbitsWords = UInt(5 bits)
}

/** Looks at the fields of one message by their ordered entries and delivers those
  * that are present: one entry a cycle, whether its field is there or not, slots
  * being read ahead. The first member of a oneof waits for the case word.
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
    val word = slave(Stream(CachedWord()))
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
    val status = Bits(Status.Width bits)
  }
  io.hasbitsIndex := io.entry.entry.hasbit(8 downto 5)
  val decode = new Area {
    val entry = io.entry.entry
    val facts = TypeFacts(entry.fieldType)
    val plan = Plan()
    val asked = entry.presence === Presence.Hasbit || entry.presence === Presence.Required
    val bitThere = entry.hasbit < (io.message.hasbitsWords << 5)
    val absent = asked && bitThere && !io.hasbits(entry.hasbit(4 downto 0)) && !io.entry.fault
    private val reference = entry.repeated || facts.isString || facts.isMessage || facts.isGroup
    private val size = U(1, 4 bits) |<< (entry.repeated ? U(2, 2 bits) | facts.log2Size)
    private def inside(offset: UInt, size: UInt) =
      offset >= ObjectLayout.Header.Size && (offset +^ size) <= io.message.size.resize(17) && (offset(2 downto 0) & (size - 1).resize(3)) === 0
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
    plan.field.subTable := entry.subTable
    plan.field.left := io.entry.left
    plan.offset := entry.offset
    plan.caseOffset := entry.caseOffset
    plan.inOneof := entry.presence === Presence.Case
    plan.status := Status.Ok.code
    when(io.entry.fault) {
      plan.status := code(Status.BusFault)
    } elsewhen (asked && !bitThere && entry.unsupported) {
      plan.status := code(Status.Unsupported)
    } elsewhen (!facts.known || !inside(entry.offset, size) || asked && !bitThere || entry.presence > Presence.Required ||
      plan.inOneof && !inside(entry.caseOffset, U(4, 4 bits)) || entry.packed && !facts.packable) {
      plan.status := code(Status.BadDescriptor)
    } elsewhen (absent) {
      plan.status := code(Status.MissingRequired)
    }
    val drop = absent && entry.presence === Presence.Hasbit && plan.status === code(Status.MissingRequired)
  }
  val plan = io.entry.throwWhen(decode.drop).translateWith(decode.plan).m2sPipe(flush = flush)

  /** Slots asked for, in order; `isCase`: no slot but the case word of the oneof whose members come next. */
  case class Pending() extends Bundle {
    val plan = Plan()
    val isCase = Bool()
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
    val offset = lookUp ? plan.caseOffset | plan.offset
    val go = plan.valid && !oneof.waiting && !other && !io.stop
    io.request.valid := go && !failed && pending.io.push.ready
    io.request.address := io.message.address + offset
    io.request.streaming := False
    pending.io.push.valid := go && (failed || io.request.ready)
    pending.io.push.plan := plan.payload
    pending.io.push.isCase := lookUp
    pending.io.push.asked := !failed
    when(!failed) { pending.io.push.plan.offset := offset }
    plan.ready := plan.valid && (other && !oneof.waiting || pending.io.push.fire && !lookUp) && !io.stop
    when(pending.io.push.fire && lookUp) { oneof.waiting := True }
  }

  /** Takes the slots that come back. */
  val look = new Area {
    val top = pending.io.pop.payload
    val field = top.plan.field
    val address = io.message.address + top.plan.offset
    val granule = address(3) ? io.word.data(127 downto 64) | io.word.data(63 downto 0)
    val value = granule |>> (address(2 downto 0) << 3)
    val low = value(31 downto 0)
    val here = pending.io.pop.valid && (!top.asked || io.word.valid)
    val isNull = field.isReference && low === 0
    val log2Size = field.repeated ? U(2, 2 bits) | field.encoding.log2Size
    val isZero = log2Size.mux(0 -> (value(7 downto 0) === 0), 3 -> (value === 0), default -> (low === 0))
    val absent = field.unlessZero && isZero || field.unlessNull && isNull

    val found = FoundField()
    found.field := field
    found.value := value
    found.status := top.plan.status
    when(top.plan.status === code(Status.Ok)) {
      when(io.word.error) {
        found.status := code(Status.BusFault)
      } elsewhen (field.required && isNull && !field.isString) {
        found.status := code(Status.MissingRequired)
      } elsewhen (field.unsupported) {
        found.status := code(Status.Unsupported)
      }
    }
    val dropped = top.isCase && !io.word.error || top.plan.status === code(Status.Ok) && absent && !io.word.error
    val prefetch = here && top.asked && field.isReference && !top.isCase && low.asUInt >= io.bounds.bound && low.asUInt < io.bounds.limit && !io.word.error
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
      oneof.offset := top.plan.caseOffset
      oneof.number := low
    }
  }
  when(io.kill) { oneof.waiting := False }
  io.idle := !plan.valid && !pending.io.pop.valid && pending.io.occupancy === 0
}
