package heapwire.core

import heapwire.isa.Status
import spinal.core._
import spinal.lib._

/** The life of every tag: it is the core's from `take` to `release`, a unit's from `take` to its completion, and free when it is neither's.
  *
  *  - `next` is a free tag, if `available`, and stays the same until it is taken, or `abandon`. `hold`: `available` stays the same, too.
  *  - `take` gives `next` away; only while `taking`.
  *  - `completion` may come for any tag that is a unit's, one a cycle, with its status.
  *  - `look` is looked up in a cycle: `known` (the core's), `complete` (and no unit's; if `waiting`, since this very cycle, too).
  *  - `tag` is looked up combinationally: `status`.
  *  - `release` gives `tag` back, which is complete; not while `taking`.
  *  - `abandon`: the core starts over, and has no tags.
  */
case class TagTable(tags: Int) extends Component {
  private val width = log2Up(tags)
  val io = new Bundle {
    val available = out Bool ()
    val next = out UInt (width bits)
    val hold, taking, take, waiting = in Bool ()
    val completion = slave(Flow(UInt(width bits)))
    val outcome = in Bits (Status.Width bits)
    val look, tag = in UInt (width bits)
    val known, complete = out Bool ()
    val status = out Bits (Status.Width bits)
    val release, abandon = in Bool ()
    /** So many tags are complete and not yet released. */
    val completed = out UInt (width + 1 bits)
    /** One of them is enabled: one bit a tag. */
    val enable = slave(Flow(Bits(tags bits)))
    val interrupt = out Bool ()
  }
  /** Of the core, of a unit. */
  val owned, running = RegInit(B(0, tags bits))
  val completed = Reg(UInt(width + 1 bits)) init 0
  private val statuses = Mem(Bits(Status.Width bits), tags)
  statuses.write(io.completion.payload, io.outcome, io.completion.valid)

  val available = RegInit(False)
  val next = Reg(UInt(width bits))
  private val groups = (~(owned | running)).subdivideIn((tags min 4) bits)
  /** Of a cycle ago: while nothing is available tags are only freed. */
  private val open = RegNext(B(groups.map(_.orR))) init 0
  private def first(bits: Bits) = PriorityMux(bits.asBools, bits.range.map(i => U(i, log2Up(widthOf(bits)) bits)))
  when(!available && !RegNext(available).init(True) && !io.hold) {
    val group = first(open)
    available := open.orR
    next := group @@ first(groups.read(group))
  }
  available clearWhen (io.take || io.abandon)
  io.available := available
  io.next := next

  private val place = io.taking ? next | io.tag
  for (t <- 0 until tags) {
    running(t) clearWhen (io.completion.valid && io.completion.payload === t)
    when(place === t) {
      running(t) setWhen io.take
      when(io.take || io.release) { owned(t) := io.take }
    }
  }
  private val completes = io.completion.valid && owned(io.completion.payload)
  when(completes =/= io.release) { completed := completed + (io.release ? S(-1) | S(1)).resize(width + 1).asUInt }
  when(io.abandon) {
    owned := 0
    completed := 0
  }
  io.known := RegNext(owned(io.look) && !(io.release && io.tag === io.look))
  io.complete := RegNext(!running(io.look) || io.waiting && io.completion.valid && io.completion.payload === io.look)
  io.status := statuses.readAsync(io.tag)
  io.completed := completed
  io.interrupt := RegNext((owned & ~running & RegNextWhen(io.enable.payload, io.enable.valid).init(0)).orR) init False

  assert(!io.completion.valid || running(io.completion.payload), "a unit completed a tag that was not under way", FAILURE)
}
