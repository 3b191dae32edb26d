package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A direct-mapped, read-only cache of whole blocks, read by 16-byte words.
  *
  * A read asks in one cycle and is answered in the next (`hit`, `data`); one
  * read a cycle. A reader that misses asks again until it hits: the block is
  * fetched meanwhile, and those behind it are prefetched. `prefetch` asks for
  * further blocks in a row, best effort. Nothing at or beyond `limit` is prefetched.
  *
  *  - `invalidate` (pulse) drops everything, blocks under way included.
  *  - `fault` (level, until `invalidate` or `clear`): the bus denied a block that a reader asked for.
  *
  * @param bytes size of the data
  */
case class BlockCache(p: MemoryParameter, bytes: Int = 4096) extends Component {
  require(isPow2(bytes) && bytes >= 4 * p.blockBytes, s"bytes must be a power of two of at least four blocks, not $bytes")
  private val slots = 4
  val node: NodeParameters = p.master("block_cache", slots, get = true)

  case class Prefetch() extends Bundle {
    /** The first block. */
    val address = UInt(p.addressWidth bits)
    val blocks = UInt(3 bits)
  }

  val io = new Bundle {
    val request = slave(Flow(UInt(p.addressWidth bits)))
    val hit = out Bool()
    val data = out Bits(128 bits)
    val fault = out Bool()
    val prefetch = slave(Flow(Prefetch()))
    val limit = in UInt(p.addressWidth bits)
    val invalidate, clear = in Bool()
    val idle = out Bool()
    val bus = master(Bus(node))
  }
  private val lines = bytes / p.blockBytes
  private val blockShift = log2Up(p.blockBytes)
  private val Block = HardType(UInt(p.addressWidth - blockShift bits))
  private val beatsPerGranule = 16 / p.wordBytes
  private def indexOf(block: UInt) = block.resize(log2Up(lines))
  private def tagOf(block: UInt) = block >> log2Up(lines)

  val data = Mem(Bits(128 bits), bytes / 16)
  val tags = Mem(UInt(p.addressWidth - blockShift - log2Up(lines) bits), lines)
  val valid = RegInit(B(0, lines bits))
  private def holds(block: UInt) = valid(indexOf(block)) && tags.readAsync(indexOf(block), writeFirst) === tagOf(block)

  val lookup = new Area {
    val block = io.request.payload >> blockShift
    val asked = RegNext(io.request.valid) init False
    val askedBlock = RegNext(block)
    val present = RegNext(holds(block))
    io.data := data.readSync(io.request.payload.resize(log2Up(bytes)) >> 4)
    io.hit := asked && present
  }

  /** Fetches under way; slot 0 is for what a reader waits for. */
  val busy, stale = RegInit(B(0, slots bits))
  val fetching = Vec.fill(slots)(Reg(Block()))
  private def lineBusy(block: UInt) =
    (0 until slots).map(i => busy(i) && indexOf(fetching(i)) === indexOf(block)).orR

  val fetch = new Area {
    val wanted = Reg(Block())
    val remaining = Reg(UInt(3 bits)) init 0
    val get = Stream(ChannelA(io.bus.p))
    val slot = UInt(log2Up(slots) bits)
    val block = Block()
    val freePrefetch = ~busy(slots - 1 downto 1)
    val demand = lookup.asked && !lookup.present && !lineBusy(lookup.askedBlock) && !busy(0) && !io.fault
    val wantedPresent = holds(wanted) || lineBusy(wanted) || (wanted @@ U(0, blockShift bits)) >= io.limit

    get.valid := False
    slot := 0
    block := lookup.askedBlock
    when(demand) {
      get.valid := True
    } elsewhen (remaining =/= 0) {
      slot := (OHToUInt(OHMasking.firstV2(freePrefetch)) + 1).resized
      block := wanted
      get.valid := !wantedPresent && freePrefetch.orR
      when(wantedPresent || get.fire) {
        wanted := wanted + 1
        remaining := remaining - 1
      }
    }
    get.opcode := Opcode.A.GET
    get.param := Param.Hint.NONE
    get.source := slot
    get.address := block @@ U(0, blockShift bits)
    get.size := blockShift
    get.debugId := 0
    get.m2sPipe() >> io.bus.a
    when(get.fire) {
      busy(slot) := True
      stale(slot) := io.invalidate
      fetching(slot) := block
      valid(indexOf(block)) := False
    }
    tags.write(indexOf(block), tagOf(block), get.fire)
    when(demand && get.fire) {
      wanted := block + 1
      remaining := slots - 1
    }
    when(io.prefetch.valid) {
      wanted := io.prefetch.address >> blockShift
      remaining := io.prefetch.blocks
    }
    when(io.clear) { remaining := 0 }
  }

  val fault = RegInit(False)
  io.fault := fault
  when(io.clear || io.invalidate) { fault := False }

  val refill = new Area {
    val d = io.bus.d
    d.ready := True
    val slot = d.source.resize(log2Up(slots))
    val beat = d.beatCounter().resize(log2Up(p.wordsPerBlock))
    val last = beat === p.wordsPerBlock - 1
    val denied = d.denied || d.corrupt
    val line = indexOf(fetching(slot))
    val granule = (beat >> log2Up(beatsPerGranule)).resize(blockShift - 4)
    val mask = Cat((0 until beatsPerGranule).map { i =>
      val mine = if (beatsPerGranule == 1) True else beat.resize(log2Up(beatsPerGranule)) === i
      B(p.wordBytes bits, default -> mine)
    })
    data.write(line @@ granule, Cat(Seq.fill(beatsPerGranule)(d.data)), d.valid, mask)
    val bad = RegInit(False)
    // A reader that asked in the cycle of the last beat does not know of it yet: the line stays
    // busy for that long, or the block would be fetched again.
    when(RegNext(d.valid && last) init False) { busy(RegNext(slot)) := False }
    when(d.valid) {
      bad := denied && !last || bad && !last
      when(last) {
        when(!stale(slot) && !denied && !bad) { valid(line) := True }
        when((denied || bad) && slot === 0 && !stale(slot)) { fault := True }
      }
    }
  }
  when(io.invalidate) {
    valid.clearAll()
    stale.setAll()
    fetch.remaining := 0
  }
  io.idle := !busy.orR && fetch.remaining === 0
}
