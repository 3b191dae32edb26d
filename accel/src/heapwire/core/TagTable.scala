package heapwire.core

import heapwire.isa.Status
import spinal.core._
import spinal.lib._

/** The state of every tag. The core owns a tag from `take` to `release`, a unit has it from `take` to its completion,
  * and it is free if neither does.
  *
  *  - `next` is a free tag if `available`. It does not change until it is taken, or `abandon`. With `hold`, `available`
  *    does not change either.
  *  - `take` hands out `next`; allowed only while `taking`.
  *  - `completion` may come for any tag that a unit has, one per cycle, with its status.
  *  - `look` selects a tag whose state is available a cycle later: `known` (the core owns it) and `complete` (no unit
  *    has it; if `waiting`, a completion in that very cycle counts, too).
  *  - `tag` selects `status` combinationally.
  *  - `release` frees `tag`, which must be complete; not while `taking`.
  *  - `abandon`: the core starts over and owns no tags.
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
    /** The number of tags that are complete and not yet released. */
    val completed = out UInt (width + 1 bits)
    /** One enable bit per tag. `interrupt`: an enabled tag is complete and not released. */
    val enable = slave(Flow(Bits(tags bits)))
    val interrupt = out Bool ()
  }
  /** One bit per tag: the core owns it, and a unit has it. */
  val owned, running = RegInit(B(0, tags bits))
  val completed = Reg(UInt(width + 1 bits)) init 0
  private val statuses = Mem(Bits(Status.Width bits), tags)
  statuses.write(io.completion.payload, io.outcome, io.completion.valid)

  val available = RegInit(False)
  val next = Reg(UInt(width bits))
  private val groups = (~(owned | running)).subdivideIn((tags min 4) bits)
  /** One cycle old. That is safe: while nothing is available, tags are only freed. */
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

  assert(!io.completion.valid || running(io.completion.payload), "a unit completed a tag that was not under way",
    FAILURE)
}
