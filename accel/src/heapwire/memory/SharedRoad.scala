package heapwire.memory

import spinal.lib.bus.tilelink._

/** Several masters of a unit on one bus, each in turn, a burst at a time: the [[Fabric]] lets one of all of its units' buses through in a cycle, and
  * each costs it a place in its arbiter, and a crossing where the units' clock is another one.
  *
  * Requests leave from a register, a cycle later; what comes back is not delayed.
  */
object SharedRoad {
  def apply(buses: (NodeParameters, Bus)*): (NodeParameters, Bus) = {
    val nodes = buses.map(_._1)
    val node = Arbiter.downNodeFrom(nodes)
    val arbiter = Arbiter(nodes, node)
    for ((up, (_, bus)) <- arbiter.io.ups.zip(buses)) up << bus
    val road = Bus(node)
    road.a << arbiter.io.down.a.m2sPipe()
    arbiter.io.down.d << road.d
    (node, road)
  }
}
