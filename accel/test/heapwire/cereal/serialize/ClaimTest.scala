package heapwire.cereal.serialize

import heapwire.memory.{MemoryParameter, SimBytes, TilelinkMemory}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._
import spinal.lib._
import spinal.lib.bus.tilelink._

import scala.collection.mutable
import scala.util.Random

/** Claim tables that share an arbiter. */
case class ClaimBench(units: Int) extends Component {
  private val p = SerializationUnitParameter(shared = true)
  val tables = Seq.fill(units)(ClaimTable(p, MemoryParameter()))
  val arbiter = ClaimArbiter(units)
  val io = new Bundle {
    val buses = Vec(tables.map(table => master(Bus(table.node))))
    val claims = Vec.fill(units)(slave(Stream(Claim())))
    val conflicts, hits, allowed, idle = out Vec(Bool(), units)
    val issued, resolved = in Vec(Bool(), units)
    val looks = in Vec(UInt(32 bits), units)
  }
  for ((table, i) <- tables.zipWithIndex) {
    val port = arbiter.io.ports(i)
    port.request := io.claims(i).valid
    port.address := io.claims(i).address
    port.held := table.io.held
    port.drained := table.io.drained
    table.io.others := port.look
    table.io.phase := port.phase
    table.io.claim << io.claims(i).continueWhen(port.grant && !port.conflict)
    io.conflicts(i) := port.grant && port.conflict
    table.io.owner := B((1 << 16) | (i + 1), 32 bits)
    table.io.look := io.looks(i)
    io.hits(i) := table.io.hit
    table.io.issued := io.issued(i)
    table.io.resolved := io.resolved(i)
    io.allowed(i) := table.io.allowed
    io.idle(i) := table.io.idle
    table.io.clear := False
    io.buses(i) << table.io.bus
  }
}

/** Units that go over the same objects, reading ahead: each object is claimed once, whatever the reads saw. */
class ClaimTest extends AnyFunSuite {
  test("an object has one owner") {
    SimConfig.withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))).compile(ClaimBench(3)).doSim(seed = 1) { dut =>
      val random = new Random(1)
      val base = 0x40000000L
      val objects = 800
      val memory = new SimBytes(base, 64 * objects)
      dut.clockDomain.forkStimulus(10)
      for (i <- dut.tables.indices) {
        dut.io.claims(i).valid #= false
        dut.io.issued(i) #= false
        dut.io.resolved(i) #= false
        dut.io.looks(i) #= 0
        dut.io.claims(i).relative #= 8
        dut.io.claims(i).isArray #= false
        new TilelinkMemory(dut.io.buses(i), dut.clockDomain, memory, random, stall = 0.2, latency = 1 to 60)
      }
      val owners = mutable.Map[Long, Int]()
      var conflicts, hits = 0

      /** What is read behind a reference: the owner, as memory has it at any time after it was asked for. */
      class Read(val address: Long, var owner: Option[Int] = None)

      class Visitor(unit: Int) {
        private val reads = mutable.Queue[Read]()
        private var next = 0
        private var asked = false
        private var looking, answered, claiming = false
        def done: Boolean = next == objects && reads.isEmpty

        private def judged(): Unit = {
          reads.dequeue()
          looking = false
          answered = false
          claiming = false
          dut.io.claims(unit).valid #= false
          dut.io.resolved(unit) #= true
        }
        private def judge(read: Read): Unit = {
          if (claiming) {
            if (dut.io.claims(unit).ready.toBoolean) {
              assert(!owners.contains(read.address), "claimed twice")
              owners(read.address) = unit
              judged()
            } else if (dut.io.conflicts(unit).toBoolean) {
              assert(owners(read.address) != unit)
              conflicts += 1
              judged()
            }
          } else if (!looking) {
            dut.io.looks(unit) #= read.address
            looking = true
          } else if (!answered) {
            answered = true
          } else if (dut.io.hits(unit).toBoolean) {
            assert(owners(read.address) == unit)
            hits += 1
            judged()
          } else if (read.owner.get != 0) {
            assert(owners(read.address) == read.owner.get - 1)
            judged()
          } else {
            claiming = true
            dut.io.claims(unit).valid #= true
            dut.io.claims(unit).address #= read.address
          }
        }
        dut.clockDomain.onSamplings {
          dut.io.issued(unit) #= false
          dut.io.resolved(unit) #= false
          for (read <- reads if read.owner.isEmpty && random.nextInt(20) == 0)
            read.owner = Some(memory.word(read.address + 8).toInt & 0xffff)
          for (read <- reads.headOption if read.owner.nonEmpty) judge(read)
          // All go the same way, and now and then one goes back a little. What is asked for at a clock's edge is seen a cycle late.
          asked = !asked && next < objects && reads.size < 16 && dut.io.allowed(unit).toBoolean && random.nextInt(3) != 0
          if (asked) {
            val at = if (random.nextInt(3) == 0) (next - random.nextInt(8)) max 0 else next
            if (at == next) next += 1
            reads.enqueue(new Read(base + 64L * at))
            dut.io.issued(unit) #= true
          }
        }
      }
      dut.clockDomain.waitSampling(10)
      val visitors = dut.tables.indices.map(new Visitor(_))
      dut.clockDomain.waitSamplingWhere(200000)(visitors.forall(_.done))
      dut.clockDomain.waitSampling(500)
      assert(dut.io.idle.forall(_.toBoolean))
      assert(owners.size == objects && conflicts > 500 && hits > 200, s"$conflicts conflicts, $hits hits")
      for ((address, unit) <- owners) assert(memory.word(address + 8) == ((1 << 16) | (unit + 1)))
    }
  }
}
