package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A run of whole memory words: its first word and the number of words, at least one. */
case class Span(p: MemoryParameter) extends Bundle {
  val word, count = UInt(p.addressWidth - log2Up(p.wordBytes) bits)
}

/** A memory word of a span. */
case class SpanWord(p: MemoryParameter) extends Bundle {
  val data = Bits(p.dataWidth bits)
  /** The bus denied the request. */
  val error = Bool()
  /** The last word of its span. */
  val last = Bool()
}

/** Reads the words of short spans, in order, with many spans in flight. Unlike a [[Reader]], it reads from each block
  * only the smallest naturally aligned range that holds the wanted words, and starts on a span while earlier ones are
  * still due.
  *
  * Latency: 1 cycle to the bus; from the bus 1 cycle for a word that is waited for, otherwise 3. Throughput: one
  * request and one word per cycle. Words are stored until they are taken, so the bus is never blocked. `drop` (level,
  * until `idle`): nothing more is requested and words are dropped.
  *
  * @param slots requests in flight, a power of two
  */
case class SpanReader(p: MemoryParameter, slots: Int = 16) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")
  val node: NodeParameters = p.master("span_reader", slots, get = true)
  val io = new Bundle {
    val command = slave(Stream(Span(p)))
    val word = master(Stream(SpanWord(p)))
    val drop = in(Bool())
    val idle = out(Bool())
    /** A word is due and has not arrived. */
    val waiting = out(Bool())
    val bus = master(Bus(node))
  }
  private val words = p.wordsPerBlock
  private val beatWidth = log2Up(words)
  private val wordShift = log2Up(p.wordBytes)
  private val slotWidth = log2Up(slots)

  /** The part of an answer that is wanted. */
  case class Wanted() extends Bundle {
    val first, last = UInt(beatWidth bits)
    /** This part ends the span. */
    val ends = Bool()
  }

  /** Slots are used in turn. Those from `free` to `tail` have been delivered, but their answers have not arrived
    * completely.
    */
  val head, tail, free = Reg(UInt(slotWidth + 1 bits)) init 0
  val wanted = Mem(Wanted(), slots)
  val begun, complete = RegInit(B(0, slots bits))

  val split = new Area {
    val part = new SpanParts(io.command.payload, words)
    val a = Stream(ChannelA(io.bus.p))
    val allowed = head - free =/= slots && !io.drop
    a.valid := io.command.valid && allowed
    a.opcode := Opcode.A.GET
    a.param := Param.Hint.NO_ALLOCATE_ON_MISS
    a.source := head.resized
    a.debugId := 0
    val base = UInt(beatWidth bits)
    base := 0
    a.size := log2Up(p.blockBytes)
    for (k <- beatWidth - 1 to 0 by -1) when((part.first >> k) === (part.last >> k)) {
      base := ((part.first >> k) << k).resized
      a.size := k + wordShift
    }
    a.address := part.block @@ base @@ U(0, wordShift bits)
    io.command.ready := a.ready && allowed && part.ends
    val entry = Wanted()
    entry.first := part.first - base
    entry.last := part.last - base
    entry.ends := part.ends
    wanted.write(head.resized, entry, a.fire)
    when(a.fire) {
      part.next()
      head := head + 1
      begun(head.resize(slotWidth)) := False
      complete(head.resize(slotWidth)) := False
    }
    when(io.drop) { part.restart() }
    io.bus.a << a.m2sPipe()
  }

  val lastBeat = Mem(UInt(beatWidth bits), slots)
  // A word is read only after it has been written.
  val buffer = BlockRam(Mem(ReadWord(p), slots * words))
  val arrival = new Area {
    val d = io.bus.d
    d.ready := True
    val slot = d.source.resize(slotWidth)
    val beat = d.beatCounter().resize(beatWidth)
    val word = ReadWord(p)
    word.data := d.data
    word.error := d.denied || d.corrupt
    buffer.write(slot @@ beat, word, d.valid)
    lastBeat.write(slot, beat, d.valid)
    when(d.valid) {
      begun(slot) := True
      complete(slot) := d.isLast()
    }
  }
  when(free =/= tail && complete(free.resize(slotWidth))) { free := free + 1 }

  val delivery = new Area {
    val slot = tail.resize(slotWidth)
    val entry = wanted.readAsync(slot)
    val fresh = RegInit(True)
    val next = Reg(UInt(beatWidth bits))
    val beat = fresh ? entry.first | next
    val last = beat === entry.last
    val here = head =/= tail && begun(slot) && lastBeat.readAsync(slot) >= beat
    val cmd = Stream(UInt(slotWidth + beatWidth bits))
    cmd.valid := here
    cmd.payload := slot @@ beat
    val late = buffer.streamReadSync(cmd, last && entry.ends)
    val output = Stream(SpanWord(p))
    /** The arriving word is the one that is wanted. */
    val direct = arrival.d.valid && arrival.slot === slot && arrival.beat === beat && head =/= tail && !late.valid
    output.valid := late.valid || direct
    output.data := late.valid ? late.value.data | arrival.word.data
    output.error := late.valid ? late.value.error | arrival.word.error
    output.last := late.valid ? late.linked | (last && entry.ends)
    late.ready := output.ready
    when(cmd.fire || direct && output.ready) {
      fresh := last
      next := beat + 1
      when(last) { tail := tail + 1 }
    }
    val held = output.m2sPipe()
    io.word << held.throwWhen(io.drop)
  }
  io.idle := head === free && !delivery.late.valid && !delivery.held.valid
  io.waiting := head =/= tail && !delivery.held.valid
}
