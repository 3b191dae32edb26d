package heapwire.memory

import spinal.core._
import spinal.lib._

/** A LiteDRAM native port, used for reading only. Addresses count memory words from the start of main memory. LiteDRAM
  * has no back-pressure on data: a master that sends a command must have room for its read data, or have its write data
  * ready.
  */
case class LiteDramReadPort(addressWidth: Int, dataWidth: Int) extends Bundle with IMasterSlave {
  val cmd_valid = Bool()
  val cmd_ready = Bool()
  val cmd_addr = UInt(addressWidth bits)
  val rdata_valid = Bool()
  val rdata_ready = Bool()
  val rdata_data = Bits(dataWidth bits)

  override def asMaster(): Unit = {
    out(cmd_valid, cmd_addr, rdata_ready)
    in(cmd_ready, rdata_valid, rdata_data)
  }
}

/** A LiteDRAM native port, used for writing only: see [[LiteDramReadPort]]. */
case class LiteDramWritePort(addressWidth: Int, dataWidth: Int) extends Bundle with IMasterSlave {
  val cmd_valid = Bool()
  val cmd_ready = Bool()
  val cmd_addr = UInt(addressWidth bits)
  val wdata_valid = Bool()
  val wdata_ready = Bool()
  val wdata_data = Bits(dataWidth bits)
  val wdata_we = Bits(dataWidth / 8 bits)

  override def asMaster(): Unit = {
    out(cmd_valid, cmd_addr, wdata_valid, wdata_data, wdata_we)
    in(cmd_ready, wdata_ready)
  }
}

/** How the bridge drives LiteDRAM.
  *
  * @param memoryBase  first byte address of main memory, aligned to its size
  * @param memoryBytes its size, a power of two
  * @param stripes     ports per direction; consecutive DRAM rows alternate between them, because LiteDRAM keeps a port
  *                    on one bank while commands of that port are queued
  * @param stripeBytes bytes of a row in one bank (columns times device width)
  * @param batchBlocks blocks moved in one direction before the other direction, if it waits, gets its turn
  * @param writeBlocks blocks that each write port can hold back, a power of two
  */
case class LiteDramParameter(
    memoryBase: BigInt = 0x40000000L,
    memoryBytes: BigInt = BigInt(256) << 20,
    stripes: Int = 2,
    stripeBytes: Int = 2048,
    batchBlocks: Int = 32,
    writeBlocks: Int = 32) {
  require(isPow2(memoryBytes) && memoryBase % memoryBytes == 0,
    s"main memory must be a power of two in size and aligned to it, not 0x${memoryBytes.toString(
        16)} at 0x${memoryBase.toString(16)}")
  require(Set(1, 2, 4)(stripes), s"stripes must be 1, 2 or 4, not $stripes")
  require(isPow2(stripeBytes), s"stripeBytes must be a power of two, not $stripeBytes")
  require(batchBlocks >= 1, "batchBlocks must be positive")
  require(isPow2(writeBlocks) && writeBlocks >= 32,
    s"writeBlocks must be a power of two of at least 32, not $writeBlocks")

  /** The most blocks that a write port may have pending. The rest of `writeBlocks` is for words whose commands LiteDRAM
    * has taken and whose data it has not fetched yet.
    */
  val pendingBlocks: Int = writeBlocks * 3 / 4

  /** Width of the numbers of a port's writes. An old write's number is mistaken for a pending one's when the numbers
    * have gone round: sixteen times as many numbers as blocks keep that below 5 %.
    */
  val sequenceWidth: Int = log2Up(16 * writeBlocks)
  /** Width of a stripe's number. */
  val stripeWidth: Int = log2Up(stripes) max 1
  /** Width of a block's number within main memory. */
  def blockWidth(memory: MemoryParameter): Int = log2Up(memoryBytes / memory.blockBytes)
  /** Returns the stripe of a block. */
  def stripe(block: UInt, memory: MemoryParameter): UInt =
    if (stripes == 1) U(0, 1 bits) else block(log2Up(stripeBytes / memory.blockBytes), stripeWidth bits)
  /** Selects the element of `each` for `stripe`. */
  def ofStripe[T <: Data](each: scala.collection.Seq[T], stripe: UInt): T =
    if (stripes == 1) each.head else Vec(each).read(stripe)
  def wordAddressWidth(memory: MemoryParameter): Int = log2Up(memoryBytes / memory.wordBytes)
  def readPort(memory: MemoryParameter): LiteDramReadPort = LiteDramReadPort(wordAddressWidth(memory), memory.dataWidth)
  def writePort(memory: MemoryParameter): LiteDramWritePort =
    LiteDramWritePort(wordAddressWidth(memory), memory.dataWidth)
}
