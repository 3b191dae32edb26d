package heapwire.evacuate

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Reads memory from a granule (8 bytes) on, in order, by whole blocks of which four may be under way.
  *
  *  - `start` begins at a granule, and forgets what came before. `end` is the last block that is to be read; `extend`
  *    moves it on, and is not less than it was. `stop` asks for no further block.
  *  - `granule` offers what follows. It may offer what lies behind the range, up to the end of the last block.
  *  - `request`: the next block, and the slot that its answer names. `arrival`: a word of an answer; the words of an
  *    answer come in order, and together. Answers come in any order.
  *  - `idle`: no answer is to come.
  */
case class BlockStream(p: MemoryParameter) extends Component {
  import BlockStream._
  private val beatWidth = log2Up(p.wordsPerBlock)
  private val laneWidth = log2Up(p.dataWidth / 64)
  private val offsetWidth = beatWidth + laneWidth
  private val blockWidth = 29 - offsetWidth
  val io = new Bundle {
    val start = slave(Flow(UInt(29 bits)))
    val end = in UInt (blockWidth bits)
    val extend = slave(Flow(UInt(blockWidth bits)))
    val stop = in(Bool())
    val request = master(Stream(Request(blockWidth)))
    val arrival = slave(Flow(Word(p.dataWidth)))
    val granule = master(Stream(Bits(64 bits)))
    val idle = out(Bool())
  }
  val words = Mem(Bits(p.dataWidth bits), Slots * p.wordsPerBlock)
  words.addAttribute("ram_style", "distributed")
  val here = Reg(Bits(Slots * p.wordsPerBlock bits))
  val busy = RegInit(B(0, Slots bits))
  io.idle := busy === 0

  val ask = new Area {
    val slot = Reg(UInt(log2Up(Slots) bits)) init 0
    val block, last = Reg(UInt(blockWidth bits))
    val asking = RegInit(False)
    /** Blocks of this range that were requested and are not used up. */
    val ahead = Reg(UInt(log2Up(Slots) + 1 bits))
    io.request.valid := asking && !busy(slot) && !ahead.msb
    io.request.block := block
    io.request.slot := slot
    when(io.request.fire) {
      slot := slot + 1
      block := block + 1
      asking := block =/= last
      for (i <- 0 until Slots) when(slot === i) {
        here(i * p.wordsPerBlock, p.wordsPerBlock bits) := 0
        busy(i) := True
      }
    }
    when(io.extend.valid) {
      last := io.extend.payload
      asking setWhen (io.extend.payload =/= last)
    }
  }

  val arrive = new Area {
    val beat = Reg(UInt(beatWidth bits)) init 0
    val place = io.arrival.slot @@ beat
    words.write(place, io.arrival.data, io.arrival.valid)
    when(io.arrival.valid) {
      beat := beat + 1
      here(place) := True
      when(beat.andR) { busy(io.arrival.slot) := False }
    }
  }

  val take = new Area {
    val slot = Reg(UInt(log2Up(Slots) bits))
    val offset = Reg(UInt(offsetWidth bits))
    val word = slot @@ (offset >> laneWidth)
    val valid = RegInit(False)
    val data = Reg(Bits(64 bits))
    val step = ask.ahead =/= 0 && here(word) && (!valid || io.granule.ready)
    val emptied = step && offset.andR
    when(io.granule.ready) { valid := False }
    when(step) {
      valid := True
      val lanes = words.readAsync(word).subdivideIn(64 bits)
      data := (if (laneWidth == 0) lanes(0) else lanes(offset(laneWidth - 1 downto 0)))
      offset := offset + 1
      when(offset.andR) { slot := slot + 1 }
    }
    when(io.request.fire =/= emptied) {
      ask.ahead := ask.ahead + ((emptied #* log2Up(Slots)) ## True).asUInt
    }
    io.granule.valid := valid
    io.granule.payload := data
  }

  // A request that leaves in this very cycle is of the range before.
  when(io.start.valid) {
    ask.block := io.start.payload >> offsetWidth
    ask.last := io.end
    ask.asking := True
    ask.ahead := 0
    take.slot := io.request.fire ? (ask.slot + 1) | ask.slot
    take.offset := io.start.payload.resized
    take.valid := False
  }
  when(io.stop) { ask.asking := False }
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
