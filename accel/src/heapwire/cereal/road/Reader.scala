package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A range of bytes. */
case class ByteRange(p: MemoryParameter) extends Bundle {
  val address = UInt(p.addressWidth bits)
  val length = UInt(p.addressWidth bits)
}

/** One aligned memory word of a range. */
case class RangeWord(p: MemoryParameter) extends Bundle {
  val data = Bits(p.dataWidth bits)
  /** The bytes of the range in this word: `count` bytes from byte `offset` on. */
  val offset = UInt(log2Up(p.wordBytes) bits)
  val count = UInt(log2Up(p.wordBytes) + 1 bits)
  val last = Bool()
  val error = Bool()
}

/** Reads the memory words that hold a range of bytes, in order, with up to `slots` blocks in flight. A range of length
  * 0 gives one word with count 0 and does not access memory. Whole blocks are read, and what lies outside the range is
  * dropped. A range that would wrap around the end of the address space is cut there.
  *
  * `abort` (level): no further block is requested, and words that are still due are dropped; the current command ends
  * without a last word. Hold `abort` until `idle`.
  */
case class Reader(p: MemoryParameter, slots: Int = 16, allocate: Boolean = false) extends Component {
  val queue = ReadQueue(p, slots, allocate)
  val io = new Bundle {
    val command = slave(Stream(ByteRange(p)))
    val word = master(Stream(RangeWord(p)))
    val abort = in(Bool()) default False
    val idle = out(Bool())
    val waiting = out(Bool())
    val bus = master(Bus(queue.node))
  }
  io.bus << queue.io.bus
  private val wordShift = log2Up(p.wordBytes)
  private val blockShift = log2Up(p.blockBytes)

  private val Beat = HardType(UInt(blockShift - wordShift bits))
  val active = RegInit(False)
  val asking = RegInit(False)
  val empty = Reg(Bool())
  val nextBlock, lastBlock = Reg(UInt(p.addressWidth - blockShift bits))
  /** Positions of the range's first and last word in their blocks, and of the next word in its block. */
  val firstBeat, lastBeat, beat = Reg(Beat())
  val inFirst = Reg(Bool())
  val firstOffset, lastOffset = Reg(UInt(wordShift bits))
  private def beatOf(address: UInt) = address(blockShift - 1 downto wordShift)

  io.command.ready := !active && !io.abort
  when(io.command.fire) {
    val end = (io.command.address +^ io.command.length) - 1
    val last = CombInit(end.resize(p.addressWidth))
    when(end.msb) { last.setAll() }
    active := True
    empty := io.command.length === 0
    asking := io.command.length =/= 0
    nextBlock := io.command.address >> blockShift
    lastBlock := last >> blockShift
    firstBeat := beatOf(io.command.address)
    lastBeat := beatOf(last)
    beat := 0
    inFirst := True
    firstOffset := io.command.address.resized
    lastOffset := last.resized
  }

  queue.io.request.valid := asking && !io.abort
  queue.io.request.address := nextBlock @@ U(0, blockShift bits)
  queue.io.request.block := True
  queue.io.request.mark := nextBlock === lastBlock
  when(queue.io.request.fire) {
    nextBlock := nextBlock + 1
    when(queue.io.request.mark) { asking := False }
  }

  /** The next word is in the range's last block. */
  val inLast = queue.io.word.mark
  val isFirst = inFirst && beat === firstBeat
  val isLast = inLast && beat === lastBeat
  val outside = inFirst && beat < firstBeat || inLast && lastBeat < beat
  val output = Stream(RangeWord(p))
  output.valid := active && !io.abort && (empty || queue.io.word.valid && !outside)
  output.data := queue.io.word.word.data
  output.offset := isFirst ? firstOffset | U(0)
  val end = isLast ? (lastOffset +^ 1) | U(p.wordBytes, wordShift + 1 bits)
  output.count := empty ? U(0) | (end - output.offset)
  output.last := empty || isLast
  output.error := !empty && queue.io.word.word.error
  queue.io.word.ready := io.abort || !empty && (outside || output.ready)

  when(queue.io.word.fire) {
    beat := beat + 1
    when(beat.andR) {
      inFirst := False
      when(inLast) { active := False }
    }
  }
  when(empty && output.fire) { active := False }
  when(io.abort) {
    asking := False
    when(queue.io.idle) { active := False }
  }

  io.word << output.m2sPipe(flush = io.abort)
  io.idle := !active && queue.io.idle && !io.word.valid
  io.waiting := active && queue.io.waiting
}
