package heapwire.cereal.serialize

import spinal.core._

/** Says whether a command writes clones for Skyway, and for which stream. Stable while the command runs.
  *
  *  - `on`: the command does.
  *  - `stream`: the lower half of the stream's owner word. Other streams of the same epoch count as other
  *    serializations.
  *  - `begins` (level, before the first header): the next object's relative address is `base`.
  */
case class SkywayMode() extends Bundle {
  val on, begins = Bool()
  val stream = Bits(16 bits)
  val base = UInt(Image.AddressWidth bits)
}
