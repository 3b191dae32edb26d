package heapwire.cereal.serialize

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink.Bus

/** The claim tables of units and their arbiter, joined as in a cluster, without what reads and judges headers. */
case class Claims(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  val tables = Seq.fill(p.claimants)(ClaimTable(p, m))
  val arbiter = ClaimArbiter(p.claimants)
  val io = new Bundle {
    val units = Vec(tables.map(table =>
        new Bundle {
          /** The unit wants the object, and has it if it has its turn and there is no conflict. */
          val request = in(Bool())
          val claim = in(Claim())
          val grant, conflict, claims = out(Bool())
          val look = in UInt (32 bits)
          val hit = out(Bool())
          val issued, resolved = in(Bool())
          val allowed = out(Bool())
          val forget = master(Flow(UInt(32 bits)))
          val bus = master(Bus(table.node))
        }))
  }
  for ((((unit, table), port), i) <- io.units.zip(tables).zip(arbiter.io.ports).zipWithIndex) {
    port.request := unit.request
    port.address := unit.claim.address
    unit.grant := port.grant
    unit.conflict := port.conflict
    unit.claims := unit.request && port.grant && !port.conflict
    table.io.claim.valid := unit.claims
    table.io.claim.payload := unit.claim
    table.io.asked := port.look
    port.held := table.io.held
    port.settled << table.io.settled
    unit.forget << port.forget
    port.progress := table.io.progress
    table.io.others := port.others
    table.io.look := unit.look
    unit.hit := table.io.hit
    table.io.issued := unit.issued
    table.io.resolved := unit.resolved
    unit.allowed := table.io.allowed
    table.io.owner := i + 1
    table.io.clear := False
    table.io.lasting := False
    unit.bus << table.io.bus
  }
}

/** Writes the Verilog of two units' claims for the proofs, with tables of four places. Argument: target folder. */
object ClaimsVerilog extends App {
  SpinalConfig(targetDirectory = args(0), defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(Claims(SerializationUnitParameter(claimants = 2, headersAhead = 4, recentClaims = 4),
        MemoryParameter()))
}
