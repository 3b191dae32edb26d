package heapwire.protobuf.engine

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.TableEntry
import spinal.core._
import spinal.lib._

/** Where a message type's table lies and how it is hashed. */
case class LookupContext() extends Bundle {
  val address = UInt(32 bits)
  val lastSlot = UInt(DescriptorLayout.Header.LastSlot.width bits)
  val maxProbe = UInt(8 bits)
}

/** A key whose field was looked for; the entry that was found is what the cache gives. */
case class FoundField() extends Bundle {
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

/** Finds the entries of keys in the open message's table: a key in 3 cycles, found 3 cycles after it came, when the cache hits at the
  * first probe, and 3 more a further probe. Keys that are wrong, and all of them while `bypass`, pass without.
  *
  * The cache answers two cycles after it was asked. It is asked for what was found until somebody takes that.
  */
case class FieldLookup() extends Component {
  val io = new Bundle {
    val key = slave(Stream(WindowItem()))
    val found = master(Stream(FoundField()))
    val context = in(LookupContext())
    /** `context` is the open message's; within an unknown group. */
    val ready, bypass, kill = in Bool ()
    val request = master(Flow(UInt(32 bits)))
    /** Where the table's slots begin; a cycle behind the context, which is not `ready` yet then. */
    val slots = out UInt (32 bits)
    /** The cache took another's request. */
    val blocked = in Bool ()
    val hit, fault = in Bool ()
    val data = in Bits (128 bits)
    val waiting = out Bool ()
    /** It has a key, whose entry is what the cache gives when it is found. */
    val busy = out Bool ()
  }
  case class Key() extends Bundle {
    val number = UInt(29 bits)
    val wireType = Bits(3 bits)
    val position = UInt(32 bits)
    val alone = Bool()
  }
  /** The next one. */
  val next = new Area {
    val valid = RegInit(False)
    val key = Reg(Key())
    val exceeds, toInputEnd, endless = Reg(Bool())
    private val item = io.key.payload
    private val value = Cat((0 until 5).map(i => item.bytes(8 * i, 7 bits)))
    private def ended(i: Int): Bool = item.varint <= i
    /** Bits beyond the 32nd of a key of up to ten bytes. */
    private val beyond = value(34 downto 32).orR && !ended(4) || (5 until 10).map(i => item.bytes(8 * i, 7 bits).orR && !ended(i)).orR
    /** Whether its number is zero: the bits above the wire type, and the groups behind them. */
    private val none = !item.bytes(6 downto 3).orR && (1 until 5).map(i => !item.bytes(8 * i, if (i < 4) 7 bits else 4 bits).orR || ended(i)).andR
    val zero = Reg(Bool())
    // What is found does not reach the window in the same cycle.
    io.key.ready := !valid
    when(io.key.fire) {
      valid := True
      key.number := value(31 downto 3).asUInt
      // Cleared last: registers do that by themselves.
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
  /** The one that was asked for, or is plain. */
  val valid = RegInit(False)
  val key = Reg(Key())
  val plain = Reg(Bool())
  val status = Reg(Bits(Status.Width bits))
  /** It was asked for a cycle before; two cycles before. */
  val asked, arrived = RegInit(False)
  val probed = Reg(io.context.lastSlot)
  val probes = Reg(UInt(8 bits))
  private val hashed = DescriptorLayout.Fold.foldLeft(next.key.number)((slot, distance) => slot ^ (next.key.number |>> distance)).resize(widthOf(probed)) & io.context.lastSlot
  private val slots = RegNext(io.context.address + DescriptorLayout.HeaderSize)
  io.slots := slots
  private val moves = next.valid && !valid && io.ready && (next.plain || !io.blocked)
  val asks = !io.blocked && (valid ? !plain | (next.valid && io.ready && !next.plain))
  io.request.valid := asks
  io.request.payload := slots + ((valid ? probed | hashed) << 4).resize(32)
  private val entry = TableEntry()
  entry.bits := io.data
  val matches = Same(entry.number, key.number)
  val over = matches || entry.number === 0 || probes === 0
  val done = plain || arrived && (io.hit && over || io.fault)
  asked := asks
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
    arrived := False
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
