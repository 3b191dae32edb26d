package heapwire.memory

import spinal.core._
import spinal.core.sim._
import spinal.lib.bus.tilelink._

import scala.collection.mutable
import scala.util.Random

/** Bytes from `base` on, shared by the masters of a test. */
class SimBytes(val base: Long, val size: Int) {
  val bytes = new Array[Byte](size)
  def holds(address: Long, length: Int): Boolean = address >= base && address + length <= base + size
  def read(address: Long, length: Int): Array[Byte] =
    bytes.slice((address - base).toInt, (address - base).toInt + length)
  def write(address: Long, data: Array[Byte]): Unit = Array.copy(data, 0, bytes, (address - base).toInt, data.length)
  def byte(address: Long): Int = bytes((address - base).toInt) & 0xff
  def word(address: Long): Long = (0 until 4).map(i => byte(address + i).toLong << (8 * i)).sum
}

/** Answers one TileLink master's Gets and Puts after a random latency, out of order, with stalls; denies addresses
  * outside of memory. The simulation fails on a misaligned request, a source in use, two Puts to one block (unless
  * `scattered`), or a Put with a hole that claims to be full.
  */
class TilelinkMemory(bus: Bus, clock: ClockDomain, memory: SimBytes, random: Random,
    stall: Double = 0, latency: Range = 20 to 20, onPut: (Long, Byte) => Unit = (_, _) => (),
    scattered: Boolean = false) {
  private val wordBytes = bus.p.dataBytes
  private val withPut = bus.p.withDataA
  private case class Request(address: Long, size: Int, source: Int, put: Boolean, due: Long)
  private val pending = mutable.ArrayBuffer[Request]()
  private var cycle = 0L
  private var answer: Option[(Request, Int)] = None
  private var gathered = 0
  /** The requests taken: whether it is a Put, its address, its bytes. */
  val log = mutable.ArrayBuffer[(Boolean, Long, Int)]()
  def quiet: Boolean = pending.isEmpty && answer.isEmpty
  /** Drops what is under way, as a reset of the whole system does. */
  def reset(): Unit = {
    pending.clear()
    answer = None
    gathered = 0
    offered = None
    bus.d.valid #= false
  }

  bus.a.ready #= false
  bus.d.valid #= false
  private def luck = stall == 0 || random.nextDouble() >= stall

  /** The request that is offered and not taken, which must not change. */
  private var offered: Option[Seq[BigInt]] = None
  /** The parameter of the put whose beats come. */
  private var parameter = 0
  private def request: Seq[BigInt] = {
    val data = if (withPut) Seq(bus.a.data.toBigInt, bus.a.mask.toBigInt) else Nil
    Seq(bus.a.opcode.toBigInt, bus.a.param.toBigInt, bus.a.source.toBigInt, bus.a.address.toBigInt,
      bus.a.size.toBigInt) ++ data
  }

  clock.onSamplings {
    cycle += 1
    for (before <- offered) assert(bus.a.valid.toBoolean && request == before, "a request changes while it waits")
    offered = if (bus.a.valid.toBoolean && !bus.a.ready.toBoolean) Some(request) else None
    if (bus.d.valid.toBoolean && bus.d.ready.toBoolean) {
      val (request, sent) = answer.get
      val done = request.put || (sent + 1) * wordBytes >= (1 << request.size)
      answer = if (done) None else Some((request, sent + 1))
      bus.d.valid #= false
    }
    if (bus.a.valid.toBoolean && bus.a.ready.toBoolean) take()
    if (answer.isEmpty) {
      val due = pending.filter(_.due <= cycle)
      if (due.nonEmpty) {
        val pick = due(random.nextInt(due.size))
        pending -= pick
        answer = Some((pick, 0))
      }
    }
    if (!bus.d.valid.toBoolean || bus.d.ready.toBoolean) answer match {
      case Some((request, sent)) if luck => offer(request, sent)
      case _ => bus.d.valid #= false
    }
    bus.a.ready #= luck
  }

  private def take(): Unit = {
    val opcode = bus.a.opcode.toEnum
    val put = opcode != Opcode.A.GET
    val (address, size, source) = (bus.a.address.toLong, bus.a.size.toInt, bus.a.source.toInt)
    val bytes = 1 << size
    if (address % bytes != 0) simFailure(f"misaligned request at $address%x")
    if (gathered != 0) assert(bus.a.param.toInt == parameter, "the beats of a put differ in their parameter")
    parameter = bus.a.param.toInt
    if (gathered == 0) {
      val open = pending ++ answer.map(_._1)
      if (open.exists(_.source == source)) simFailure(s"source $source is in use")
      if (put && !scattered && open.exists(r => r.put && r.address / 64 == address / 64))
        simFailure(f"two puts to the block of $address%x")
    }
    if (put) {
      val data = bus.a.data.toBigInt
      val mask = bus.a.mask.toBigInt
      val lane = ((address + gathered) % wordBytes).toInt
      for (i <- 0 until (bytes min wordBytes)) {
        if (mask.testBit(lane + i)) {
          val value = (data >> (8 * (lane + i))).toByte
          onPut(address + gathered + i, value)
          if (memory.holds(address + gathered + i, 1)) memory.write(address + gathered + i, Array(value))
        } else if (opcode == Opcode.A.PUT_FULL_DATA) simFailure("a full put with a hole")
      }
      gathered += wordBytes
    }
    if (!put || gathered >= bytes) {
      gathered = 0
      log += ((put, address, bytes))
      pending += Request(address, size, source, put, cycle + latency.start + random.nextInt(latency.length))
    }
  }

  private def offer(request: Request, sent: Int): Unit = {
    val bytes = 1 << request.size
    val good = memory.holds(request.address, bytes)
    bus.d.valid #= true
    bus.d.opcode #= (if (request.put) Opcode.D.ACCESS_ACK else Opcode.D.ACCESS_ACK_DATA)
    bus.d.param #= 0
    bus.d.source #= request.source
    bus.d.size #= request.size
    bus.d.denied #= !good
    if (bus.p.withDataD) {
      bus.d.corrupt #= !good && !request.put
      var data = BigInt(8 * wordBytes, random)
      if (good && !request.put) {
        val lane = ((request.address + sent * wordBytes) % wordBytes).toInt
        for ((byte, i) <- memory.read(request.address + sent * wordBytes, bytes min wordBytes).zipWithIndex) {
          val shift = 8 * (lane + i)
          data = (data &~ (BigInt(0xff) << shift)) | (BigInt(byte & 0xff) << shift)
        }
      }
      bus.d.data #= data
    }
  }
}
