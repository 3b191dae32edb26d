package heapwire.memory

import spinal.lib.bus.tilelink._

/** Joins several masters of a unit onto one bus, burst by burst in turn. The [[Fabric]] passes one beat per cycle for
  * all units' buses together, and each bus costs a place in its arbiter, and a clock crossing where units have a clock
  * of their own.
  *
  * Requests leave from a register, one cycle later. Answers are not delayed.
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
