package heapwire.core

import spinal.core._
import spinal.lib._

/** Tags in the order in which they came, at most `depth`, a power of two. `push` only with `room`, and in no two
  * cycles that follow each other; `head` offers a tag the cycle after.
  */
class TagQueue(depth: Int, tag: UInt, push: Bool) extends Area {
  private val tags = Mem(UInt(widthOf(tag) bits), depth)
  val in, out = Reg(UInt(log2Up(depth) bits)) init 0
  val count = Reg(UInt(log2Up(depth) + 1 bits)) init 0
  /** Of a cycle ago. */
  val room = RegNext(!count.msb) init True
  val head = Stream(UInt(widthOf(tag) bits))
  head.valid := count =/= 0
  head.payload := tags.readAsync(out)
  tags.write(in, tag, push)
  when(push) { in := in + 1 }
  when(head.fire) { out := out + 1 }
  when(push =/= head.fire) { count := count + (push ? S(1) | S(-1)).resize(widthOf(count)).asUInt }
}
