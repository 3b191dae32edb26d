package heapwire

import spinal.core.Component
import spinal.core.sim._

import scala.collection.mutable

/** Compiled models of `make`'s components: one for each set of parameters, however many tests of a suite ask for it. */
class Models[K, C <: Component](make: K => C) {
  private val compiled = mutable.Map[K, SimCompiled[C]]()
  def apply(parameters: K): SimCompiled[C] = compiled.getOrElseUpdate(parameters, SimConfig.compile(make(parameters)))
}
