package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Unknown fields of a message, one behind the other in the input, that are not
  * in its list of unknown fields yet: input offsets [`start`, `end`).
  */
case class UnknownRange() extends Bundle {
  val valid = Bool()
  val start, end = UInt(32 bits)
}
