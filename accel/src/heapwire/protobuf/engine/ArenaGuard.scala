package heapwire.protobuf.engine

import heapwire.memory.Bounds
import spinal.core._

/** Where a granule lies: within which arenas (their first and last granules included), and whether it is an arena's
  * first or last granule.
  */
case class ArenaPlace(arenas: Int) extends Bundle {
  val inside, first, last = Bits(arenas bits)
}

/** Decides which bytes may be written. It takes two steps with a register between them, because each has the delay of a
  * carry chain or of a mask: `place` needs only the address, and `allowed` needs the result of `place`. The check is
  * exact to the byte. Arenas are [base, limit), of any alignment.
  */
object ArenaGuard {
  def place(address: UInt, arenas: Vec[Bounds]): ArenaPlace = {
    val place = ArenaPlace(arenas.length)
    val granule = U"0" @@ (address >> 3)
    for ((arena, i) <- arenas.zipWithIndex) {
      // One difference tells both whether it is negative and whether it is zero.
      val fromBase = granule - (U"0" @@ (arena.base >> 3))
      val toLimit = (U"0" @@ (arena.limit >> 3)) - granule
      place.inside(i) := !fromBase.msb && !toLimit.msb
      place.first(i) := fromBase === 0
      place.last(i) := toLimit === 0
    }
    place
  }

  def allowed(place: ArenaPlace, arenas: Vec[Bounds]): Bits = {
    val bytes =
      for (byte <- 0 until 8) yield arenas.zipWithIndex.map { case (arena, i) =>
        val afterBase = !place.first(i) || arena.base(2 downto 0) <= byte
        val beforeLimit = !place.last(i) || arena.limit(2 downto 0) > byte
        place.inside(i) && afterBase && beforeLimit
      }.reduce(_ || _)
    Vec(bytes).asBits
  }
}
