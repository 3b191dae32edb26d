package heapwire.protobuf.engine.logic

import spinal.core._

/** Returns as many ones as a number says, in the low bits. It compares groups of eight, and within eight, so that a bit
  * takes a LUT of four inputs and no carry chain.
  */
object Thermometer {
  /** `count` has at most 6 bits. Values above `width` count as `width`. */
  def apply(count: UInt, width: Int): Bits = {
    require(widthOf(count) <= 6 && width <= 32, s"too wide: $width, from ${widthOf(count)} bits")
    val number = count.resize(6)
    val within = (0 until 8).map { i =>
      val bit = Bool().addAttribute("keep")
      bit := number(2 downto 0) > i
      bit
    }
    Cat((0 until width).map(i =>
        number(5) || number(4 downto 3) > i / 8 || number(4 downto 3) === i / 8 && within(i % 8)))
  }
}
