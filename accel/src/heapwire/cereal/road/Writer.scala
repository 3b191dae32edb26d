package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Writes a range of bytes from words at its alignment, with up to `slots` blocks in flight.
  *
  * A burst starts only when all of its words are here, so that a slow source never occupies the bus. Whole blocks are
  * sent as PutFull, the ends of a range as PutPartial of the block. `done` fires once per command, after the last
  * acknowledgement. A command of length 0 takes no word and is done at once. After an error in the data, or from the
  * bus, no further blocks are written: their words are still taken, and `done` reports the error.
  */
case class Writer(p: MemoryParameter, slots: Int = 16) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")
  val node: NodeParameters = p.master("writer", slots, put = true)

  case class Done() extends Bundle {
    /** A word came with an error, from the source's bus. */
    val sourceError = Bool()
    /** A Put was denied. */
    val denied = Bool()
  }
  val io = new Bundle {
    val command = slave(Stream(ByteRange(p)))
    val word = slave(Stream(ReadWord(p)))
    val done = master(Flow(Done()))
    val waiting = out(Bool())
    val bus = master(Bus(node))
  }
  private val wordShift = log2Up(p.wordBytes)
  private val words = p.wordsPerBlock

  val active = RegInit(False)
  val left = Reg(UInt(p.addressWidth - wordShift + 1 bits)) // words still to come
  val word = Reg(UInt(p.addressWidth - wordShift bits))
  val firstMask, lastMask = Reg(Bits(p.wordBytes bits))
  val isFirst = Reg(Bool())
  val failed, denied = Reg(Bool())

  io.command.ready := !active
  when(io.command.fire) {
    val offset = io.command.address.resize(wordShift)
    val end = offset +^ io.command.length
    active := True
    left := ((end + (p.wordBytes - 1)) >> wordShift).resized
    when(io.command.length === 0) { left := 0 }
    word := io.command.address >> wordShift
    firstMask := B(p.wordBytes bits, default -> true) |<< offset
    lastMask := B(p.wordBytes bits, default -> true) |>> (U(0, wordShift bits) - end.resize(wordShift))
    isFirst := True
    failed := False
    denied := False
  }

  /** A word with its mask, and whether it is the last of its block or range. */
  case class MaskedWord() extends Bundle {
    val address = UInt(p.addressWidth - wordShift bits)
    val data = Bits(p.dataWidth bits)
    val mask = Bits(p.wordBytes bits)
    val full = Bool() // the range covers this word's block completely up to this word
    val last = Bool()
  }
  val taken = io.word.haltWhen(!active || left === 0)
  val blockEnd = word(log2Up(words) - 1 downto 0).andR
  val blockStart = word(log2Up(words) - 1 downto 0) === 0
  val mask = firstMask.orMask(!isFirst) & lastMask.orMask(left =/= 1)
  val covered = Reg(Bool())
  val coversSoFar = (blockStart || covered) && mask.andR
  val masked = taken.translateWith {
    val m = MaskedWord()
    m.address := word
    m.data := io.word.data
    m.mask := mask
    m.full := coversSoFar
    m.last := blockEnd || left === 1
    m
  }
  when(taken.fire) {
    word := word + 1
    left := left - 1
    isFirst := False
    covered := coversSoFar
    failed setWhen io.word.error
  }

  /** Blocks are collected here. A block leaves once it is complete. */
  val fifo = StreamFifo(MaskedWord(), 4 * words, latency = 2)
  fifo.io.push << masked
  case class Block() extends Bundle { val full = Bool(); val bad = Bool() }
  val blocks = StreamFifo(Block(), 4 * words, latency = 1)
  blocks.io.push.valid := masked.fire && masked.last
  blocks.io.push.full := coversSoFar && blockEnd
  blocks.io.push.bad := failed || io.word.error

  val busy = RegInit(B(0, slots bits))
  val source = new Area {
    val free = OHMasking.first(~busy)
    val id = OHToUInt(free)
    val available = !busy.andR
  }
  /** The burst: the block's words at their positions, and other words with an empty mask. */
  val burst = new Area {
    val beat = Reg(UInt(log2Up(words) bits)) init 0
    val sourceId = Reg(UInt(log2Up(slots) bits))
    val start = beat === 0
    val go = blocks.io.pop.valid && (!start || source.available)
    val here = fifo.io.pop.valid && fifo.io.pop.address(log2Up(words) - 1 downto 0) === beat && !done
    lazy val done = RegInit(False)
    val a = Stream(ChannelA(io.bus.p))
    val lastBeat = beat === words - 1
    // A bad block is dropped instead of being written.
    val swallow = blocks.io.pop.bad || denied
    val swallowing = RegInit(False)
    val drop = start ? swallow | swallowing
    val step = a.fire || go && drop && (fifo.io.pop.valid || done)
    a.valid := go && !drop && (fifo.io.pop.valid || done)
    a.opcode := blocks.io.pop.full ? Opcode.A.PUT_FULL_DATA() | Opcode.A.PUT_PARTIAL_DATA()
    a.param := Param.Hint.NO_ALLOCATE_ON_MISS
    a.source := start ? source.id | sourceId
    a.address := blockAddress @@ U(0, log2Up(p.blockBytes) bits)
    a.size := log2Up(p.blockBytes)
    a.data := fifo.io.pop.data
    a.mask := here ? fifo.io.pop.mask | B(0, p.wordBytes bits)
    a.corrupt := False
    a.debugId := 0
    lazy val held = Reg(UInt(p.addressWidth - log2Up(p.blockBytes) bits))
    lazy val blockAddress = start ? (fifo.io.pop.address >> log2Up(words)) | held
    fifo.io.pop.ready := step && here
    blocks.io.pop.ready := step && lastBeat
    when(step) {
      beat := beat + 1
      when(start) {
        sourceId := source.id
        held := blockAddress
        swallowing := swallow
      }
      when(here && fifo.io.pop.last) { done := True }
      when(lastBeat) { done := False }
    }
    when(a.fire && start) { busy(source.id) := True }
    a.pipelined(m2s = true, s2m = true) >> io.bus.a
  }

  io.bus.d.ready := True
  when(io.bus.d.valid) {
    busy(io.bus.d.source) := False
    denied setWhen io.bus.d.denied
  }

  val finished = active && left === 0 && !blocks.io.pop.valid && !fifo.io.pop.valid && blocks.io.occupancy === 0 &&
    !busy.orR
  val settled = RegNext(finished && !io.command.fire) init False
  io.done.valid := settled && finished
  io.done.sourceError := failed
  io.done.denied := denied
  when(io.done.valid) { active := False }
  io.waiting := active && busy.andR
}
