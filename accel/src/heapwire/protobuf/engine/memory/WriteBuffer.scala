package heapwire.protobuf.engine.memory

import heapwire.memory._
import heapwire.protobuf.engine.logic.{DuplicateRegister, Same}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Gathers scattered writes into blocks, fully associatively, and sends each block as one Put: a full block as soon as
  * it is full; others when fewer than two are free, or on `flush`. A later write to a byte replaces an earlier one.
  * Nothing is checked here: a [[heapwire.memory.WriteGuard]] stands behind it.
  *
  * {{{
  *  write -> [placed] -> which block -> [found] -> what was there -> [stored] -> block RAM -> BlockSender -> A
  * }}}
  *
  * It takes a write per cycle, and stalls while a write is for a block that is not open and no block is free. A block
  * is free again when the last beat of its Put has been read from it: the number of Puts in flight depends on `puts`
  * alone.
  *
  * @param blocks that gather, a power of two from 4 to 16
  * @param puts   in flight, a power of two; see [[BlockSender]]
  */
case class WriteBuffer(p: MemoryParameter, blocks: Int = 4, puts: Int = 8) extends Component {
  require(isPow2(blocks) && blocks >= 4 && blocks <= 16, s"blocks must be 4, 8 or 16, not $blocks")
  require(isPow2(puts) && puts >= 2, s"puts must be a power of two of at least 2, not $puts")
  val node: NodeParameters = p.master("engine_writes", puts, put = true)

  val io = new Bundle {
    /** `write.ready` is a register. */
    val write = slave(Stream(GranuleWrite()))
    /** The same as `write.ready`, from a register of its own, available earlier in the cycle. */
    val ready = out Bool ()
    /** Levels. `flush`: sends all that is gathered. `drop`: drops all that is not being sent, and incoming writes. */
    val flush, drop = in(Bool())
    /** Nothing is incoming, gathered or in flight. */
    val idle = out(Bool())
    /** A Put was denied (pulse, while `idle` is still low). */
    val error = out(Bool())
    val bus = master(Bus(node))
  }
  private val blockShift = log2Up(p.blockBytes)
  private val granules = p.blockBytes / 8
  private val rowBytes = p.wordBytes max 8
  private val Block = HardType(UInt(32 - blockShift bits))
  private val OneHot = HardType(Bits(blocks bits))
  private def small[T <: Data](memory: Mem[T]): Mem[T] = memory.addAttribute("ram_style", "distributed")

  /** The write in `found` can be done in this cycle, so all stages move. */
  val go = RegInit(False)
  /** Blocks that gather; the block that will be opened next, if any. */
  val open, spare = Reg(OneHot()) init 0
  /** Blocks that are closed in this cycle, to be sent. */
  val closes = OneHot()
  val sender = BlockSender(p, blocks, puts, node)
  val data = ByteRam(rowBytes, blocks * p.blockBytes / rowBytes, laneBits = 9)

  io.write.ready := go
  val placed = new Area {
    val valid = RegNextWhen(io.write.valid, go) init False
    val write = RegNextWhen(io.write.payload, go)
    val block = write.address >> blockShift
  }

  val found = new Area {
    val valid = RegNextWhen(placed.valid && placed.write.mask.orR, go) init False
    val bytes = RegNextWhen(placed.write, go)
    val block = bytes.address >> blockShift
    val granule = bytes.address(blockShift - 1 downto 3)
    /** The open block for the write. It stays open until the write is done. Without one, `go` waits for a spare block.
      */
    val matches = Reg(OneHot()) init 0
    val hit = RegInit(False)
    val chosen = hit ? matches | spare
    val fire = go && valid && !io.drop
    val opens = fire && !hit
  }

  val find = new Area {
    val tags = Vec.fill(blocks)(Reg(Block()))
    for (i <- 0 until blocks) when(found.opens && spare(i)) { tags(i) := found.block }
    // Two consecutive writes to one block: the first write's tag cannot be compared yet.
    val repeats = found.valid && Same(placed.block, found.block)
    val matches = OneHot()
    for (i <- 0 until blocks) matches(i) := placed.valid && !closes(i) &&
      (open(i) && Same(tags(i), placed.block) || repeats && found.chosen(i))
    when(go) {
      found.matches := matches
      found.hit := matches.orR
    }
    val free = ~(open | sender.io.sending | spare.andMask(found.opens))
    val nextSpare = OHMasking.firstV2(free)
    spare := nextSpare
    private val goNext = nextSpare.orR || (go ? (!placed.valid || matches.orR) | !found.valid)
    go := goNext
    io.ready := DuplicateRegister(goNext)
  }

  /** The content of a block: its granules with written bytes, and the written bytes of each such granule. */
  val contents = new Area {
    import found.{chosen, fire, granule, hit}
    val index = OHToUInt(chosen)
    val used = small(Mem(Bits(granules bits), blocks))
    val masks = small(Mem(Bits(8 bits), blocks * granules))
    val oldUsed = used.readAsync(index).andMask(hit)
    val isUsed = oldUsed(granule)
    val oldMask = masks.readAsync(index @@ granule).andMask(isUsed)
    val mask = oldMask | found.bytes.mask
    used.write(index, oldUsed | UIntToOh(granule, granules), fire)
    masks.write(index @@ granule, mask, fire)
    val numbers = small(Mem(Block(), blocks))
    numbers.write(index, found.block, fire)
  }

  /** The write enters the memory, and may complete its block. */
  val stored = new Area {
    val valid = RegNext(found.fire) init False
    /** The block of the last write. */
    val index = RegNextWhen(contents.index, found.fire)
    val granule = RegNextWhen(found.granule, found.fire)
    val bytes = RegNextWhen(found.bytes, found.fire)
    // The first write to a granule also clears the flags of its other bytes.
    val lanes = RegNextWhen(found.bytes.mask | B(8 bits, default -> !contents.isUsed), found.fire)
    val completes = RegNextWhen(contents.mask.andR && !contents.oldMask.andR, found.fire)
    val first = RegNextWhen(!found.hit, found.fire)

    /** The number of complete granules of a block; the highest bit is set when all are. */
    val counts = small(Mem(UInt(log2Up(granules) + 1 bits), blocks))
    counts.write(index, (first ? U(0) | counts.readAsync(index)) + completes.asUInt, valid)

    val half = granule.resize(log2Up(rowBytes / 8))
    data.io.write.address := index @@ granule >> widthOf(half)
    data.io.write.data := Cat((0 until rowBytes).map(i => bytes.mask(i % 8) ## bytes.data(8 * (i % 8), 8 bits)))
    data.io.write.mask := Cat((0 until rowBytes / 8).map(i => lanes.andMask(valid && half === i)))
  }

  /** Examines the blocks in turn for one to send: it is full; or it is flushed; or fewer than two are free and it was
    * neither written last nor recently. A block with a write under way is not sent.
    */
  val scan = new Area {
    val place = Reg(UInt(log2Up(blocks) bits)) init 0
    val full = stored.counts.readAsync(place).msb
    val latest = stored.index === place
    /** Blocks that were written since they were last examined. They are likely to be written again, and are passed over
      * once more.
      */
    val recent = Reg(OneHot())
    private val wanted = !(find.free & ~spare).orR && !latest
    val here = open(place) && !found.matches(place) && !(stored.valid && latest) &&
      (full || io.flush || wanted && !recent(place))
    for (i <- 0 until blocks) when(found.fire && found.chosen(i)) { recent(i) := True } elsewhen
      (wanted && place === i) { recent(i) := False }
    sender.io.block.valid := here && !io.drop
    sender.io.block.index := place
    sender.io.block.number := contents.numbers.readAsync(place)
    sender.io.block.used := contents.used.readAsync(place)
    sender.io.block.full := full
    closes := UIntToOh(place, blocks).andMask(sender.io.block.fire)
    // It stops while nothing gathers, so that a unit whose clock sleeps behaves like one whose clock does not.
    when(open.orR && (sender.io.block.fire || !here)) { place := place + 1 }
  }

  for (i <- 0 until blocks) {
    when(closes(i)) { open(i) := False }
    when(found.opens && spare(i)) { open(i) := True }
  }
  when(io.drop) {
    placed.valid := False
    found.valid := False
    open := 0
  }

  sender.io.drop := io.drop
  data.io.read.enable := sender.io.readEnable
  data.io.read.address := sender.io.readAddress
  sender.io.row := data.io.read.data
  io.bus << sender.io.bus
  io.error := sender.io.error
  io.idle := sender.io.idle && !placed.valid && !found.valid && !open.orR
}
