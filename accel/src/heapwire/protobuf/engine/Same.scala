package heapwire.protobuf.engine

import spinal.core._

/** Whether two numbers are equal, by pairs of bits, each of which fills a LUT of four inputs. Yosys, left to itself,
  * spends one LUT on every bit: 32 in place of 22 for 26 bits.
  */
object Same {
  def apply(a: UInt, b: UInt): Bool = {
    require(widthOf(a) == widthOf(b), s"widths differ: ${widthOf(a)} and ${widthOf(b)}")
    val pairs = for (low <- 0 until widthOf(a) by 2) yield {
      val high = (low + 1) min (widthOf(a) - 1)
      val same = Bool().addAttribute("keep")
      same := a(high downto low) === b(high downto low)
      same
    }
    Vec(pairs).asBits.andR
  }
}
