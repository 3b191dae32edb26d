package heapwire.core

import heapwire.memory.{Exclusive, MemoryParameter, ShortQueue}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.tilelink._
import vexriscv.ip.{DataCacheConfig, DataCacheMemBus}

object DataBridge {
  /** The most accesses that may wait for memory. */
  val Depth = 16
  /** Source ids. Answers come in the order of the requests, so a source only tells the kind of request. */
  val Write = 0
  val Read = 1
  val Conditional = 2
  def node(p: MemoryParameter): NodeParameters = p.master("data", sources = 4, get = true, put = true)
}

/** An access of the core to main memory, as it waits in the queue. */
case class DataAccess(wordWidth: Int) extends Bundle {
  val write, exclusive = Bool()
  /** Number of the accessed 32-bit word in main memory; of a line, the number of its first word. */
  val word = UInt(wordWidth bits)
  val data = Bits(32 bits)
  /** Byte mask of a write. Bit 0 of a read's mask says whether the read is of a line. */
  val mask = Bits(4 bits)
  def line: Bool = !write && mask.lsb
}

/** The bridge from the data cache's bus to main memory and the peripherals.
  *
  *  - Accesses to main memory go through one queue in order, and the shared cache keeps that order. A read therefore
  *    sees every earlier store without any address comparison. A store is acknowledged to the core as it enters the
  *    bridge.
  *  - An access outside main memory waits for every earlier store, so a device that is told of data in memory finds
  *    them there. An uncached store holds the core until it is done.
  *  - LR, SC and the write half of an AMO are marked ([[heapwire.memory.Exclusive]]): the shared cache decides whether
  *    they succeed.
  *  - `invalidate` invalidates both lines of a block in the data cache. `invalidated` answers in order, one block every
  *    two cycles. Neither waits for an access.
  *  - `storesDrained`: no store is anywhere between the pipeline and the shared cache. FENCE by itself orders nothing.
  *  - While the core is in reset (`coreReset`), no new commands enter; everything else continues.
  *
  * The command passes a register in both directions before any logic uses it.
  */
case class DataBridge(p: MemoryParameter, cache: DataCacheConfig, mapping: SizeMapping) extends Component {
  require(p.blockBytes >= 2 * cache.bytePerLine, "a block holds at least two lines of the data cache")
  private val node = DataBridge.node(p)
  val io = new Bundle {
    val bus = slave(DataCacheMemBus(cache))
    val memory = master(Bus(node))
    val peripheral = master(PeripheralBus())
    val invalidate = slave(Stream(UInt(32 bits)))
    val invalidated = master(Stream(NoData()))
    val coreReset = in Bool ()
    val storesDrained = out Bool ()
    val idle = out Bool ()
  }
  /** Stores are answered as they enter; SC and AMO writes are answered once the shared cache has decided. */
  val posted = io.bus.cmd.wr && !io.bus.cmd.exclusive
  val acknowledge = RegNext(io.bus.cmd.fire && posted) init False
  io.bus.sync.valid := RegNext(io.bus.cmd.fire && io.bus.cmd.wr) init False

  /** An uncached store holds the core until the peripheral has taken it: an interrupt handler that lowers an interrupt
    * line must not return while the line is still high. An uncached load holds the core only for a cycle, since the
    * core waits for its answer anyway. This way, nothing that the data cache computes in this cycle, not even `wr`,
    * affects `ready`.
    */
  val uncached = new Area {
    val here = io.bus.cmd.uncached && !io.bus.cmd.exclusive
    val entered, done = RegInit(False)
    val passed = Stream(io.bus.cmd.payload)
    passed.valid := io.bus.cmd.valid && !(here && entered)
    passed.payload := io.bus.cmd.payload
    val isLoad = RegNextWhen(!io.bus.cmd.wr, passed.fire)
    val over = entered && isLoad || done
    io.bus.cmd.ready := here ? over | passed.ready
    entered setWhen (passed.fire && here) clearWhen (over || io.coreReset)
  }

  val entered = uncached.passed.s2mPipe()
  val command = entered.m2sPipe()
  val inMemory = mapping.hit(command.address)
  val isLine = !command.wr && command.size === log2Up(cache.bytePerLine)
  val peripheralBusy = RegInit(False)
  /** The oldest command. It waits until an access to a peripheral, posted writes included, is over. */
  val head = command.haltWhen(peripheralBusy)
  val byPlace = StreamDemux(head, (!inMemory).asUInt, 2)

  val memory = new Area {
    val queue = ShortQueue(DataAccess(log2Up(mapping.size) - 2), DataBridge.Depth)
    queue.io.push << byPlace(0).translateWith {
      val access = DataAccess(log2Up(mapping.size) - 2)
      access.write := command.wr
      access.exclusive := command.exclusive
      access.word := (command.address >> 2).resized
      access.data := command.data
      access.mask := command.wr ? command.mask | isLine.asBits.resized
      access
    }
    private val lanes = p.dataWidth / 32
    io.memory.a << queue.io.pop.map { access =>
      val a = ChannelA(node)
      a.opcode := access.write ? Opcode.A.PUT_PARTIAL_DATA() | Opcode.A.GET()
      a.param := access.exclusive ? B(Exclusive.Param, widthOf(a.param) bits) | B(0)
      a.source :=
        (access.write ? (access.exclusive ? U(DataBridge.Conditional) | U(DataBridge.Write)) |
          U(DataBridge.Read)).resized
      a.address := U(mapping.base, 32 bits) | (access.word << 2).resized
      a.size := (access.line ? U(log2Up(cache.bytePerLine)) | U(2)).resized
      a.mask :=
        (if (lanes == 1) access.mask
         else (access.mask << (access.word(log2Up(lanes) - 1 downto 0) @@ U"00")).resize(p.wordBytes))
      a.data := B(List.fill(lanes)(access.data))
      a.corrupt := False
      a.debugId := 0
      a
    }
    val d = io.memory.d
    d.ready := True
    val answers = d.valid && d.source =/= DataBridge.Write
    val isRead = d.source === DataBridge.Read

    /** Number of writes that are not answered yet. Below, `left` is the number of words still to come for a read. */
    val writes = Reg(UInt(log2Up(4 * DataBridge.Depth) bits)) init 0
    val drained = writes === 0
    writes := writes + (byPlace(0).fire && command.wr).asUInt - (d.valid && !isRead).asUInt
    val left = RegInit(U(0, 5 bits))
    val isLast = left === 1
    when(byPlace(0).fire && !command.wr) { left := isLine ? U(cache.burstSize, 5 bits) | U(1, 5 bits) }
    when(d.valid && isRead) { left := left - 1 }
  }

  /** Accesses outside main memory. */
  val peripheral = new Area {
    val write, isExclusive, isUncached = Reg(Bool())
    io.peripheral.cmd.arbitrationFrom(byPlace(1).continueWhen(memory.drained))
    io.peripheral.cmd.write := command.wr
    io.peripheral.cmd.line := isLine
    io.peripheral.cmd.address := command.address
    io.peripheral.cmd.data := command.data
    io.peripheral.cmd.mask := command.mask
    when(io.peripheral.cmd.fire) {
      peripheralBusy := True
      write := command.wr
      isExclusive := command.exclusive
      isUncached := command.uncached
    }
    val response = io.peripheral.rsp
    peripheralBusy clearWhen (response.valid && response.last)
    uncached.done := uncached.entered && !uncached.done && response.valid && write && isUncached && !isExclusive
    val answers = response.valid && (!write || isExclusive)
  }

  io.bus.rsp.valid := acknowledge || memory.answers || peripheral.answers
  io.bus.rsp.data := io.memory.d.data
  io.bus.rsp.error := peripheral.answers && peripheral.response.error
  io.bus.rsp.exclusive := peripheralBusy || !io.memory.d.denied
  io.bus.rsp.last := acknowledge || (peripheralBusy ? peripheral.response.last | (memory.isLast || !memory.isRead))
  io.bus.rsp.aggregated := 0
  io.bus.sync.aggregated := 0

  val invalidation = new Area {
    val block = io.invalidate.s2mPipe()
    val line = RegInit(U(0, log2Up(p.blockBytes / cache.bytePerLine) bits))
    io.bus.inv.valid := block.valid && !io.coreReset
    io.bus.inv.enable := True
    io.bus.inv.address := ((block.payload >> log2Up(p.blockBytes)) @@ line) << log2Up(cache.bytePerLine)
    io.bus.inv.last := line === line.maxValue
    when(io.bus.inv.fire) { line := line + 1 }
    when(io.coreReset) { line := 0 }

    // A core in reset has dropped the requested invalidations and holds no valid line, so the bridge answers for it.
    val pending = RegInit(U(0, 4 bits))
    val done = Stream(NoData())
    done.valid := io.coreReset ? (block.valid || pending =/= 0) | (io.bus.ack.valid && io.bus.ack.last)
    io.bus.ack.ready := done.ready || !io.bus.ack.last
    block.ready := io.coreReset ? (done.ready && pending === 0) | (io.bus.inv.ready && io.bus.inv.last)
    pending := pending + block.fire.asUInt - done.fire.asUInt
    io.invalidated << done.s2mPipe().m2sPipe()
  }

  val stores = io.bus.cmd.valid || entered.valid || command.valid || peripheralBusy || !memory.drained
  io.storesDrained := RegNext(!stores) init False
  io.idle := RegNext(!stores && memory.left === 0) init False
}
