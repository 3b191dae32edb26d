package heapwire.protobuf

import spinal.core._

/** The open list of a message: a repeated field that elements are appended to. */
case class ListState() extends Bundle {
  val open = Bool()
  /** Its array is the topmost of the flexible arena and grows in place; `capacity` is not in use then. */
  val onTop = Bool()
  /** It had to move once: it is given slack when it is closed for another list. */
  val moved = Bool()
  /** The field's bit index names the list. */
  val bit = UInt(9 bits)
  val kind = UInt(3 bits)
  val log2Size = UInt(2 bits)
  /** Array list and array. */
  val list, array = UInt(32 bits)
  val count, capacity = UInt(32 bits)
}

/** The list that a step, or a run of unknown fields, is appended to. */
case class ListTarget() extends Bundle {
  val bit = UInt(9 bits)
  val kind = UInt(3 bits)
  val log2Size = UInt(2 bits)
  /** Address of the field's slot. */
  val slot = UInt(32 bits)
  /** The field occurred before in this message. */
  val seen = Bool()
  /** Appends `room` one-byte elements that lie at `source`; else makes ready for one element, and `room` is 1. */
  val fromMemory = Bool()
  val source, room = UInt(32 bits)
}
