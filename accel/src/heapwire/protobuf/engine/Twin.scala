package heapwire.protobuf.engine

import spinal.core._

/** The same as a register that takes `next` and comes out of reset as False, in a register of its own, for who has to
  * know early: synthesis does not make one of the two, as this one comes out of reset as True. Nobody may go by it in
  * the cycle behind reset.
  */
object Twin {
  def apply(next: Bool): Bool = RegNext(next) init True
}
