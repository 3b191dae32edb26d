package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Stands on channel A between a master and the memory, and lets no byte be written outside of `ranges`.
  *
  *  - A beat of a Put is written if all bytes of its mask lie in the ranges, each in at least one of them; otherwise
  *    nothing of it is. A range is of any alignment. It is [base, limit), and empty if `limit` is at or below `base`;
  *    or, if `inclusive`, [base, last], and empty if `last` is below `base`. `ranges` counts in units of
  *    `alignment` bytes.
  *  - A refused beat leaves with an empty mask, so its Put is answered, and the master need not know. `violation`
  *    (pulse) says in the next cycle that a beat was refused.
  *  - Every Put leaves as PUT_PARTIAL_DATA, since its mask counts. Gets pass as they are.
  *  - Everything leaves in order, one cycle later, one beat a cycle. `up.ready` is high unless a beat waits for `down`.
  *
  * `tests/proofs` proves this, of any master that keeps to this: a Put's address is a multiple of its size, except that
  * of a [[CompareAndSwap]], of which both beats are for the word at its address; the head of a Put that has begun
  * stays, while a request that waits may change; `ranges` are stable while a request is here. The answer to a Put must
  * come later than `violation`, and the memory must treat both kinds of Puts alike, as the shared cache does.
  */
case class WriteGuard(p: MemoryParameter, node: NodeParameters, ranges: Int, inclusive: Boolean = false,
    alignment: Int = 1) extends Component {
  private val channel = node.toBusParameter()
  val io = new Bundle {
    val up = slave(Stream(ChannelA(channel)))
    val down = master(Stream(ChannelA(channel)))
    val ranges = in Vec (Bounds(p, inclusive, alignment), WriteGuard.this.ranges)
    val violation = out(Bool())
  }
  private val wordShift = log2Up(p.wordBytes)
  private val beatWidth = log2Up(p.wordsPerBlock)

  /** The memory word that the offered beat is for. */
  val isPut = Opcode.A.isPut(io.up.opcode)
  val isSwap = io.up.param === CompareAndSwap.Param
  val beat = Reg(UInt(beatWidth bits)) init 0
  val isLast = !isPut || beat === B((0 until beatWidth).map(bit => io.up.size > wordShift + bit)).asUInt
  when(io.up.fire) { beat := isLast ? U(0) | (beat + 1) }
  val word = (io.up.address >> wordShift) | beat.andMask(!isSwap).resized

  /** The beat that leaves, and where its word lies. The word is at or behind the one that holds `base` (`behindBase`),
    * or is that one (`first`). It is at or before the one that holds the range's end (`beforeEnd`), or is that one
    * (`last`).
    */
  val held = io.up.m2sPipe()
  val places =
    for (range <- io.ranges) yield new Area {
      private def known(bound: UInt) = bound << log2Up(alignment)
      private val base = known(range.base)
      private val end = if (inclusive) range.last else known(range.limit)
      // One difference tells both whether it is negative and whether it is zero.
      private val fromBase = (U"0" @@ word) - (U"0" @@ (base >> wordShift))
      private val toEnd = (U"0" @@ (end >> wordShift)) - (U"0" @@ word)
      private def kept(what: Bool) = RegNextWhen(what, io.up.ready)
      val behindBase = kept(!fromBase.msb)
      val beforeEnd = kept(!toEnd.msb)
      val first = kept(fromBase === 0)
      val last = kept(toEnd === 0)
      // Bytes from `low` on and up to `high` are inside, that of `high` if the range is inclusive. The highest byte has
      // no higher `high`, and no `high` is lower than the lowest one.
      private val here = behindBase && beforeEnd
      private val low = base(wordShift - 1 downto 0).andMask(first)
      private val high = (end(wordShift - 1 downto 0).asBits | B(wordShift bits, default -> !last)).andMask(here).asUInt
      private def upToEnd(i: Int) =
        if (inclusive) { if (i == 0) here else high >= i }
        else if (i == p.wordBytes - 1) here && !last
        else high > i
      val bytes = B(for (i <- 0 until p.wordBytes) yield low <= i && upToEnd(i))
    }
  val allowed = Bits(p.wordBytes bits)
  allowed := places.map(_.bytes).reduce(_ | _)
  val refused = Opcode.A.isPut(held.opcode) && (held.mask & ~allowed).orR
  io.down << held
  io.down.mask.removeAssignments() := held.mask.andMask(!refused)
  io.down.opcode.removeAssignments() := held.opcode
  when(Opcode.A.isPut(held.opcode)) { io.down.opcode := Opcode.A.PUT_PARTIAL_DATA }
  val violation = RegNext(held.fire && refused) init False
  io.violation := violation
}

object WriteGuard {
  /** A guard with these ranges, each a base and a limit. */
  def apply(p: MemoryParameter, node: NodeParameters, ranges: (UInt, UInt)*): WriteGuard = {
    val guard = WriteGuard(p, node, ranges.length)
    for ((range, (base, limit)) <- guard.io.ranges.zip(ranges)) {
      range.base := base
      range.limit := limit
    }
    guard
  }

  /** Puts such a guard between a master and its way to memory. */
  def apply(p: MemoryParameter, node: NodeParameters, master: Bus, memory: Bus)(ranges: (UInt, UInt)*): WriteGuard = {
    val guard = WriteGuard(p, node, ranges: _*)
    guard.io.up << master.a
    memory.a << guard.io.down
    master.d << memory.d
    guard
  }
}
