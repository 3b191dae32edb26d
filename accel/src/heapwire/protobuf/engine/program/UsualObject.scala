package heapwire.protobuf.engine.program

import heapwire.isa.DescriptorLayout
import heapwire.protobuf.engine.microcode.Second

/** Offsets of the words behind the header of most managed messages (those whose table has `Usual`). */
object UsualObject {
  val Hasbits: Int = DescriptorLayout.UsualHasbits
  /** The second memo and the list of unknown fields. */
  val Second: Int = Hasbits + 8
}
