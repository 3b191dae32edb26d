package heapwire.memory.cache

import heapwire.memory.BlockQueue
import spinal.core._
import spinal.lib._

/** A request at the look-up, with all of its data arrived. */
case class Arrival(c: CacheParameter) extends Bundle {
  val request = Request(c)
  /** Granules that must be valid, or filled, before the request can be done; and granules that it writes. */
  val needed, written = Bits(c.granules bits)
}

/** The entrance of requests: a register. A put's words go from there into a queue as they come, and the request moves
  * on with its last word. So a request behind this point never waits for its master.
  */
case class Entry(c: CacheParameter) extends Component {
  private val p = c.memory
  val io = new Bundle {
    val beat = slave(Stream(Beat(c)))
    /** The address of a request that comes in. From the next cycle on it is at `arrival`, which keeps it until the next
      * request.
      */
    val coming = master(Flow(UInt(32 bits)))
    val arrival = master(Stream(Arrival(c)))
    /** The words of puts, in the order of arrivals. */
    val words = master(Stream(Word(c)))
  }
  val here = io.beat.m2sPipe(holdPayload = true)
  val request = here.request
  val beat = Reg(UInt(c.beatWidth bits)) init 0
  val last = !request.put || beat === c.beats(request.size)

  val queue = BlockQueue(Word(c), 16 max 2 * p.wordsPerBlock)
  io.words << queue.io.pop
  val room = !request.put || queue.io.push.ready
  io.arrival.valid := here.valid && last && room
  here.ready := room && (!last || io.arrival.ready)
  queue.io.push.valid := here.valid && request.put && (!last || io.arrival.ready)
  queue.io.push.data := here.data
  queue.io.push.mask := here.mask
  when(here.fire) { beat := last ? U(0) | (beat + 1) }
  io.coming.valid := io.beat.fire && (here.valid ? last | (beat === 0))
  io.coming.payload := io.beat.request.address

  /** Granules of which the put has written some bytes, and all bytes, up to this beat. */
  val some, all = Reg(Bits(c.granules bits)) init 0
  private val word = request.address(log2Up(p.blockBytes) - 1 downto log2Up(p.wordBytes)) | beat.andMask(!request.swap)
  private def spread(each: Bits => Bool) = B(for (g <- 0 until c.granules)
      yield word === g / c.lanes && each(here.mask(4 * (g % c.lanes), 4 bits)))
  val someNow = some | spread(_.orR)
  val allNow = all | spread(_.andR)
  when(here.fire) {
    some := last ? B(0) | someNow
    all := last ? B(0) | allNow
  }

  /** The granules of a read. */
  private val granule = request.address(log2Up(p.blockBytes) - 1 downto 2)
  val read = B(for (g <- 0 until c.granules) yield (0 to log2Up(c.granules)).map(k =>
      (granule >> k) === (g >> k) && (if (k == 0) request.size <= 2 else request.size === k + 2)).orR)

  io.arrival.request := request
  io.arrival.needed := request.put ? (someNow & ~allNow.andMask(!request.swap)) | read
  io.arrival.written := request.put ? someNow | B(0)
}
