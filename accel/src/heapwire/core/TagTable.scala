package heapwire.core

import heapwire.isa.{Instruction, Status}
import heapwire.memory.UnitCompletion
import spinal.core._
import spinal.lib._

/** The life of every tag: free, allocated, complete; and the outcome of complete ones.
  *
  *  - `next` is a free tag, if `available`; `allocate` takes it.
  *  - `completion` may come for any allocated tag, one a cycle.
  *  - `tag` is looked up combinationally: `allocated`, `complete`, `status`, `results`.
  *  - `release` frees `tag`.
  *  - `abandon`: the core starts over. Complete tags are freed now, the others when they complete.
  */
case class TagTable(tags: Int) extends Component {
  private val width = log2Up(tags)
  private case class Outcome() extends Bundle {
    val status = Bits(Status.Width bits)
    val results = Vec.fill(Instruction.ResultWords)(Bits(32 bits))
  }

  val io = new Bundle {
    val available = out Bool ()
    val next = out UInt (width bits)
    val allocate = in Bool ()
    val completion = slave(Flow(UnitCompletion(width)))
    val tag = in UInt (width bits)
    val allocated, complete = out Bool ()
    val status = out Bits (Status.Width bits)
    val results = out Vec (Bits(32 bits), Instruction.ResultWords)
    val release, abandon = in Bool ()
    /** One bit a tag: complete and not yet released. */
    val completes = out Bits (tags bits)
  }
  val allocated, complete, abandoned = Reg(Bits(tags bits)) init 0
  private val outcomes = Mem(Outcome(), tags)

  io.available := !allocated.andR
  io.next := OHToUInt(OHMasking.first(~allocated))
  when(io.allocate) { allocated(io.next) := True }
  when(io.completion.valid) {
    when(abandoned(io.completion.tag)) { allocated(io.completion.tag) := False } otherwise { complete(io.completion.tag) := True }
    abandoned(io.completion.tag) := False
  }
  when(io.release) {
    allocated(io.tag) := False
    complete(io.tag) := False
  }
  private val completing = io.completion.valid ? UIntToOh(io.completion.tag, tags) | B(0, tags bits)
  when(io.abandon) {
    abandoned := allocated & ~complete & ~completing
    allocated := allocated & ~complete & ~completing
    complete := 0
  }

  private val written = Outcome()
  written.status := io.completion.status
  written.results := io.completion.results
  outcomes.write(io.completion.tag, written, io.completion.valid)
  private val read = outcomes.readAsync(io.tag)

  io.allocated := allocated(io.tag) && !abandoned(io.tag)
  io.complete := complete(io.tag)
  io.status := read.status
  io.results := read.results
  io.completes := complete

  assert(!io.completion.valid || (allocated(io.completion.tag) && !complete(io.completion.tag)),
    "a unit completed a tag that was not under way", FAILURE)
}
