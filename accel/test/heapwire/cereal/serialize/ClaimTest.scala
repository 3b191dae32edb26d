package heapwire.cereal.serialize

import heapwire.cereal.road._
import heapwire.isa.ObjectLayout
import heapwire.memory._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._
import spinal.lib.bus.tilelink.Bus

import scala.collection.mutable
import scala.util.Random

/** The result of visiting a header. */
case class Verdict() extends Bundle {
  val address = UInt(32 bits)
  /** The claim table has the object; it was read as claimed by `owner`; it was claimed; or its claim was refused.
    * Exactly one of these.
    */
  val hit, seen, claimed, refused = Bool()
  val owner = UInt(16 bits)
}

/** The parts of units that read headers and claim free objects, with one arbiter for all units. Every object is an
  * instance of 24 bytes. The table has only as many claims as headers may be under way, so reads often wait for a
  * place.
  */
case class ClaimBench(units: Int) extends Component {
  private val p = SerializationUnitParameter(claimants = units, recentClaims = 16)
  private val m = MemoryParameter()
  val readers = Seq.fill(units)(HeaderReader(p, m))
  val tables = Seq.fill(units)(ClaimTable(p, m))
  val roads = tables.map(table =>
    MemoryAccessInterface(m, table.node, p.accessEntries, 2 * p.headersAhead, p.blocksAhead, p.shared))
  val arbiter = ClaimArbiter(units)
  val io = new Bundle {
    val buses = Vec(roads.map(road => master(Bus(road.node))))
    val bound, limit = in UInt (32 bits)
    val visits = Vec.fill(units)(slave(Stream(Visit())))
    val verdicts = Vec.fill(units)(master(Flow(Verdict())))
    val idle = out Vec (Bool(), units)
    /** A unit has its turn, but other tables were asked about another object than the one that it takes. */
    val astray = out(Bool())
  }
  io.astray := arbiter.io.ports.map(port => port.request && port.grant && port.look =/= port.address).orR
  for ((((reader, road), table), i) <- readers.zip(roads).zip(tables).zipWithIndex) {
    io.buses(i) << road.io.bus
    road.io.write << table.io.bus
    reader.io.bound := io.bound
    reader.io.limit := io.limit
    reader.io.visit << io.visits(i)
    road.io.command << reader.io.span
    road.io.again := reader.io.again
    // A block may always be fetched early, also while other objects are under way.
    road.io.hint << reader.io.hint
    reader.io.alone := True
    road.io.passing := False
    road.io.bound := io.bound
    road.io.limit := io.limit
    road.io.forget << arbiter.io.ports(i).forget
    road.io.clear := False
    reader.io.word << road.io.word
    reader.io.lookup.ready := True
    reader.io.found := True
    reader.io.shape.assignDontCare()
    reader.io.shape.isArray := False
    reader.io.shape.references := 1
    reader.io.allowed := table.io.allowed
    table.io.issued := reader.io.issued

    val header = reader.io.header
    val owner = header.window(ObjectLayout.Metadata.Instance / 4)
    val verdict = io.verdicts(i)
    table.io.look := header.visit.address
    verdict.valid := header.fire
    verdict.address := header.visit.address
    verdict.hit := table.io.hit
    verdict.seen := !verdict.hit && owner =/= 0
    verdict.owner := owner(15 downto 0).asUInt
    val free = !verdict.hit && !verdict.seen

    val port = arbiter.io.ports(i)
    port.request := header.valid && free
    port.address := header.visit.address
    port.held := table.io.held
    port.settled << table.io.settled
    port.progress := table.io.progress
    table.io.asked := port.look
    table.io.others := port.others
    table.io.claim.valid := port.request && port.grant && !port.conflict
    table.io.claim.address := header.visit.address
    table.io.claim.relative := 8
    table.io.claim.isArray := False
    verdict.claimed := table.io.claim.valid
    verdict.refused := port.request && port.grant && port.conflict
    header.ready := !free || port.grant
    table.io.resolved := header.fire
    table.io.owner := B((1 << 16) | (i + 1), 32 bits)
    table.io.clear := False
    table.io.lasting := False
    io.idle(i) := table.io.idle
  }
}

/** Several units visit the same objects, reading ahead: each object is claimed once, and no unit takes another one for
  * its owner.
  */
class ClaimTest extends AnyFunSuite {
  private val base = 0x40000000L
  private val objects = 800

  private lazy val compiled = SimConfig.withConfig(
    SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).compile(ClaimBench(3))

  /** Objects are `stride` bytes apart, the first one at `offset` in a block of 64 bytes. At 16 above a multiple of 32,
    * each object takes two reads. With a stride of 24, objects share reads, and every fourth one has its owner word in
    * its second block.
    */
  for ((offset, stride) <- Seq(0 -> 64, 48 -> 64, 8 -> 32, 0 -> 24))
    test(s"an object has one owner, $stride bytes apart, from $offset on") {
      compiled.doSim(seed = 1) { dut =>
        val random = new Random(offset + stride)
        val memory = new SimBytes(base, stride * objects + 64)
        // Each object refers to one that the units will visit, so that its block is fetched early.
        for (i <- 0 until objects) {
          val target = base + stride.toLong * (i + 1 + random.nextInt(24) min objects - 1) + offset
          for (byte <- 0 until 4) memory.bytes(stride * i + offset + 16 + byte) = (target >> 8 * byte).toByte
        }
        dut.clockDomain.forkStimulus(10)
        dut.io.bound #= base
        dut.io.limit #= base + memory.size
        for (bus <- dut.io.buses)
          new TilelinkMemory(bus, dut.clockDomain, memory, random, stall = 0.1, latency = 1 to 60, scattered = true)
        dut.clockDomain.onSamplings { assert(!dut.io.astray.toBoolean, "a claim that no table was asked about") }
        val owners = mutable.Map[Long, Int]()
        var conflicts, hits, done = 0

        for (unit <- 0 until dut.io.visits.size) {
          val visit = dut.io.visits(unit)
          val verdict = dut.io.verdicts(unit)
          var next, asked, judged = 0
          visit.valid #= false
          visit.again #= false
          visit.root #= false
          dut.clockDomain.onSamplings {
            if (visit.valid.toBoolean && visit.ready.toBoolean) visit.valid #= false
            // All units go in the same direction, and now and then one goes back a little.
            if ((!visit.valid.toBoolean || visit.ready.toBoolean) && next < objects && random.nextInt(3) != 0) {
              val at = if (random.nextInt(3) == 0) (next - random.nextInt(16)) max 0 else next
              if (at == next) next += 1
              asked += 1
              visit.valid #= true
              visit.address #= base + stride.toLong * at + offset
            }
            if (verdict.valid.toBoolean) {
              val address = verdict.address.toLong
              judged += 1
              if (next == objects && asked == judged) done += 1
              if (verdict.hit.toBoolean) {
                assert(owners(address) == unit, f"$address%x is in a table that is not its owner's")
                hits += 1
              } else if (verdict.seen.toBoolean) {
                assert(owners(address) == verdict.owner.toInt - 1, f"$address%x")
              } else if (verdict.refused.toBoolean) {
                assert(owners(address) != unit, f"$address%x is refused to its owner")
                conflicts += 1
              } else {
                assert(verdict.claimed.toBoolean && !owners.contains(address), f"$address%x is claimed twice")
                owners(address) = unit
              }
            }
          }
        }
        dut.clockDomain.waitSampling(10)
        assert(!dut.clockDomain.waitSamplingWhere(400000)(done == dut.io.visits.size),
          s"$done of ${dut.io.visits.size} are done")
        dut.clockDomain.waitSampling(500)
        assert(dut.io.idle.forall(_.toBoolean))
        assert(owners.size == objects && conflicts > 10 && hits > 100, s"$conflicts conflicts, $hits hits")
        for ((address, unit) <- owners) assert(memory.word(address + 8) == ((1 << 16) | (unit + 1)))
      }
    }
}
