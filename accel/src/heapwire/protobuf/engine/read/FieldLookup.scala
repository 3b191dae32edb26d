package heapwire.protobuf.engine.read

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.{TableEntry, Varint}
import heapwire.protobuf.engine.logic.Same
import spinal.core._
import spinal.lib._

/** Address and hash parameters of a message type's table. */
case class LookupContext() extends Bundle {
  val address = UInt(32 bits)
  val lastSlot = UInt(DescriptorLayout.Header.LastSlot.width bits)
  val maxProbe = UInt(8 bits)
}

/** A key that was looked up. The entry that was found is on the cache's data output. */
case class FoundField() extends Bundle {
  /** The table has an entry for the field. */
  val known = Bool()
  val number = UInt(29 bits)
  val wireType = Bits(3 bits)
  val position = UInt(32 bits)
  /** The key has no value behind it. */
  val alone = Bool()
  /** OK, or the error of the key. The error that the key exceeds its message has priority. */
  val status = Bits(Status.Width bits)
}

/** Finds the entries of keys in the open message's table. A key takes 3 cycles if the cache hits at the first probe,
  * and is found 3 cycles after it came, or 2 if it has one byte; each further probe takes 3 cycles more. A key of one
  * byte may come while the key before is found, so such keys are found every second cycle. Malformed keys are not
  * looked up, and no key is while `bypass`.
  *
  * The cache answers two cycles after a request. The request is repeated until the found entry is taken.
  */
case class FieldLookup() extends Component {
  val io = new Bundle {
    val key = slave(Stream(WindowItem()))
    val found = master(Stream(FoundField()))
    val context = in(LookupContext())
    /** `ready`: `context` is that of the open message. `bypass`: within an unknown group. `kill`: drops all keys. */
    val ready, bypass, kill = in Bool ()
    val request = master(Flow(UInt(32 bits)))
    /** Address of the table's first slot. It is one cycle behind the context, which is not `ready` at that time. */
    val slots = out UInt (32 bits)
    /** The cache took another requester's request. */
    val blocked = in Bool ()
    val hit, fault = in Bool ()
    val data = in Bits (128 bits)
    val waiting = out Bool ()
    /** What is found in this cycle will probably be taken. */
    val takes = in Bool ()
    /** It has a key. Once the key is found, the cache's data output is its entry. */
    val busy = out Bool ()
  }
  case class Key() extends Bundle {
    val number = UInt(29 bits)
    val wireType = Bits(3 bits)
    val position = UInt(32 bits)
    val alone = Bool()
  }
  /** The next key. */
  val next = new Area {
    val valid = RegInit(False)
    val key = Reg(Key())
    val exceeds, toInputEnd, endless = Reg(Bool())
    private val item = io.key.payload
    private val value = Cat((0 until 5).map(i => item.bytes(8 * i, 7 bits)))
    private def ended(i: Int): Bool = item.varint <= i
    /** The key has more bytes than it may, or bits beyond the 32nd. */
    private val beyond = value(34 downto 32).orR && !ended(4) || !ended(Varint.MaxShortBytes)
    /** The field number is zero: the bits above the wire type, and all further groups, are. */
    private val none = !item.bytes(6 downto 3).orR && (1 until 5).map(i =>
      !item.bytes(8 * i, if (i < 4) 7 bits else 4 bits).orR || ended(i)).andR
    val zero = Reg(Bool())
    // Registered, so that what is found does not reach the window in the same cycle.
    io.key.ready := !valid
    when(io.key.fire) {
      valid := True
      key.number := value(31 downto 3).asUInt
      // Cleared last: registers have a synchronous clear for this.
      for (i <- 1 until 5) when(ended(i)) { key.number((7 * i + 6 min 31) - 3 downto 7 * i - 3) := 0 }
      zero := none
      key.wireType := item.wireType
      key.position := item.position
      key.alone := item.alone
      exceeds := item.exceeds
      toInputEnd := item.toInputEnd
      endless := item.endless || beyond
    }
    val status = B(Status.Ok.code, Status.Width bits)
    when(exceeds) {
      status := toInputEnd ? B(Status.Truncated.code, Status.Width bits) | B(Status.BadLength.code, Status.Width bits)
    } elsewhen (endless) {
      status := Status.VarintOverflow.code
    } elsewhen (zero) {
      status := Status.FieldNumberZero.code
    } elsewhen (key.wireType(2 downto 1) === B"11") {
      status := Status.BadWireType.code
    }
    val plain = exceeds || endless || zero || key.wireType(2 downto 1) === B"11" || io.bypass
  }
  /** The key that is being looked up, or that needs no look-up (`plain`). */
  val valid = RegInit(False)
  val key = Reg(Key())
  val plain = Reg(Bool())
  val status = Reg(Bits(Status.Width bits))
  /** The request was made one cycle ago; two cycles ago. */
  val asked, arrived = RegInit(False)
  val probed = Reg(io.context.lastSlot)
  val probes = Reg(UInt(8 bits))
  private val hashed =
    DescriptorLayout.Fold.foldLeft(next.key.number)((slot, distance) => slot ^ (next.key.number |>> distance)).resize(
      widthOf(probed)) & io.context.lastSlot
  private val slots = RegNext(io.context.address + DescriptorLayout.HeaderSize)
  io.slots := slots
  private val moves = next.valid && !valid && io.ready && (next.plain || !io.blocked)
  val asks = !io.blocked && (valid ? !plain | (next.valid && io.ready && !next.plain))
  /** A key of one byte comes, whose number is its hash. */
  private val short = io.key.bytes(6 downto 3).asUInt.resize(widthOf(probed)) & io.context.lastSlot
  // The key before is probably found in this cycle. If it is not, it asks again.
  private val gives = arrived && io.takes
  private val asksEarly = io.key.valid && !io.key.bytes(7) && !next.valid && (!valid || gives) && io.ready &&
    !io.bypass && !io.blocked
  private val askedEarly = RegNext(asksEarly && !io.kill) init False
  require(DescriptorLayout.Fold.forall(_ >= 4), "the hash of a number of four bits is the number")
  io.request.valid := asks || asksEarly
  io.request.payload := slots + (((valid && !asksEarly) ? probed | (next.valid ? hashed | short)) << 4).resize(32)
  private val entry = TableEntry()
  entry.bits := io.data
  val matches = Same(entry.number, key.number)
  val over = matches || entry.number === 0 || probes === 0
  val done = plain || arrived && (io.hit && over || io.fault)
  asked := asks && !(valid && asksEarly)
  arrived := asked
  when(arrived && io.hit && !over) {
    probed := (probed + 1) & io.context.lastSlot
    probes := probes - 1
    asked := False
    arrived := False
  }
  io.found.valid := valid && done
  io.found.known := matches && !plain
  io.found.number := key.number
  io.found.wireType := key.wireType
  io.found.position := key.position
  io.found.alone := key.alone
  io.found.status := (plain || io.hit) ? status | B(Status.BusFault.code, Status.Width bits)
  when(io.found.fire) { valid := False }
  when(moves) {
    valid := True
    next.valid := False
    key := next.key
    plain := next.plain
    status := next.status
    arrived := askedEarly
    probed := hashed
    probes := io.context.maxProbe
  }
  when(io.kill) {
    next.valid := False
    valid := False
  }
  io.busy := valid
  io.waiting := next.valid || valid && !done
}
