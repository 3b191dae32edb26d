package heapwire.protobuf.engine.memory

import heapwire.memory.{SimBytes, TilelinkMemory}
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

object GranuleCacheBench {
  val base = 0x40000000L
  /** Size of the memory. Tables are in its first half, objects in all but its first quarter. */
  val size = 1 << 14
  val (tablesLimit, objectsBase) = (base + size / 2, base + size / 4)

  case class Asked(address: Long, isObject: Boolean, cycle: Long, expected: BigInt)
}

/** A [[GranuleCache]] over a memory of random content. Each answer is compared with what memory held when it was asked
  * for. The memory lets requests wait with the probability `stall`, and answers after `latency` cycles.
  */
class GranuleCacheBench(dut: GranuleCache, random: Random, stall: Double, latency: Range) {
  import GranuleCacheBench._

  val memory = new SimBytes(base, size)
  random.nextBytes(memory.bytes)
  val clock = dut.clockDomain
  clock.forkStimulus(10)
  val port = new TilelinkMemory(dut.io.bus, clock, memory, random, stall, latency)
  for (flow <- Seq(dut.io.request, dut.io.prefetch)) flow.valid #= false
  dut.io.rises #= false
  dut.io.cancel #= false
  for (pulse <- Seq(dut.io.invalidate, dut.io.forget, dut.io.clear, dut.io.down)) pulse #= false
  var (tables, objects) = ((base, tablesLimit), (objectsBase, base + size))
  def setBounds(): Unit = {
    dut.io.tables.base #= tables._1
    dut.io.tables.limit #= tables._2
    dut.io.objects.base #= objects._1
    dut.io.objects.limit #= objects._2
  }
  setBounds()

  private var cycle = 0L
  private val asked = mutable.Queue[Asked]()
  private var inReset = false
  private var early = BigInt(0)
  private val underWay = mutable.Map[Int, Long]()
  private val beats = mutable.Map[Int, Int]()
  var (hits, requests, faults) = (0, 0, 0)
  /** Bytes from here on are not compared for tables: they change when objects are forgotten. */
  var unsure: Long = Long.MaxValue
  val last = mutable.Queue[(Asked, Boolean)]()

  private def granule(address: Long): BigInt = {
    val at = address / 16 * 16
    if (!memory.holds(at, 16)) BigInt(-1)
    else memory.read(at, 16).zipWithIndex.map { case (b, i) => BigInt(b & 0xff) << (8 * i) }.sum
  }
  def overlaps(block: Long, bounds: (Long, Long)): Boolean = block + 64 > bounds._1 && block < bounds._2
  def inside(address: Long, isObject: Boolean): Boolean =
    overlaps(address / 64 * 64, if (isObject) objects else tables)

  clock.onSamplings {
    cycle += 1
    if (!inReset) {
      if (dut.io.cancel.toBoolean) asked.dequeueAll(_.cycle == cycle - 1)
      val answered = asked.headOption.filter(_.cycle == cycle - 2)
      if (answered.nonEmpty) asked.dequeue()
      val hit = dut.io.hit.toBoolean
      if (hit) assert(dut.io.data.toBigInt == early, "what came early is not what came")
      early = dut.io.early.toBigInt
      assert(!hit || answered.nonEmpty, "a hit that nobody asked for")
      for (a <- answered) {
        if (hit) {
          hits += 1
          assert(inside(a.address, a.isObject), f"a hit outside of the bounds at ${a.address}%x")
          if (a.isObject || a.address < unsure)
            assert(dut.io.data.toBigInt == a.expected, f"at ${a.address}%x, object ${a.isObject}")
        } else if (!inside(a.address, a.isObject)) assert(dut.io.fault.toBoolean || dut.io.clear.toBoolean ||
            recentClear > 0 || !swept, "no fault outside of the bounds")
        last += ((a, hit))
      }
      if (dut.io.request.valid.toBoolean) {
        requests += 1
        val address = dut.io.request.address.toLong
        asked += Asked(address, dut.io.request.isObject.toBoolean, cycle, granule(address))
      }
      recentClear = if (dut.io.clear.toBoolean || dut.io.invalidate.toBoolean) 3 else (recentClear - 1) max 0
      swept = dut.era.swept.toBoolean && (swept || cycle > 0)
      if (dut.io.bus.a.valid.toBoolean && dut.io.bus.a.ready.toBoolean) {
        val (source, address) = (dut.io.bus.a.source.toInt, dut.io.bus.a.address.toLong)
        assert(address % 64 == 0 && dut.io.bus.a.size.toInt == 6)
        // A block may be fetched both as a table and as an object.
        val kinds = Seq(tables, objects).count(overlaps(address, _))
        assert(underWay.values.count(_ == address) < (kinds max 1), f"block $address%x is fetched twice")
        assert(overlaps(address, tables) || overlaps(address, objects), f"block $address%x is outside of all bounds")
        underWay(source) = address
        beats(source) = 0
      }
      if (dut.io.bus.d.valid.toBoolean) {
        val source = dut.io.bus.d.source.toInt
        beats(source) += 1
        if (beats(source) == dut.p.wordsPerBlock) underWay -= source
      }
      assert(underWay.isEmpty || !dut.io.idle.toBoolean, "idle with blocks under way")
      assert(!underWay.contains(0) || dut.io.waiting.toBoolean, "not waiting with a demand fetch under way")
      most = most max underWay.size
    }
  }
  var most = 0
  private var recentClear = 0
  private var swept = false

  def ask(address: Long, isObject: Boolean): Unit = {
    dut.io.request.valid #= true
    dut.io.request.address #= address
    dut.io.request.isObject #= isObject
  }
  def quiet(): Unit = dut.io.request.valid #= false
  def pulse(wire: Bool): Unit = {
    wire #= true
    clock.waitSampling()
    wire #= false
  }
  def prefetch(address: Long, isObject: Boolean, rises: Boolean = false): Unit = {
    dut.io.prefetch.valid #= true
    dut.io.rises #= rises
    dut.io.prefetch.address #= address
    dut.io.prefetch.isObject #= isObject
    clock.waitSampling()
    dut.io.prefetch.valid #= false
  }
  /** Requests a granule every cycle until there is a hit or a fault. Returns the cycles from the first request to the
    * hit, or None for a fault.
    */
  def read(address: Long, isObject: Boolean): Option[Int] = {
    ask(address, isObject)
    clock.waitSampling()
    val from = cycle
    while (true) {
      clock.waitSampling()
      if (dut.io.hit.toBoolean &&
        last.lastOption.exists { case (a, hit) => hit && a.address == address && a.cycle >= from }) {
        quiet()
        return Some((cycle - from).toInt)
      }
      if (dut.io.fault.toBoolean) { quiet(); faults += 1; return None }
      if (cycle - from > 3000) simFailure(f"no answer at $address%x")
    }
    None
  }
  def settle(): Unit = {
    quiet()
    clock.waitSamplingWhere(1000)(dut.io.idle.toBoolean)
    clock.waitSampling(3)
  }
  def reset(): Unit = {
    inReset = true
    clock.assertReset()
    quiet()
    dut.io.prefetch.valid #= false
    for (pulse <- Seq(dut.io.invalidate, dut.io.forget, dut.io.clear)) pulse #= false
    sleep(35)
    port.reset()
    asked.clear()
    underWay.clear()
    clock.deassertReset()
    clock.waitSampling()
    inReset = false
  }
  /** Changes memory's content from `from` on, and tells the cache in the same cycle. */
  def change(from: Long, wire: Bool): Unit = {
    val fresh = new Array[Byte]((base + size - from).toInt)
    random.nextBytes(fresh)
    memory.write(from, fresh)
    pulse(wire)
  }
}
