package heapwire.copy

import heapwire.isa.Status
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Reads the aligned 16-byte words whose addresses stand in a list, many at a
  * time, and delivers them in the list's order, in 16 / wordBytes beats each.
  *
  * An address that is not aligned, or whose word does not lie in [`lower`,
  * `upper`), is not read: its beats come with `error`, and `problem` tells the
  * first one's status until the next `start`. After an error the rest of the
  * list is delivered all the same.
  */
case class Gather(p: MemoryParameter, slots: Int, listSlots: Int) extends Component {
  val listReader = Reader(p, listSlots)
  val queue = ReadQueue(p, slots)
  val nodes = Seq(listReader.queue.node, queue.node)
  private val perWord = p.dataWidth / 32
  private val wordShift = log2Up(p.wordBytes)
  private val parts = Gather.WordBytes / p.wordBytes

  val io = new Bundle {
    val start = in Bool()
    val list, lower, upper = in UInt (p.addressWidth bits)
    /** Addresses in the list. */
    val count = in UInt (32 bits)
    /** Reads in flight; 0: as many as there are slots. */
    val limit = in UInt (log2Up(slots) + 1 bits)
    val word = master(Stream(ReadWord(p)))
    val problem = out Bits (Status.Width bits)
    val idle, waiting = out Bool()
    val buses = Vec(nodes.map(node => master(Bus(node))))
  }
  io.buses(0) << listReader.io.bus
  io.buses(1) << queue.io.bus

  listReader.io.command.valid := io.start
  listReader.io.command.address := io.list
  listReader.io.command.length := (io.count << 2).resized
  queue.io.limit := io.limit

  val problem = Reg(Bits(Status.Width bits)) init Status.Ok.code
  when(io.start) { problem := Status.Ok.code }
  io.problem := problem

  /** One beat's address a cycle out of the list's words. */
  val addresses = new Area {
    val in = listReader.io.word
    val lane = perWord > 1 generate (Reg(UInt(log2Up(perWord) bits)) init 0)
    val part = parts > 1 generate (Reg(UInt(log2Up(parts) bits)) init 0)
    val entry = (if (perWord == 1) in.data else in.data.subdivideIn(32 bits).read(lane)).asUInt
    val word = if (parts == 1) entry(31 downto 4) else entry(31 downto 4) @@ part
    val address = word @@ U(0, wordShift bits)
    val valid = in.valid && in.count =/= 0
    val lastPart = if (parts == 1) True else part === parts - 1
    val lastLane = if (perWord == 1) True else lane === ((in.count >> 2) - 1).resize(log2Up(perWord))
    val misaligned = entry(3 downto 0) =/= 0
    val outside = entry < io.lower || (entry +^ U(Gather.WordBytes)) > io.upper.resize(33)
    val bad = misaligned || outside || in.error
    val step = Bool()
    in.ready := (step && lastPart && lastLane) || (in.valid && in.count === 0)
    when(step) {
      if (parts > 1) part := lastPart ? U(0) | (part + 1)
      if (perWord > 1) when(lastPart) { lane := lastLane ? U(0) | (lane + 1) }
      when(!in.error && (misaligned || outside) && problem === Status.Ok.code) {
        problem := misaligned ? B(Status.BadAlignment.code, Status.Width bits) | B(Status.OutOfBounds.code, Status.Width bits)
      }
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
  queue.io.request.mark := False

  val failed = order.io.pop.payload
  io.word.valid := order.io.pop.valid && (failed || queue.io.word.valid)
  io.word.data := queue.io.word.word.data
  io.word.error := failed || queue.io.word.word.error
  order.io.pop.ready := io.word.fire
  queue.io.word.ready := io.word.ready && order.io.pop.valid && !failed

  io.idle := listReader.io.idle && queue.io.idle && !order.io.pop.valid && order.io.occupancy === 0
  io.waiting := queue.io.waiting || listReader.io.waiting
}

object Gather {
  /** What one address of a list stands for, whatever the memory's width. */
  val WordBytes = 16
}
