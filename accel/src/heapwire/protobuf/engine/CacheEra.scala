package heapwire.protobuf.engine

import spinal.core._

/** When a block came into the cache. Both are shift registers with feedback, which go through 15 and 63 values. */
case class Era() extends Bundle {
  /** Moves with what drops everything. */
  val all = Bits(4 bits)
  /** Moves with what drops objects. */
  val objects = Bits(6 bits)
}

object Era {
  /** The value after this one; the one after `1000..` is the first one. */
  def next(value: Bits): Bits = value.dropHigh(1) ## (value.msb ^ value(value.getWidth - 2))
  def isLast(value: Bits): Bool = value === B(BigInt(1) << (value.getWidth - 1), value.getWidth bits)
}

/** Drops a cache's lines in the cycle of a pulse: a line is written with the era of its time, and is good only while that is `now`.
  *
  *  - `invalidate` begins a new era for all lines, `forget` for those of objects; each 63rd `forget` for all.
  *  - When the eras of all lines are used up (each 15th time), and after reset, the lines are swept, one a cycle: `swept` is low
  *    meanwhile, from the cycle after the pulse on. Who owns the lines writes an invalid one at `line` then, and believes none.
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
