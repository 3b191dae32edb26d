package heapwire.protobuf.engine.memory

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A block to be sent. */
case class GatheredBlock(p: MemoryParameter, blocks: Int) extends Bundle {
  /** Index of the block in the buffer, and its number in memory. */
  val index = UInt(log2Up(blocks) bits)
  val number = UInt(32 - log2Up(p.blockBytes) bits)
  /** Granules that contain written bytes; `full`: all bytes are written. */
  val used = Bits(p.blockBytes / 8 bits)
  val full = Bool()
}

/** Reads blocks from the memory of a [[WriteBuffer]] and sends each as a Put of all its beats. The source id is the low
  * bits of the block's number, so a Put waits until an earlier Put to the same block has been acknowledged.
  *
  * {{{
  *  block -> [next] -> [current], a beat a cycle -> block RAM -> mask, half -> A
  * }}}
  *
  * `block.ready` comes from a register. One block waits in `next` while another one leaves, so bursts follow each other
  * without a pause.
  */
case class BlockSender(p: MemoryParameter, blocks: Int, puts: Int, node: NodeParameters) extends Component {
  private val rowBytes = p.wordBytes max 8
  private val lanes = 9 * rowBytes
  private val rows = p.blockBytes / rowBytes
  private val sourceWidth = log2Up(puts)

  val io = new Bundle {
    val block = slave(Stream(GatheredBlock(p, blocks)))
    /** One bit per buffer block: it was taken and is not yet read to its end. */
    val sending = out Bits (blocks bits)
    /** Drops the block that waits in `next`. */
    val drop = in(Bool())
    /** A row of the buffer's memory, one cycle after its address: for each byte 8 data bits and a bit that says whether
      * it was written. The content is valid only if the byte's granule is used.
      */
    val readEnable = out(Bool())
    val readAddress = out UInt (log2Up(blocks * rows) bits)
    val row = in Bits (lanes bits)
    /** `error`: a Put was denied (pulse, while `idle` is still low). */
    val idle, error = out(Bool())
    val bus = master(Bus(node))
  }
  private def sourceOf(block: GatheredBlock) = block.number.resize(sourceWidth)

  val busy = Reg(Bits(puts bits)) init 0
  val advance = Bool()

  val next, current = new Area {
    val valid = RegInit(False)
    val block = Reg(GatheredBlock(p, blocks))
    val sending = UIntToOh(block.index, blocks).andMask(valid)
  }
  io.sending := next.sending | current.sending

  val beat = Reg(UInt(log2Up(p.wordsPerBlock) bits)) init 0
  val ends = current.valid && advance && beat.andR
  val begins = next.valid && !busy(sourceOf(next.block)) && (!current.valid || ends) && !io.drop
  io.block.ready := !next.valid
  when(io.block.ready) {
    next.valid := io.block.valid
    next.block := io.block.payload
  }
  when(begins || io.drop) { next.valid := False }
  when(ends) { current.valid := False }
  when(begins) {
    current.valid := True
    current.block := next.block
  }
  when(current.valid && advance) { beat := beat + 1 }

  for (i <- 0 until puts) {
    val ends = io.bus.d.valid && io.bus.d.source.resize(sourceWidth) === i
    when(ends) { busy(i) := False }
    when(begins && sourceOf(next.block) === i) { busy(i) := True }
  }
  io.bus.d.ready := True
  io.error := RegNext(io.bus.d.valid && io.bus.d.denied) init False
  io.idle := !next.valid && !busy.orR && !io.error

  /** The beat that the memory returns. */
  val read = new Area {
    val valid = RegInit(False)
    val block = RegNextWhen(current.block, advance)
    val which = RegNextWhen(beat, advance)
    /** One bit per granule of the row. */
    val used = RegNextWhen(current.block.used.subdivideIn(rowBytes / 8 bits).read(
        (beat << log2Up(p.wordBytes) >> log2Up(rowBytes)).resized), advance)
    when(advance) { valid := current.valid }
  }
  io.readEnable := advance
  io.readAddress := current.block.index @@ (beat << log2Up(p.wordBytes) >> log2Up(rowBytes)).resize(log2Up(rows))

  val request = new Area {
    val a = Reg(Flow(ChannelA(io.bus.p)))
    a.valid init False
    // A register buffers the request while the bus is not ready. So `advance`, which moves this whole component, does
    // not depend on the distant entrance of the shared cache.
    private val sent = Stream(ChannelA(io.bus.p))
    sent.valid := a.valid
    sent.payload := a.payload
    io.bus.a << sent.s2mPipe()
    advance := !a.valid || sent.ready
    val bytes = if (p.wordBytes >= 8) io.row else io.row.subdivideIn(9 * p.wordBytes bits).read(read.which.resize(1))
    val used = if (p.wordBytes >= 8) Cat(read.used.asBools.map(_ #* 8)) else read.used #* p.wordBytes
    when(advance) {
      a.valid := read.valid
      a.opcode := read.block.full ? Opcode.A.PUT_FULL_DATA() | Opcode.A.PUT_PARTIAL_DATA()
      a.param := Param.Hint.NONE
      a.source := sourceOf(read.block)
      a.address := read.block.number @@ U(0, log2Up(p.blockBytes) bits)
      a.size := log2Up(p.blockBytes)
      a.data := Cat(bytes.subdivideIn(9 bits).map(_.resize(8)))
      a.mask := Cat(bytes.subdivideIn(9 bits).map(_.msb)) & used
      a.corrupt := False
      a.debugId := 0
    }
  }
}
