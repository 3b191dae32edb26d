package heapwire.core

import spinal.core._
import spinal.lib._

/** A first-in first-out queue of up to `depth` tags; `depth` is a power of two. `push` is allowed only with `room`, and
  * not in two consecutive cycles. `head` offers a tag from the cycle after its push.
  */
class TagQueue(depth: Int, tag: UInt, push: Bool) extends Area {
  private val tags = Mem(UInt(widthOf(tag) bits), depth)
  val in, out = Reg(UInt(log2Up(depth) bits)) init 0
  val count = Reg(UInt(log2Up(depth) + 1 bits)) init 0
  /** One cycle old. */
  val room = RegNext(!count.msb) init True
  val head = Stream(UInt(widthOf(tag) bits))
  head.valid := count =/= 0
  head.payload := tags.readAsync(out)
  tags.write(in, tag, push)
  when(push) { in := in + 1 }
  when(head.fire) { out := out + 1 }
  when(push =/= head.fire) { count := count + (push ? S(1) | S(-1)).resize(widthOf(count)).asUInt }
}
