package heapwire.core

import heapwire.memory.Exclusive
import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.tilelink._

import scala.collection.mutable
import scala.util.Random

/** Bytes of memory by address, shared by several [[TileLinkMemory]] ports. A byte that was never written is 0. */
class Bytes {
  private val pages = mutable.HashMap[Long, Array[Byte]]()
  private def page(address: Long) = pages.getOrElseUpdate(address >> 12, new Array[Byte](4096))
  def apply(address: Long): Byte = page(address)((address & 4095).toInt)
  def update(address: Long, value: Byte): Unit = page(address)((address & 4095).toInt) = value
  def copy: Bytes = {
    val that = new Bytes
    pages.foreach { case (at, data) => that.pages(at) = data.clone }
    that
  }
  def equalTo(that: Bytes): Boolean = (pages.keySet ++ that.pages.keySet).forall(at =>
    page(at << 12).sameElements(that.page(at << 12)))
  def load(address: Long, data: Array[Byte]): Unit = data.zipWithIndex.foreach { case (byte, i) =>
    this(address + i) = byte
  }
  def word(address: Long): Long = (0 until 4).map(i => (this(address + i) & 0xffL) << (8 * i)).sum
  def setWord(
      address: Long, value: Long): Unit = (0 until 4).foreach(i => this(address + i) = (value >> (8 * i)).toByte)
}

/** A simulated TileLink-UH memory that gives no guarantee beyond those of TileLink: requests take effect in any order,
  * after a random latency, and both channels stall at random. Only the beats of an answer stay together, and nothing is
  * lost.
  *
  * Requests of `ordered` sources, for the core's data side, take effect in order, even among requests of one source.
  * The core's LR and SC behave as [[heapwire.memory.Exclusive]] says.
  */
class TileLinkMemory(bus: Bus, domain: ClockDomain, bytes: Bytes, random: Random,
    latency: Range = 4 to 30, stall: Double = 0.3, ordered: Int => Boolean = _ => false) {
  /** The block that the core has reserved, or -1. */
  var reserved = -1L
  /** Every SC fails. */
  var refusing = false
  private class Request(val put: Boolean, val source: Int, val address: Long, val size: Int, val due: Long,
      val exclusive: Boolean) {
    var refused = false
    val data = mutable.ArrayBuffer[(BigInt, BigInt)]()
  }
  private val p = bus.p
  private val waiting = mutable.ArrayBuffer[Request]()
  private var burst: Request = null
  private var answering: (Request, Array[BigInt]) = null
  private var beat = 0
  private var now = 0L
  /** Called when a Put takes effect, with its address and size in bytes. */
  var onPut: (Long, Int) => Unit = (_, _) => ()
  /** Called when a Get takes effect. */
  var onGet: (Long, Int) => Unit = (_, _) => ()
  var puts, gets = 0

  bus.a.ready #= false
  bus.d.valid #= false
  domain.onSamplings {
    now += 1
    if (bus.a.valid.toBoolean && bus.a.ready.toBoolean) accept()
    if (bus.d.valid.toBoolean && bus.d.ready.toBoolean) beat += 1
    bus.a.ready #= random.nextDouble() >= stall && waiting.size < 16
    drive()
  }

  private def beats(size: Int) = math.max(1, (1 << size) / p.dataBytes)

  private def accept(): Unit = {
    val opcode = bus.a.opcode.toEnum
    val put = opcode != Opcode.A.GET
    if (burst == null) {
      val size = bus.a.size.toInt
      val address = bus.a.address.toLong
      assert((address & ((1L << size) - 1)) == 0, f"unaligned request of 2^$size bytes at $address%x")
      val source = bus.a.source.toInt
      assert(ordered(source) || !waiting.exists(
          _.source == source) && (answering == null || answering._1.source != source), s"source $source is in use")
      burst = new Request(put, source, address, size, now + latency(random.nextInt(latency.size)),
        ordered(source) && bus.a.param.toInt == Exclusive.Param)
    }
    if (put) {
      val mask = bus.a.mask.toBigInt
      if (opcode == Opcode.A.PUT_FULL_DATA && burst.size >= log2Up(p.dataBytes))
        assert(mask == (BigInt(1) << p.dataBytes) - 1, "PUT_FULL with a partial mask")
      burst.data += bus.a.data.toBigInt -> mask
    }
    if (!put || burst.data.size == beats(burst.size)) {
      waiting += burst
      burst = null
    }
  }

  private def perform(request: Request): Array[BigInt] = {
    val word = request.address & ~(p.dataBytes - 1L)
    val block = request.address & ~63L
    if (request.put) {
      puts += 1
      request.refused = request.exclusive && (refusing || reserved != block)
      if (request.exclusive) reserved = -1
      if (request.refused) return Array(BigInt(0))
      for (((data, mask), i) <- request.data.zipWithIndex; lane <- 0 until p.dataBytes if mask.testBit(lane)) {
        val address = word + i * p.dataBytes + lane
        assert(address >= request.address && address < request.address + (1L << request.size),
          "a mask bit outside the request")
        bytes(address) = (data >> (8 * lane)).toByte
      }
      onPut(request.address, 1 << request.size)
      Array(BigInt(0))
    } else {
      if (request.exclusive) reserved = block
      gets += 1
      onGet(request.address, 1 << request.size)
      Array.tabulate(beats(request.size)) { i =>
        (0 until p.dataBytes).map(lane => BigInt(bytes(word + i * p.dataBytes + lane) & 0xff) << (8 * lane)).sum
      }
    }
  }

  private def drive(): Unit = {
    if (answering != null && beat == answering._2.length) answering = null
    if (answering == null) {
      val ready = {
        val (inOrder, others) = waiting.partition(request => ordered(request.source))
        (inOrder.take(1) ++ others).filter(_.due <= now)
      }
      if (ready.nonEmpty && random.nextDouble() >= stall) {
        val request = ready(random.nextInt(ready.size))
        waiting -= request
        answering = (request, perform(request))
        beat = 0
      }
    }
    // A stalled beat stays offered: valid must not fall before ready.
    val offered = bus.d.valid.toBoolean && !bus.d.ready.toBoolean
    bus.d.valid #= answering != null && (offered || random.nextDouble() >= stall)
    if (answering != null) {
      val (request, data) = answering
      bus.d.opcode #= (if (request.put) Opcode.D.ACCESS_ACK else Opcode.D.ACCESS_ACK_DATA)
      bus.d.source #= request.source
      bus.d.size #= request.size
      bus.d.denied #= request.refused
      if (p.withDataD) {
        bus.d.data #= data(beat)
        bus.d.corrupt #= false
      }
    }
  }

  /** Drops everything under way, as a reset of the master does. */
  def clear(): Unit = {
    waiting.clear()
    burst = null
    answering = null
    bus.d.valid #= false
  }

  def idle: Boolean = waiting.isEmpty && answering == null && burst == null
}
