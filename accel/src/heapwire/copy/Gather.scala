package heapwire.copy

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Reads the memory words whose addresses stand in a list, many at a time, and
  * delivers them in the list's order.
  *
  * An address that is not a word's, or outside [`lower`, `upper`), is not read:
  * its word comes with `error`, and `outOfBounds` holds until the next `start`.
  * After an error the rest of the list is delivered all the same.
  */
case class Gather(p: MemoryParameter, slots: Int, listSlots: Int) extends Component {
  val listReader = Reader(p, listSlots)
  val queue = ReadQueue(p, slots)
  val nodes = Seq(listReader.queue.node, queue.node)
  private val perWord = p.dataWidth / 32
  private val wordShift = log2Up(p.wordBytes)

  val io = new Bundle {
    val start = in Bool()
    val list, lower, upper = in UInt (p.addressWidth bits)
    /** Addresses in the list. */
    val count = in UInt (32 bits)
    /** Reads in flight; 0: as many as there are slots. */
    val limit = in UInt (log2Up(slots) + 1 bits)
    val word = master(Stream(ReadWord(p)))
    val outOfBounds = out Bool()
    val idle, waiting = out Bool()
    val buses = Vec(nodes.map(node => master(Bus(node))))
  }
  io.buses(0) << listReader.io.bus
  io.buses(1) << queue.io.bus

  listReader.io.command.valid := io.start
  listReader.io.command.address := io.list
  listReader.io.command.length := (io.count << 2).resized
  queue.io.limit := io.limit

  val outOfBounds = RegInit(False) clearWhen io.start
  io.outOfBounds := outOfBounds

  /** One address a cycle out of the list's words. */
  val addresses = new Area {
    val in = listReader.io.word
    val lane = Reg(UInt(log2Up(perWord) bits)) init 0
    val address = in.data.subdivideIn(32 bits).read(lane).asUInt
    val valid = in.valid && in.count =/= 0
    val lastLane = lane === ((in.count >> 2) - 1).resize(log2Up(perWord))
    val bad = address.resize(wordShift) =/= 0 || address < io.lower || address >= io.upper || in.error
    val step = Bool()
    in.ready := (step && lastLane) || (in.valid && in.count === 0)
    when(step) {
      lane := lastLane ? U(0) | (lane + 1)
      outOfBounds setWhen (bad && !in.error)
    }
  }

  /** Which deliveries come from memory, in order. */
  val order = StreamFifo(Bool(), 2 * slots, latency = 1)
  val go = addresses.valid && order.io.push.ready && (addresses.bad || queue.io.request.ready)
  addresses.step := go
  order.io.push.valid := go
  order.io.push.payload := addresses.bad
  queue.io.request.valid := addresses.valid && order.io.push.ready && !addresses.bad
  queue.io.request.address := addresses.address
  queue.io.request.block := False

  val failed = order.io.pop.payload
  io.word.valid := order.io.pop.valid && (failed || queue.io.word.valid)
  io.word.data := queue.io.word.data
  io.word.error := failed || queue.io.word.error
  order.io.pop.ready := io.word.fire
  queue.io.word.ready := io.word.ready && order.io.pop.valid && !failed

  io.idle := listReader.io.idle && queue.io.idle && !order.io.pop.valid && order.io.occupancy === 0
  io.waiting := queue.io.waiting || listReader.io.waiting
}
