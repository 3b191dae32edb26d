package heapwire.memory

import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

/** LiteDRAM as seen at its native ports: commands are accepted in random cycles; every port keeps its own order;
  * commands of different ports to one address keep the order of their acceptance; data come or are fetched some cycles
  * later, without back-pressure.
  *
  * @param stall the share of the cycles in which a command is not accepted; with 1, none is
  */
class LiteDramModel(
    clock: ClockDomain, reads: Seq[LiteDramReadPort], writes: Seq[LiteDramWritePort], dram: LiteDramParameter,
    memory: MemoryParameter, readLatency: Int = 8, var stall: Double = 0.3, random: Random = new Random(1)) {

  // Byte addresses are those of the cluster. The initial content of memory is random.
  private val pages = mutable.HashMap[Long, Array[Byte]]()
  private val pageBytes = 4096
  private def page(address: Long) = pages.getOrElseUpdate(address / pageBytes, {
      val fresh = new Array[Byte](pageBytes)
      random.nextBytes(fresh)
      fresh
    })
  private val base = dram.memoryBase.toLong
  private val width = memory.wordBytes
  var written = 0L
  var read = 0L

  def peek(address: Long): Byte = page(address)((address % pageBytes).toInt)
  def poke(address: Long, value: Byte): Unit = page(address)((address % pageBytes).toInt) = value
  def load(address: Long, data: Array[Byte]): Unit = for (i <- data.indices) poke(address + i, data(i))
  def dump(address: Long, length: Int): Array[Byte] = Array.tabulate(length)(i => peek(address + i))

  private val forgets = mutable.ArrayBuffer[() => Unit]()
  /** Drops what is under way, as a reset of the whole system does. */
  def reset(): Unit = forgets.foreach(_())

  private case class Due(cycle: Long, action: () => Unit)
  private var cycle = 0L
  private def word(address: Long) = base + address * width

  for (port <- reads) {
    // The cycle at which the read is due, its address, and its data, which are sampled once the writes before it are
    // done.
    case class Read(cycle: Long, address: Long, var data: Array[Byte] = null)
    val due = mutable.Queue[Read]()
    forgets += { () => due.clear(); port.rdata_valid #= false }
    port.cmd_ready #= false
    port.rdata_valid #= false
    clock.onSamplings {
      for (earlier <- due if earlier.data == null && cycle >= earlier.cycle - (readLatency max 6) + 5)
        earlier.data = dump(earlier.address, width)
      if (port.cmd_valid.toBoolean && port.cmd_ready.toBoolean) {
        due.enqueue(Read(cycle + (readLatency max 6), word(port.cmd_addr.toLong)))
        read += 1
      }
      port.cmd_ready #= random.nextDouble() >= stall
      if (due.nonEmpty && due.head.cycle <= cycle) {
        assert(port.rdata_ready.toBoolean, "LiteDRAM's read data found no room")
        port.rdata_valid #= true
        port.rdata_data #= due.dequeue().data
      } else {
        port.rdata_valid #= false
        port.rdata_data.randomize()
      }
    }
  }

  // A write takes its place in the order when it is accepted, as in LiteDRAM's bank queues. The port fetches its data
  // later, and they must be there by then.
  for (port <- writes) {
    val due = mutable.Queue[(Long, Long)]()
    forgets += { () => due.clear(); port.wdata_ready #= false }
    port.cmd_ready #= false
    port.wdata_ready #= false
    clock.onSamplings {
      if (port.wdata_ready.toBoolean) {
        assert(port.wdata_valid.toBoolean, "LiteDRAM wanted write data that is not there")
        val (_, address) = due.dequeue()
        val data = port.wdata_data.toBytes
        val mask = port.wdata_we.toBigInt
        for (i <- 0 until width if mask.testBit(i)) poke(address + i, data(i))
        written += 1
      }
      if (port.cmd_valid.toBoolean && port.cmd_ready.toBoolean) due.enqueue((cycle + 4, word(port.cmd_addr.toLong)))
      port.cmd_ready #= random.nextDouble() >= stall
      port.wdata_ready #= due.nonEmpty && due.head._1 <= cycle
    }
  }
  clock.onSamplings { cycle += 1 }
}
