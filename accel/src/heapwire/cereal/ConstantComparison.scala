package heapwire.cereal

import spinal.core._
import spinal.lib._

/** Compares a number with constants of up to `bits` bits. All comparisons share one test of the upper bits, and none
  * takes a carry chain as wide as the number.
  */
case class ConstantComparison(value: UInt, bits: Int) {
  /** The number has more than `bits` bits. */
  val large: Bool = if (widthOf(value) > bits) (value >> bits) =/= 0 else False
  private val low = value.resize(bits)
  private def isOne(of: Seq[Int]): Bool = of.map(low === _).orR

  def >(constant: Int): Bool = {
    require(constant >= 0 && constant < (1 << bits), s"$constant must have $bits bits")
    large || (if (constant == (1 << bits) - 1) False else isOne(constant + 1 until 1 << bits))
  }
  def <=(constant: Int): Bool = !(this > constant)
  def ===(constant: Int): Bool = {
    require(constant >= 0 && constant < (1 << bits), s"$constant must have $bits bits")
    !large && low === constant
  }
}
