package heapwire.memory.cache

import heapwire.memory.{CompareAndSwap, Exclusive, ShortQueue}
import heapwire.memory.dram.{DramRoad, Fetch, FetchedWord, Sequence, StoredWord}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** The cache that the core and the units share: write-back, in order, with tags ahead of the data.
  *
  * {{{
  *  masters -> entry -> look-up -+-> data lane ------------------+-> the core's answers
  *               |  put's words  |     | evicted, passed  ^ fills +-> answers to units
  *               +---------------)-----+----> DRAM -------+------>+ streams
  *                               +-> snoop -> data cache -------->+ writes
  * }}}
  *
  * A write of whole 32-bit words that misses allocates a line and fetches nothing. A request with `param` 2 bypasses
  * the cache if it misses: a read becomes a stream beside the data lane, so that the core does not wait for it; a write
  * goes to DRAM. The units' requests are taken only while DRAM's queues have room to spare, so that the core's requests
  * find room.
  *
  * The data lane answers the core's puts in order. SC and LR have `param` [[Exclusive.Param]]; for a unit's swap see
  * [[CompareAndSwap]]. Latency of a hit: 6 cycles from channel A to channel D.
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
    val sequences = in(Vec(Sequence(c.dram), c.dram.stripes))
    val fetchRoomy, fetchPressed = in(Bool())
  }
  /** The most reads that may bypass the cache at a time. */
  private val depth = DramRoad.Depth * c.dram.stripes
  val entry = Entry(c)
  val lookup = Lookup(c)
  val lane = DataLane(c)
  val snoop = Snoop(c)

  val requests = new Area {
    private val pending = io.sequences.map(_.pending)
    val writesPressed = RegNext(pending.map(_ > c.dram.pendingBlocks * 2 / 3).orR || !snoop.io.calm) init True
    val readsPressed = RegNext(io.fetchPressed || streams.io.count > DramRoad.pressed(depth)) init True
    private val channels = io.masters.map(_.a).toList
    private val isPut = channels.map(a => if (a.p.withDataA) Opcode.A.isPut(a.opcode) else False)
    val asked =
      for ((a, port) <- channels.zipWithIndex)
        yield
          if (port < c.cores.size) a.valid
          else {
            val first = if (a.p.withDataA) RegNextWhen(a.isLast(), a.fire) init True else True
            // A request that was offered must stay offered, so it stays allowed.
            val offered = RegInit(False)
            val asks = a.valid && (!first || offered || !(isPut(port) ? writesPressed | readsPressed))
            offered := asks && !a.ready
            asks
          }
    val turn = new Turn(B(asked))
    private def granted(parts: Seq[(Bits, Int)]) = parts.map { case (part, port) =>
      part.andMask(turn.granted(port))
    }.reduce(_ | _)
    private val each = for ((a, port) <- channels.zipWithIndex) yield {
      val request = Request(c)
      request.origin.port := port
      request.origin.source := a.source.resized
      request.put := isPut(port)
      request.exclusive := Bool(port < c.cores.size) && a.param === Exclusive.Param
      request.swap := isPut(port) && a.param === CompareAndSwap.Param
      request.passing := Bool(port >= c.cores.size) && a.param === Param.Hint.NO_ALLOCATE_ON_MISS
      request.address := a.address
      request.size := a.size.resized
      request.asBits -> port
    }
    private val writers = channels.zipWithIndex.filter(_._1.p.withDataA)
    private val (narrow, wide) = writers.partition { case (_, port) => port < c.cores.size + c.narrow }
    val beat = entry.io.beat
    beat.valid := turn.valid
    beat.request.assignFromBits(granted(each))
    beat.mask := granted(writers.map { case (a, port) => a.mask -> port })
    private val words = granted(narrow.map { case (a, port) => a.data(31 downto 0) -> port }) #* c.lanes
    beat.data := (if (wide.isEmpty) words else words | granted(wide.map { case (a, port) => a.data -> port }))

    private val number = Reg(UInt(c.beatWidth bits)) init 0
    private val last = !beat.request.put || number === c.beats(beat.request.size)
    when(beat.fire) { number := last ? U(0) | (number + 1) }
    turn.go(beat.ready, last)
    for ((a, port) <- channels.zipWithIndex) a.ready := beat.ready && turn.granted(port) && asked(port)
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
  val commands = ShortQueue(LaneCommand(c), SharedCache.Lane)
  commands.io.push << lookup.io.lane.toStream
  lane.io.command << commands.io.pop

  lazy val streams = ShortQueue(StreamCommand(c), depth)
  streams.io.push << lookup.io.stream.toStream

  lookup.io.roomy := io.fetchRoomy && snoop.io.roomy &&
    (RegNext(
      commands.io.count <= SharedCache.Lane - DramRoad.Margin && streams.io.count <= depth - DramRoad.Margin &&
        io.sequences.map(_.pending <= c.dram.pendingBlocks - DramRoad.Margin).andR) init False)

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
    /** Three sources answer units: the data lane, writes and streams. Whose turn it is is a register: a source keeps
      * its turn until its last beat and until another source offers an answer. So no source waits combinationally for
      * another.
      */
    val toUnits = new Area {
      private val sources = Seq(byMaster(1), snoop.io.answer, streamed)
      private val valid = B(sources.map(_.valid))
      val turn = RegInit(B(1, sources.size bits))
      val answer = Flow(Answer(c))
      answer.valid := (valid & turn).orR
      answer.payload := MuxOH(turn, sources.map(_.payload))
      // The answer to a write has no data.
      answer.data.removeAssignments() := turn(2) ? streamed.data | byMaster(1).data
      for ((source, i) <- sources.zipWithIndex)
        source.ready := turn(i) && ports.drop(c.cores.size).map { case (bus, port) =>
          bus.d.ready || source.origin.port =/= port
        }.andR
      private val fire = (valid & turn & B(sources.map(_.ready))).orR
      val locked = RegInit(False) setWhen fire clearWhen (fire && answer.last)
      // In turn, so that no source is passed over twice.
      private val (next, afterNext) = (turn.rotateLeft(1), turn.rotateLeft(2))
      when((fire ? answer.last | !locked && !answer.valid) && (valid & ~turn).orR) {
        turn := (valid & next).orR ? next | afterNext
      }
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
    byMaster(0).ready := ports.take(c.cores.size).map { case (bus, port) =>
      bus.d.ready || done.origin.port =/= port
    }.andR
  }
}

object SharedCache {
  /** The most commands between the look-up and the data lane. */
  val Lane = 16
}
