package heapwire.memory.cache

import heapwire.memory.{CompareAndSwap, Exclusive}
import heapwire.memory.dram.{DramRoad, Fetch, FetchedWord, Sequence, StoredWord}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The cache that the core and the units share: write-back, tags ahead of data, in order.
  *
  * {{{
  *  masters -> entry -> look-up -+-> data lane ------------------+-> the core's answers
  *               |  put's words  |     | evicted, passed  ^ fills +-> answers to units
  *               +---------------)-----+----> DRAM -------+------>+ streams
  *                               +-> snoop -> data cache -------->+ writes
  * }}}
  *
  * A write of whole 32-bit words that misses allocates and fetches nothing. A request with `param` 2 passes by the cache where it
  * misses: its read is a stream, beside the lane, so that the core does not wait for it; its write goes to DRAM. The units' requests are taken
  * only while DRAM's queues have room for more than the core's, so that these find room.
  *
  * The core's puts are answered in order, by the lane; SC and LR have `param` [[Exclusive.Param]]; a unit's swap: [[CompareAndSwap]].
  * Latency of a hit: 6 cycles from A to D.
  */
case class SharedCache(c: CacheParameter) extends Component {
  private val p = c.memory
  val io = new Bundle {
    val masters = Vec(c.masters.map(node => slave(Bus(node))))
    val invalidate = master(Stream(UInt(32 bits)))
    val invalidated = slave(Stream(NoData()))
    val fetch = master(Flow(Fetch(p, c.dram)))
    val fetched = slave(Stream(FetchedWord(p)))
    val write = master(Flow(UInt(c.dram.stripeWidth bits)))
    val store = master(Flow(StoredWord(p, c.dram)))
    val sequences = in(Vec(Sequence(), c.dram.stripes))
    val fetchRoomy, fetchPressed = in Bool()
  }
  /** Reads that pass by the cache. */
  private val depth = DramRoad.Depth * c.dram.stripes
  val entry = Entry(c)
  val lookup = Lookup(c)
  val lane = DataLane(c)
  val snoop = Snoop(c)

  val requests = new Area {
    private val pending = io.sequences.map(_.pending)
    val writesPressed = RegNext(pending.map(_ > Sequence.Blocks * 2 / 3).orR || !snoop.io.calm) init True
    val readsPressed = RegNext(io.fetchPressed || streams.io.occupancy > DramRoad.pressed(depth)) init True
    val ports = for ((bus, port) <- io.masters.zipWithIndex) yield {
      val a = bus.a
      val isPut = if (a.p.withDataA) Opcode.A.isPut(a.opcode) else False
      val allowed = if (port < c.cores.size) True else {
        val first = if (a.p.withDataA) RegNextWhen(a.isLast(), a.fire) init True else True
        // The arbiter stays with whom it has offered, so that one stays allowed.
        val offered = RegInit(False)
        val allowed = !first || offered || !(isPut ? writesPressed | readsPressed)
        offered := a.valid && allowed && !a.ready
        allowed
      }
      val beat = Beat(c)
      beat.request.origin.port := port
      beat.request.origin.source := a.source.resized
      beat.request.put := isPut
      beat.request.exclusive := Bool(port < c.cores.size) && a.param === Exclusive.Param
      beat.request.swap := isPut && a.param === CompareAndSwap.Param
      beat.request.passing := Bool(port >= c.cores.size) && a.param === Param.Hint.NO_ALLOCATE_ON_MISS
      beat.request.address := a.address
      beat.request.size := a.size.resized
      beat.data := (if (a.p.withDataA) a.data else B(0, p.dataWidth bits))
      beat.mask := (if (a.p.withDataA) a.mask else B(0, p.wordBytes bits))
      a.continueWhen(allowed).translateWith(beat)
    }
    /** The lock is the arbiter's, out of which no signal leads: [[Entry]] counts for itself. */
    private def isLast(beats: Stream[Beat]): Bool = {
      val beat = Reg(UInt(c.beatWidth bits)) init 0
      val last = !beats.request.put || beat === c.beats(beats.request.size)
      when(beats.fire) { beat := last ? U(0) | (beat + 1) }
      last
    }
    entry.io.beat << StreamArbiterFactory().roundRobin.lambdaLock[Beat](isLast(_)).on(ports)
  }

  lookup.io.arrival << entry.io.arrival
  lookup.io.coming << entry.io.coming
  lookup.io.sequences := io.sequences
  io.fetch << lookup.io.fetch
  io.write << lookup.io.write
  snoop.io.snooped << lookup.io.snooped
  io.invalidate << snoop.io.invalidate
  snoop.io.invalidated << io.invalidated

  lane.io.words << entry.io.words
  lane.io.token << snoop.io.token
  io.store << lane.io.store
  val commands = StreamFifo(LaneCommand(c), SharedCache.Lane, latency = 1)
  commands.io.push << lookup.io.lane.toStream
  lane.io.command << commands.io.pop

  lazy val streams = StreamFifo(StreamCommand(c), depth, latency = 1)
  streams.io.push << lookup.io.stream.toStream

  lookup.io.roomy := io.fetchRoomy && snoop.io.roomy && (RegNext(
    commands.io.occupancy <= SharedCache.Lane - DramRoad.Margin && streams.io.occupancy <= depth - DramRoad.Margin &&
      io.sequences.map(_.pending <= Sequence.Blocks - DramRoad.Margin).andR) init False)

  val answers = new Area {
    val fills, stream = Stream(FetchedWord(p))
    fills.valid := io.fetched.valid && io.fetched.fill
    fills.payload := io.fetched.payload
    lane.io.fetched << fills
    stream.valid := io.fetched.valid && !io.fetched.fill
    stream.payload := io.fetched.payload
    io.fetched.ready := io.fetched.fill ? fills.ready | stream.ready

    val streamed = stream.translateWith {
      val answer = Answer(c)
      answer.origin := streams.io.pop.origin
      answer.size := streams.io.pop.size
      answer.isData := True
      answer.denied := False
      answer.last := stream.last
      answer.data := stream.data
      answer
    }
    streams.io.pop.ready := stream.fire && stream.last

    val done = lane.io.answer.m2sPipe()
    val byMaster = StreamDemux(done, (!done.origin.isCore).asUInt, 2)
    private val ports = io.masters.zipWithIndex
    /** The lane, a write or a stream answers a unit, whose turn is a register: it stays until its last beat and until another one offers. So no source waits
      * for what another one says.
      */
    val toUnits = new Area {
      private val sources = Seq(byMaster(1), snoop.io.answer, streamed)
      private val valid = B(sources.map(_.valid))
      val turn = RegInit(B(1, sources.size bits))
      val answer = Flow(Answer(c))
      answer.valid := (valid & turn).orR
      answer.payload := MuxOH(turn, sources.map(_.payload))
      // A write's answer has no data.
      answer.data.removeAssignments() := turn(2) ? streamed.data | byMaster(1).data
      for ((source, i) <- sources.zipWithIndex)
        source.ready := turn(i) && ports.drop(c.cores.size).map { case (bus, port) => bus.d.ready || source.origin.port =/= port }.andR
      private val fire = (valid & turn & B(sources.map(_.ready))).orR
      val locked = RegInit(False) setWhen fire clearWhen (fire && answer.last)
      // In turns: nobody is passed over twice.
      private val (next, afterNext) = (turn.rotateLeft(1), turn.rotateLeft(2))
      when((fire ? answer.last | !locked && !answer.valid) && (valid & ~turn).orR) { turn := (valid & next).orR ? next | afterNext }
    }
    private def send(bus: Bus, port: Int, answer: Flow[Answer]): Unit = {
      bus.d.valid := answer.valid && answer.origin.port === port
      bus.d.opcode := answer.isData ? Opcode.D.ACCESS_ACK_DATA() | Opcode.D.ACCESS_ACK()
      bus.d.param := 0
      bus.d.source := answer.origin.source.resized
      bus.d.size := answer.size.resized
      bus.d.sink := 0
      bus.d.denied := answer.denied
      if (bus.d.p.withDataD) {
        bus.d.data := answer.data
        bus.d.corrupt := answer.denied && answer.isData
      }
    }
    for ((bus, port) <- ports) send(bus, port, if (port < c.cores.size) byMaster(0).asFlow else toUnits.answer)
    byMaster(0).ready := ports.take(c.cores.size).map { case (bus, port) => bus.d.ready || done.origin.port =/= port }.andR
  }
}

object SharedCache {
  /** Commands between the look-up and the data lane. */
  val Lane = 16
}
