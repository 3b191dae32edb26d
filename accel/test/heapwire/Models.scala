package heapwire

import spinal.core.Component
import spinal.core.sim._

import scala.collection.mutable

/** Compiled models of `make`'s components: each set of parameters is compiled once, however many tests of a suite use
  * it.
  */
class Models[K, C <: Component](make: K => C) {
  private val compiled = mutable.Map[K, SimCompiled[C]]()
  def apply(parameters: K): SimCompiled[C] = compiled.getOrElseUpdate(parameters, SimConfig.compile(make(parameters)))
}
