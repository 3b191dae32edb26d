package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Combinational functions on base-128 varints. */
object Varint {
  val MaxBytes = 10
  /** The most bytes of a key or length. Longer ones are refused, as upb refuses them: what keeps unknown fields and
    * writes them again would else make messages that upb does not read.
    */
  val MaxShortBytes = 5

  /** Returns the continuation bits of a run of bytes. */
  def continuations(bytes: Bits): Bits = Cat(bytes.subdivideIn(8 bits).map(_.msb))

  /** Returns the number of bytes of a varint, from the continuation bits of the ten bytes that begin with its first
    * one. Returns 10 if none of them ends it.
    */
  def length(continuations: Bits): UInt = continued(continuations) + 1

  /** Returns the length minus one. */
  def continued(continuations: Bits): UInt = {
    require(widthOf(continuations) == MaxBytes)
    // Counts how many of the first nine bytes continue, as a sum of eights, fours, twos and ones.
    def all(from: Int, to: Int) = continuations(to - 1 downto from).andR
    val eight = all(0, 8)
    val four = all(0, 4)
    val two = four ? all(4, 6) | all(0, 2)
    val one = eight ? continuations(8) |
      (four ? (two ? continuations(6) | continuations(4)) | (two ? continuations(2) | continuations(0)))
    (eight ## (four && !eight) ## (two && !eight) ## one).asUInt
  }
}
