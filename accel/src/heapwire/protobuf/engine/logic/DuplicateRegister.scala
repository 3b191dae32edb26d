package heapwire.protobuf.engine.logic

import spinal.core._

/** Returns a duplicate of a register whose input is `next` and whose reset value is False, for users that need it early
  * in the cycle. Synthesis does not merge the two, because this one's reset value is True. It must not be used in the
  * cycle behind reset.
  */
object DuplicateRegister {
  def apply(next: Bool): Bool = RegNext(next) init True
}
