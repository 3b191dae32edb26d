package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.tilelink._
import vexriscv.ip.{DataCacheConfig, DataCacheMemBus}

object DataBridge {
  val Slots = 4
  /** Sources 0 to Slots-1 write, source Slots reads. */
  def node(p: MemoryParameter): NodeParameters = p.master("data", sources = 2 * Slots, get = true, put = true)
}

/** The data cache's bus, between the core and main memory or the peripherals.
  *
  *  - A store is acknowledged at once and gathered in a [[StoreBuffer]]; an uncached one
  *    holds the core until it is done.
  *  - A read of main memory waits only for stores to its block.
  *  - An access outside main memory waits for every earlier store, so a device that is told
  *    of data finds it.
  *  - LR reserves the block. SC and the write half of an AMO wait for every store, succeed
  *    if the reservation holds and no unit has locked the core out (`blockExclusive`), and are
  *    answered when their write is (`exclusivePending` meanwhile): see [[heapwire.memory.CoreLock]].
  *    A unit's write to the block, or any SC, ends the reservation. A unit's plain write is not
  *    ordered with an SC to the same word: units change contended words by compare-and-swap.
  *  - `invalidate` empties both lines of a block in the data cache; `invalidated` answers in
  *    order, one block every two cycles.
  *  - `storesDrained`: no store is anywhere between the pipeline and the shared cache.
  *    `drain` hurries the gathered ones. FENCE alone orders nothing.
  *  - While the core is in reset (`coreReset`) everything goes on but for new commands.
  *
  * The command is registered both ways before anything looks at it.
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
    val reservationBreak = slave(Flow(UInt(32 bits)))
    val blockExclusive, coreReset = in Bool ()
    val exclusivePending = out Bool ()
    val drain = in Bool ()
    val storesDrained = out Bool ()
    val idle = out Bool ()
  }
  private def block(address: UInt) = address >> log2Up(p.blockBytes)

  /** Stores are answered as they enter; SC and AMO writes when they are decided. */
  val posted = io.bus.cmd.wr && !io.bus.cmd.exclusive
  val acknowledge = RegNext(io.bus.cmd.fire && posted) init False
  io.bus.sync.valid := RegNext(io.bus.cmd.fire && io.bus.cmd.wr) init False

  /** An uncached store holds the core until the peripheral has taken it: an interrupt handler
    * that lowers its line must not return while the line is still up.
    */
  val uncached = new Area {
    val here = io.bus.cmd.wr && io.bus.cmd.uncached && !io.bus.cmd.exclusive
    val entered, done = RegInit(False)
    val passed = Stream(io.bus.cmd.payload)
    passed.valid := io.bus.cmd.valid && !(here && entered)
    passed.payload := io.bus.cmd.payload
    io.bus.cmd.ready := here ? done | passed.ready
    entered setWhen (passed.fire && here) clearWhen (done || io.coreReset)
  }

  val entered = uncached.passed.s2mPipe()
  val command = entered.m2sPipe()
  val inMemory = mapping.hit(command.address)
  val isExclusive = CombInit(command.exclusive)
  val peripheralBusy = RegInit(False)
  /** The command at the head, once an access to a peripheral, posted writes too, is over. */
  val head = command.valid && !peripheralBusy

  val buffer = StoreBuffer(p, node, DataBridge.Slots)
  buffer.io.probe := command.address
  val reservation = new Area {
    val valid = RegInit(False)
    val address = Reg(UInt(32 - log2Up(p.blockBytes) bits))
    val holds = valid && address === block(command.address)
  }

  command.ready := False
  buffer.io.store.valid := False
  buffer.io.store.address := command.address
  buffer.io.store.data := command.data
  buffer.io.store.mask := command.mask

  /** A read of main memory. */
  val read = new Area {
    val request = Stream(ChannelA(node))
    request.valid := False
    request.opcode := Opcode.A.GET()
    request.param := 0
    request.source := DataBridge.Slots
    request.address := command.address
    request.size := command.size
    request.mask.setAll()
    request.data := 0
    request.corrupt := False
    when(head && inMemory && !command.wr && !buffer.io.conflict) {
      request.valid := True
      command.ready := request.ready
    }
    when(request.fire && isExclusive) {
      reservation.valid := True
      reservation.address := block(command.address)
    }
  }

  /** A plain store to main memory. */
  when(head && inMemory && command.wr && !isExclusive) {
    buffer.io.store.valid := True
    command.ready := buffer.io.store.ready
  }

  /** Anything outside main memory. */
  val peripheral = new Area {
    val line = Reg(Bool())
    val write, isExclusive = Reg(Bool())
    io.peripheral.cmd.valid := head && !inMemory && buffer.io.empty
    io.peripheral.cmd.write := command.wr
    io.peripheral.cmd.line := !command.wr && command.size === log2Up(cache.bytePerLine)
    io.peripheral.cmd.address := command.address
    io.peripheral.cmd.data := command.data
    io.peripheral.cmd.mask := command.mask
    when(io.peripheral.cmd.fire) {
      command.ready := True
      peripheralBusy := True
      line := io.peripheral.cmd.line
      write := command.wr
      isExclusive := command.exclusive
    }
    peripheralBusy clearWhen (io.peripheral.rsp.valid && io.peripheral.rsp.last)
    uncached.done := uncached.entered && !uncached.done && io.peripheral.rsp.valid && write && !isExclusive
    val words = LineAssembler(io.peripheral.rsp, line, p.dataWidth)
    val answers = words.valid && (!write || isExclusive)
  }

  /** SC and the write half of an AMO, on main memory. */
  val conditional = new Area {
    val here = head && inMemory && command.wr && isExclusive
    val decided, success = RegInit(False)
    val answer = here && decided && buffer.io.empty
    when(here && !decided && buffer.io.empty) {
      val wins = reservation.holds && !io.blockExclusive
      when(wins) { buffer.io.store.valid := True }
      reservation.valid := False
      success := wins
      decided := True
    }
    when(answer) {
      command.ready := True
      decided := False
    }
    io.exclusivePending := decided
  }
  when(io.reservationBreak.valid && block(io.reservationBreak.payload) === reservation.address) { reservation.valid := False }

  buffer.io.flush := RegNext(io.drain || command.valid && (
    !inMemory || isExclusive && command.wr || !command.wr && buffer.io.conflict)) init False

  // Reads go first: the core waits for them. A burst is never cut.
  io.memory.a << StreamArbiterFactory().lowerFirst.lambdaLock[ChannelA](_.isLast()).on(List(read.request, buffer.io.a)).m2sPipe()

  io.memory.d.ready := True
  val fromRead = io.memory.d.source === DataBridge.Slots
  buffer.io.acknowledged.valid := RegNext(io.memory.d.valid && !fromRead) init False
  buffer.io.acknowledged.payload := RegNext(io.memory.d.source.resize(log2Up(DataBridge.Slots)))

  val beats = new Area {
    val left = RegInit(U(0, 5 bits))
    val isLast = left === 1
    when(read.request.fire) {
      left := (command.size === log2Up(cache.bytePerLine)) ? U(cache.burstSize, 5 bits) | U(1, 5 bits)
    }
    when(io.memory.d.valid && fromRead) { left := left - 1 }
  }

  io.bus.rsp.valid := acknowledge || io.memory.d.valid && fromRead || peripheral.answers || conditional.answer
  io.bus.rsp.data := peripheralBusy ? peripheral.words.data | io.memory.d.data
  io.bus.rsp.error := peripheralBusy ? peripheral.words.error | (io.memory.d.valid && fromRead && io.memory.d.denied)
  io.bus.rsp.exclusive := peripheralBusy || conditional.success
  io.bus.rsp.last := acknowledge || conditional.answer || (peripheralBusy ? io.peripheral.rsp.last | beats.isLast)
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

    // A core in reset forgets what it was asked, and holds no line: answer in its stead.
    val pending = RegInit(U(0, 4 bits))
    val done = Stream(NoData())
    done.valid := io.coreReset ? (block.valid || pending =/= 0) | (io.bus.ack.valid && io.bus.ack.last)
    io.bus.ack.ready := done.ready || !io.bus.ack.last
    block.ready := io.coreReset ? (done.ready && pending === 0) | (io.bus.inv.ready && io.bus.inv.last)
    pending := pending + block.fire.asUInt - done.fire.asUInt
    io.invalidated << done.s2mPipe().m2sPipe()
  }

  val stores = io.bus.cmd.valid || entered.valid || command.valid || peripheralBusy || !buffer.io.empty
  io.storesDrained := RegNext(!stores) init False
  io.idle := RegNext(!stores && beats.left === 0 && !read.request.valid) init False
}
