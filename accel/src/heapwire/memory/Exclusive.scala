package heapwire.memory

/** The core's LR and SC on its data bus: a Get, and a Put of 32 bits, with `param` [[Param]].
  *
  * The Get reserves its block for the core. The Put is done only while the reservation holds, and else
  * answered `denied`; either way it ends the reservation, as does a unit's write to the block, in the order in which the
  * shared cache looks requests up.
  */
object Exclusive {
  val Param = 1
}
