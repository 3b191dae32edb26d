package heapwire.memory

/** The core's LR and SC on its data bus: a Get and a Put of 32 bits with `param` [[Param]].
  *
  * The Get reserves its block for the core. The Put takes effect only while the reservation holds, and is answered
  * `denied` otherwise. In both cases it ends the reservation, as does a unit's write to the block. The order is that of
  * the shared cache's look-up.
  */
object Exclusive {
  val Param = 1
}
