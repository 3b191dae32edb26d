package heapwire.protobuf.engine

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.TableEntry
import spinal.core._
import spinal.lib._

/** Where a message type's table lies and how it is hashed. */
case class LookupContext() extends Bundle {
  val address = UInt(32 bits)
  val slotsLog2, shift = UInt(5 bits)
  val maxProbe = UInt(8 bits)
}

/** A key with the entry of its field. */
case class FoundField() extends Bundle {
  val entry = TableEntry()
  /** The table has it. */
  val known = Bool()
  val number = UInt(29 bits)
  val wireType = Bits(3 bits)
  val position = UInt(32 bits)
  /** Nothing follows it. */
  val alone = Bool()
  /** OK, or what is wrong with the key; that it passes its message's end counts before all else. */
  val status = Bits(Status.Width bits)
}

/** Finds the entries of keys in the open message's table: 4 cycles a key when the cache hits at the first probe, as many
  * more a further probe. Keys that are wrong, and all of them while `bypass`, pass without.
  *
  * The cache answers two cycles after it was asked.
  */
case class FieldLookup() extends Component {
  val io = new Bundle {
    val key = slave(Stream(WindowItem()))
    val found = master(Stream(FoundField()))
    val context = in(LookupContext())
    /** `context` is the open message's; within an unknown group. */
    val ready, bypass, kill = in Bool ()
    val request = master(Flow(UInt(32 bits)))
    /** The cache took another's request. */
    val blocked = in Bool ()
    val hit, fault = in Bool ()
    val data = in Bits (128 bits)
    val waiting = out Bool ()
  }
  val key = new Area {
    val valid = RegInit(False)
    val number = Reg(UInt(29 bits))
    val wireType = Reg(Bits(3 bits))
    val position = Reg(UInt(32 bits))
    val alone, exceeds, toInputEnd, endless, overflow = Reg(Bool())
    private val item = io.key.payload
    private val value = Cat((0 until 5).map(i => item.bytes(8 * i, 7 bits)))
    private def ended(i: Int): Bool = item.stop(i - 1 downto 0).orR
    /** Bits beyond the 32nd of a key of up to ten bytes. */
    private val beyond = value(34 downto 32).orR && !ended(4) || (5 until 10).map(i => item.bytes(8 * i, 7 bits).orR && !ended(i)).orR
    val next = UInt(29 bits)
    next := value(31 downto 3).asUInt
    // Cleared last: registers do that by themselves.
    for (i <- 1 until 5) when(ended(i)) { next((7 * i + 6 min 31) - 3 downto 7 * i - 3) := 0 }
    when(io.key.fire) {
      number := next
      wireType := item.wireType
      position := item.position
      alone := item.alone
      exceeds := item.exceeds
      toInputEnd := item.toInputEnd
      endless := item.endless
      overflow := beyond
    }
  }
  /** Cycles since it was asked. */
  val age = Reg(UInt(2 bits)) init 0
  val slot = Reg(UInt(29 bits))
  val probes = Reg(UInt(8 bits))
  private val mask = Thermometer(io.context.slotsLog2, 29).asUInt
  /** `slot` is that of the key's hash, or a later one. A key is hashed as it comes, and again as long as the context is not there. */
  val hashed = RegInit(False)
  private val toHash = key.valid ? key.number | key.next
  when(io.key.fire || !hashed) {
    slot := (toHash ^ (toHash |>> io.context.shift)) & mask
    probes := io.context.maxProbe
    hashed := io.ready
  }
  when(!io.ready) { hashed := False }
  /** Where the entries begin; a cycle behind the context, which is not `ready` yet then. */
  val slots = RegNext(io.context.address + DescriptorLayout.HeaderSize)
  private val wrong = key.exceeds || key.endless || key.overflow || key.number === 0 || key.wireType(2 downto 1) === B"11"
  val plain = wrong || io.bypass
  val asks = key.valid && !plain && io.ready && hashed && age === 0 && !io.blocked
  io.request.valid := asks
  io.request.payload := slots + (slot << 4).resize(32)
  val entry = TableEntry()
  entry.bits := io.data
  val arrived = age === 2
  val matches = Same(entry.number, key.number)
  val over = matches || entry.number === 0 || probes === 0
  when(asks) {
    age := 1
  }
  when(age === 1) { age := 2 }
  val done = plain && io.ready || arrived && (io.hit && over || io.fault)
  when(arrived) {
    when(io.hit && !over) {
      slot := (slot + 1) & mask
      probes := probes - 1
    }
    // It is asked again: for the next slot, for one that missed, or since nobody takes what was found.
    age := 0
  }
  io.found.valid := key.valid && done
  io.found.entry := entry
  io.found.known := matches && !plain
  io.found.number := key.number
  io.found.wireType := key.wireType
  io.found.position := key.position
  io.found.alone := key.alone
  io.found.status := Status.Ok.code
  when(key.exceeds) {
    io.found.status := key.toInputEnd ? B(Status.Truncated.code, Status.Width bits) | B(Status.BadLength.code, Status.Width bits)
  } elsewhen (key.endless || key.overflow) {
    io.found.status := Status.VarintOverflow.code
  } elsewhen (key.number === 0) {
    io.found.status := Status.FieldNumberZero.code
  } elsewhen (key.wireType(2 downto 1) === B"11") {
    io.found.status := Status.BadWireType.code
  } elsewhen (!plain && !io.hit) {
    io.found.status := Status.BusFault.code
  }
  when(io.found.fire) {
    key.valid := False
    age := 0
  }
  // What was found does not reach the window in the same cycle.
  io.key.ready := !key.valid
  when(io.key.fire) {
    key.valid := True
    age := 0
  }
  when(io.kill) {
    key.valid := False
    age := 0
  }
  io.waiting := key.valid && !done
}
