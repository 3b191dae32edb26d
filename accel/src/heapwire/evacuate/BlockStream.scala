package heapwire.evacuate

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Reads memory from a granule (8 bytes) on, in order, by whole blocks of which four may be under way.
  *
  *  - `start` begins at a granule, and forgets what came before. It asks for one block, or for `two`.
  *  - `extend` asks for all blocks up to that granule, which no longer belongs to them. `another` asks for one more.
  *  - `stop` asks for no further block.
  *  - `granule` offers what follows. It may offer what lies behind the range, up to the end of the last block.
  *  - `request`: the next block, and the slot that its answer names. `arrival`: a word of an answer; the words of an
  *    answer come in order, and together. Answers come in any order.
  *  - `steady`: the next block is that of the cycle before.
  *  - `ahead`: the blocks that were requested and are not used up. `idle`: no answer is to come.
  */
case class BlockStream(p: MemoryParameter) extends Component {
  import BlockStream._
  private val beatWidth = log2Up(p.wordsPerBlock)
  private val laneWidth = log2Up(p.dataWidth / 64)
  private val offsetWidth = beatWidth + laneWidth
  private val blockWidth = 29 - offsetWidth
  val io = new Bundle {
    val start = slave(Flow(UInt(29 bits)))
    val two = in(Bool())
    val extend = slave(Flow(UInt(29 bits)))
    val another = in(Bool())
    val stop = in(Bool())
    val steady = out(Bool())
    val request = master(Stream(Request(blockWidth)))
    val arrival = slave(Flow(Word(p.dataWidth)))
    val granule = master(Stream(Bits(64 bits)))
    val ahead = out(UInt(log2Up(Slots) + 1 bits))
    val idle = out(Bool())
  }
  val words = Mem(Bits(p.dataWidth bits), Slots * p.wordsPerBlock)
  words.addAttribute("ram_style", "distributed")
  val busy = RegInit(B(0, Slots bits))
  val ahead = Reg(UInt(log2Up(Slots) + 1 bits))
  io.ahead := ahead
  io.idle := busy === 0

  val ask = new Area {
    val slot = Reg(UInt(log2Up(Slots) bits)) init 0
    val block = Reg(UInt(blockWidth bits))
    val end = Reg(UInt(29 bits)) init 0
    val first, second = RegInit(False)
    private val more = RegNext((block @@ U(0, offsetWidth bits)) < end) init False
    private val steady = RegNext(!io.request.fire && !io.start.valid && !io.extend.valid) init False
    io.steady := steady
    private val wanted = first || more && steady
    io.request.valid := wanted && !busy(slot) && !ahead.msb && !io.stop
    io.request.block := block
    io.request.slot := slot
    when(io.request.fire) {
      slot := slot + 1
      block := block + 1
      first := second
      second := False
      busy(slot) := True
    }
    when(io.another) { first := True }
    when(io.extend.valid) { end := io.extend.payload }
    when(io.start.valid) {
      block := io.start.payload >> offsetWidth
      first := True
      second := io.two
    }
    when(io.stop) { first := False }
    when(io.start.valid || io.stop) { end := 0 }
  }

  /** The words of a block that have come, while it is not whole, and its slot. */
  val arrive = new Area {
    val beat = Reg(UInt(beatWidth bits)) init 0
    val slot = RegNextWhen(io.arrival.slot, io.arrival.valid)
    words.write(io.arrival.slot @@ beat, io.arrival.data, io.arrival.valid)
    when(io.arrival.valid) {
      beat := beat + 1
      when(beat.andR) { busy(io.arrival.slot) := False }
    }
  }

  val take = new Area {
    val slot = Reg(UInt(log2Up(Slots) bits))
    val offset = Reg(UInt(offsetWidth bits))
    val word = offset >> laneWidth
    val valid = RegInit(False)
    val data = Reg(Bits(64 bits))
    val here = !busy(slot) || arrive.slot === slot && arrive.beat > word
    val step = ahead =/= 0 && here && (!valid || io.granule.ready)
    val emptied = step && offset.andR
    when(io.granule.ready) { valid := False }
    when(step) {
      valid := True
      val lanes = words.readAsync(slot @@ word).subdivideIn(64 bits)
      data := (if (laneWidth == 0) lanes(0) else lanes(offset(laneWidth - 1 downto 0)))
      offset := offset + 1
      when(offset.andR) { slot := slot + 1 }
    }
    when(io.request.fire =/= emptied) { ahead := ahead + ((emptied #* log2Up(Slots)) ## True).asUInt }
    io.granule.valid := valid
    io.granule.payload := data
  }

  // A request that leaves in this very cycle is of the range before.
  when(io.start.valid) {
    ahead := 0
    take.slot := io.request.fire ? (ask.slot + 1) | ask.slot
    take.offset := io.start.payload.resized
    take.valid := False
  }
}

object BlockStream {
  val Slots = 4
  case class Request(blockWidth: Int) extends Bundle {
    val block = UInt(blockWidth bits)
    val slot = UInt(log2Up(Slots) bits)
  }
  case class Word(width: Int) extends Bundle {
    val slot = UInt(log2Up(Slots) bits)
    val data = Bits(width bits)
  }
}
