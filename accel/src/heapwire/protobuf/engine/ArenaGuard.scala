package heapwire.protobuf.engine

import heapwire.memory.Bounds
import spinal.core._

/** Where a granule lies: within which arenas, its first and last granule included, and whether it is that. */
case class ArenaPlace(arenas: Int) extends Bundle {
  val inside, first, last = Bits(arenas bits)
}

/** Which bytes may be written. In two steps with a register between them, as each has a carry chain's or a mask's delay: `place`
  * needs the address alone, `allowed` what `place` said. Byte-exact; arenas have [base, limit), of any alignment.
  */
object ArenaGuard {
  def place(address: UInt, arenas: Vec[Bounds]): ArenaPlace = {
    val place = ArenaPlace(arenas.length)
    val granule = U"0" @@ (address >> 3)
    for ((arena, i) <- arenas.zipWithIndex) {
      // One difference says both whether it is negative and whether it is none.
      val fromBase = granule - (U"0" @@ (arena.base >> 3))
      val toLimit = (U"0" @@ (arena.limit >> 3)) - granule
      place.inside(i) := !fromBase.msb && !toLimit.msb
      place.first(i) := fromBase === 0
      place.last(i) := toLimit === 0
    }
    place
  }

  def allowed(place: ArenaPlace, arenas: Vec[Bounds]): Bits = {
    val bytes = for (byte <- 0 until 8) yield arenas.zipWithIndex.map { case (arena, i) =>
      val afterBase = !place.first(i) || arena.base(2 downto 0) <= byte
      val beforeLimit = !place.last(i) || arena.limit(2 downto 0) > byte
      place.inside(i) && afterBase && beforeLimit
    }.reduce(_ || _)
    Vec(bytes).asBits
  }
}
