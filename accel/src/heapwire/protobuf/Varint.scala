package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Combinational pieces that understand base-128 varints. */
object Varint {
  val MaxBytes = 10

  /** The continuation bits of a run of bytes. */
  def continuations(bytes: Bits): Bits = Cat(bytes.subdivideIn(8 bits).map(_.msb))

  /** Bytes of a varint, given the continuation bits of ten bytes from its first one on; 10 if none of them ends it. */
  def length(continuations: Bits): UInt = continued(continuations) + 1

  /** One less than that. */
  def continued(continuations: Bits): UInt = {
    require(widthOf(continuations) == MaxBytes)
    // How many of the first nine bytes go on: by eights, fours, twos, ones.
    def all(from: Int, to: Int) = continuations(to - 1 downto from).andR
    val eight = all(0, 8)
    val four = all(0, 4)
    val two = four ? all(4, 6) | all(0, 2)
    val one = eight ? continuations(8) | (four ? (two ? continuations(6) | continuations(4)) | (two ? continuations(2) | continuations(0)))
    (eight ## (four && !eight) ## (two && !eight) ## one).asUInt
  }
}
