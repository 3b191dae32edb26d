package heapwire.cereal.serialize

import spinal.core._

/** That a command writes clones for Skyway, and of which stream. Holds while it runs.
  *
  *  - `on`: it does.
  *  - `stream`: the lower half of the owner word: other streams of the same epoch are somebody else.
  *  - `begins` (level, before the first header): the next object's relative address is `base`.
  */
case class SkywayMode() extends Bundle {
  val on, begins = Bool()
  val stream = Bits(16 bits)
  val base = UInt(Image.AddressWidth bits)
}
