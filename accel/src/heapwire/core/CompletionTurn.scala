package heapwire.core

import heapwire.isa.{Instruction, Status}
import heapwire.memory.UnitCompletion
import spinal.core._
import spinal.lib._

/** Writes the results of completions to the memory, one completion after the other. A completion waits at its unit,
  * which sees `ready` with the last pair of words.
  *
  * The first unit that offers a completion is next. No unit is passed over for long, because fetching a command takes
  * more cycles than writing a completion does.
  *
  *  - `valid`: `words` are to be written as results 2 `pair` and 2 `pair` + 1 of `tag`, in this cycle unless `hold`.
  *  - `done`: the last words of the completion are written in this cycle.
  *
  * Result words that no operation of a unit defines are 0. Words that no unit has are not stored.
  */
case class CompletionTurn(p: FrontEndParameter) extends Component {
  val io = new Bundle {
    val units = Vec.fill(p.unitCount)(slave(Stream(UnitCompletion(p.tagWidth))))
    val hold = in Bool ()
    val valid, done = out Bool ()
    val tag = out UInt (p.tagWidth bits)
    val pair = out UInt (2 bits)
    val words = out Vec (Bits(32 bits), 2)
    val status = out Bits (Status.Width bits)
  }
  private val counts = p.units.flatMap { case (kind, count) =>
    Seq.fill(count)(kind.operations.map(_.results.size).max)
  }
  private val pairs = (counts.max + 1) / 2

  private val offers = B(io.units.map(_.valid))
  private val turn = Bits(p.unitCount bits)
  if (p.unitCount == 1) turn := offers
  else {
    val granted = RegInit(B(0, p.unitCount bits))
    when(io.done) { granted := 0 } elsewhen (granted === 0) { granted := OHMasking.first(offers) }
    turn := granted
  }
  private def chosen(field: UnitCompletion => Bits): Bits =
    if (p.unitCount == 1) field(io.units.head.payload) else MuxOH.or(turn, io.units.map(unit => field(unit.payload)))
  private def word(i: Int): Bits =
    if (p.unitCount == 1) { if (i < counts.head) io.units.head.results(i) else B(0, 32 bits) }
    else {
      val having = counts.indices.filter(counts(_) > i)
      if (having.isEmpty) B(0, 32 bits)
      else having.map(u => io.units(u).results(i).andMask(turn(u))).reduceBalancedTree(_ | _)
    }

  val second = RegInit(False)
  private val last = if (pairs == 1) True else second
  io.valid := turn.orR
  io.done := io.valid && last && !io.hold
  when(io.valid && !io.hold) { second := !last }
  for ((unit, i) <- io.units.zipWithIndex) unit.ready := turn(i) && last && !io.hold
  io.tag := chosen(_.tag.asBits).asUInt
  io.status := chosen(_.status)
  io.pair := second.asUInt.resized
  for (j <- 0 until 2) io.words(j) := (if (pairs == 1) word(j) else second ? word(2 + j) | word(j))

  /** Returns result word `i` from the stored pair that contains it. */
  def kept(words: Vec[Bits], i: UInt): Bits =
    if (counts.max > 2) words(i.lsb.asUInt)
    else Vec((0 until Instruction.ResultWords).map(k => if (k < counts.max) words(k) else B(0, 32 bits))).read(i)
}
