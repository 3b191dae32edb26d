package heapwire.protobuf.engine.memory

import spinal.core._

/** The time at which a block came into the cache. Both parts are shift registers with feedback, which go through 15 and
  * 63 values.
  */
case class Era() extends Bundle {
  /** Advances when everything is invalidated. */
  val all = Bits(4 bits)
  /** Advances when objects are invalidated. */
  val objects = Bits(6 bits)
}

object Era {
  /** Returns the value after this one. After `1000..` the sequence starts again. */
  def next(value: Bits): Bits = value.dropHigh(1) ## (value.msb ^ value(value.getWidth - 2))
  def isLast(value: Bits): Bool = value === B(BigInt(1) << (value.getWidth - 1), value.getWidth bits)
}

/** Invalidates a cache's lines in the cycle of a pulse: a line is stored with its era, and is valid only while that is
  * `now`.
  *
  *  - `invalidate` begins a new era for all lines, `forget` for the lines of objects; every 63rd `forget` does for all
  *    lines.
  *  - When the eras of all lines are used up (every 15th time), and after reset, the lines are swept, one per cycle.
  *    `swept` is low meanwhile, from the cycle after the pulse on. The user must then write an invalid entry at `line`,
  *    and must treat every line as invalid.
  */
class CacheEra(lines: Int, invalidate: Bool, forget: Bool) extends Area {
  val now = Reg(Era())
  now.all init 1
  now.objects init 1
  private val count = Reg(UInt(log2Up(lines) + 1 bits)) init 0
  val swept = count.msb
  val line = count.resize(log2Up(lines))

  private val drops = invalidate || forget && Era.isLast(now.objects)
  when(!swept) { count := count + 1 }
  when(forget) { now.objects := Era.next(now.objects) }
  when(drops) {
    now.all := Era.next(now.all)
    when(Era.isLast(now.all)) { count := 0 }
  }
}
