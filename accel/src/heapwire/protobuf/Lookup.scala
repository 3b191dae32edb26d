package heapwire.protobuf

import heapwire.isa.{DescriptorLayout, Status}
import spinal.core._
import spinal.lib._

/** A token with the table entry of its field. */
case class FoundToken() extends Bundle {
  val token = Token()
  /** The table has an entry for the field's number. */
  val known = Bool()
  val entry = TableEntry()
}

/** Finds each field's entry in the current table: one token a cycle when the
  * cache hits at the first probe, two cycles more for each further probe. Other
  * tokens, and all of them while `bypass`, pass without a lookup.
  *
  * `ready` must be low while `table` is not that of the message the next token
  * belongs to. All slots must lie within the table bounds. Latency 2 cycles.
  */
case class Lookup() extends Component {
  val io = new Bundle {
    val token = slave(Stream(Token()))
    val found = master(Stream(FoundToken()))
    val table = in(TableContext())
    val ready, bypass, kill = in Bool()
    /** The cache serves another in this cycle. */
    val blocked = in Bool()
    val request = master(Flow(UInt(32 bits)))
    val hit, fault = in Bool()
    val data = in Bits(128 bits)
    /** A token waits for the cache. */
    val waiting = out Bool()
  }
  private val slotMask = ((U(1, 32 bits) |<< io.table.slotsLog2) - 1).resize(29 bits)
  private def addressOf(slot: UInt) = io.table.address + DescriptorLayout.HeaderSize + (slot << 4).resize(32)

  /** The token whose entry is being read. */
  val current = new Area {
    val valid = RegInit(False)
    val token = Reg(Token())
    val lookup = Reg(Bool())
    val slot = Reg(UInt(29 bits))
    val probes = Reg(UInt(8 bits))
    val asked = RegInit(False)
    val entry = TableEntry()
    entry.bits := io.data
    val answered = asked && io.hit
    val matches = entry.number === token.number
    val over = matches || entry.number === 0 || probes === 0
    val done = !lookup || answered && over || io.fault
    when(answered && !over) {
      slot := (slot + 1) & slotMask
      probes := probes - 1
    }
  }

  io.found.valid := current.valid && current.done
  io.found.token := current.token
  io.found.known := current.lookup && current.matches
  io.found.entry := current.entry
  when(current.lookup && io.fault && !(current.answered && current.over)) { io.found.token.status := Status.BusFault.code }

  val next = new Area {
    val lookup = io.token.kind === TokenKind.Field && !io.token.failed && !io.bypass
    val hash = (io.token.number ^ (io.token.number |>> io.table.shift)) & slotMask
    io.token.ready := io.ready && (!current.valid || io.found.fire)
    when(io.found.fire) { current.valid := False }
    when(io.token.fire) {
      current.valid := True
      current.token := io.token.payload
      current.lookup := lookup
      current.slot := hash
      current.probes := io.table.maxProbe
    }
  }

  // A token that stays asks again, so that the cache's answer is there when it can go.
  val again = current.valid && !io.found.fire && !(current.answered && !current.over)
  io.request.valid := !io.kill && !io.blocked && ((io.token.fire && next.lookup) || again && current.lookup)
  io.request.payload := addressOf(again ? current.slot | next.hash)
  current.asked := io.request.valid
  when(io.kill) { current.valid := False }
  io.waiting := current.valid && current.lookup && !current.answered
}
