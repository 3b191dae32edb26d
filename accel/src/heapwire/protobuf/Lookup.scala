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

/** A token, whether it has an entry, and the first slot where that may be. */
case class HashedToken() extends Bundle {
  val token = Token()
  val lookup = Bool()
  val slot = UInt(29 bits)
  val address = UInt(32 bits)
}

/** Finds each field's entry in the current table: one token a cycle when the
  * cache hits at the first probe, two cycles more for each further probe. Other
  * tokens, and all of them while `bypass`, pass without a lookup.
  *
  * `ready` must be low while `table` is not that of the message the next token
  * belongs to. All slots must lie within the table bounds. Latency 3 cycles.
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
  private val slots = RegNext(io.table.address + DescriptorLayout.HeaderSize)
  private def addressOf(slot: UInt) = slots + (slot << 4).resize(32)

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

  /** The token behind it. Its address is a register: the cache's tags are a long way from it. */
  val next = {
    // In the first cycle of a table `slots` are still those of the one before.
    val known = io.ready && RegNext(io.ready).init(False)
    val hashed = io.token.haltWhen(!known).map { token =>
      val result = HashedToken()
      result.token := token
      result.lookup := token.kind === TokenKind.Field && !token.failed && !io.bypass
      result.slot := (token.number ^ (token.number |>> io.table.shift)) & slotMask
      result.address := addressOf(result.slot)
      result
    }
    hashed.m2sPipe(flush = io.kill)
  }
  next.ready := !current.valid || io.found.fire
  when(io.found.fire) { current.valid := False }
  when(next.fire) {
    current.valid := True
    current.token := next.token
    current.lookup := next.lookup
    current.slot := next.slot
    current.probes := io.table.maxProbe
  }

  // While an answer comes, the token behind asks already, so that requests come from registers alone: what was answered goes, as
  // a rule; if it stays, or has to look at another slot, it asks again in the next cycle.
  val turn = !current.valid || !current.lookup || current.asked
  io.request.valid := !io.kill && !io.blocked && (turn ? (next.valid && next.lookup) | True)
  io.request.payload := turn ? next.address | addressOf(current.slot)
  current.asked := io.request.valid && turn === next.fire
  when(io.kill) { current.valid := False }
  io.waiting := current.valid && current.lookup && !current.answered
}
