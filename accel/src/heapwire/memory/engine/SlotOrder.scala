package heapwire.memory.engine

import spinal.core._
import spinal.lib._

/** Hands out slots in turn, and knows up to which slot all have been answered, in whatever order the answers come.
  *
  * `next` and `landed` count slots; their extra top bit is the lap. The answer of a slot stores its lap in a small
  * memory, so nothing has to be cleared. After reset every slot is claimed and answered once; this takes 2^width
  * cycles, and then `ready` rises.
  *
  * @param width bits of a slot's number
  */
class SlotOrder(width: Int) extends Area {
  val claim = Bool()
  val answer = Flow(UInt(width bits))
  /** The slot that is claimed next, and the first slot that is not known to be answered. */
  val next, landed = Reg(UInt(width + 1 bits)) init 0
  val ready = RegInit(False)
  val idle = next === landed

  private val slot = next.resize(width)
  when(claim || !ready) { next := next + 1 }
  ready setWhen slot.andR

  val laps = Mem(Bool(), 1 << width)
  laps.addAttribute("ram_style", "distributed")
  laps.write(ready ? answer.payload | slot, ready && (answer.payload < slot) === next.msb, answer.valid || !ready)
  when(laps.readAsync(landed.resize(width)) === landed.msb) { landed := landed + 1 }
}
