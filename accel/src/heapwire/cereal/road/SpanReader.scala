package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A run of whole memory words: where it starts, and how many there are, at least one. */
case class Span(p: MemoryParameter) extends Bundle {
  val word, count = UInt(p.addressWidth - log2Up(p.wordBytes) bits)
}

/** A memory word of a span. */
case class SpanWord(p: MemoryParameter) extends Bundle {
  val data = Bits(p.dataWidth bits)
  /** The bus denied the request. */
  val error = Bool()
  /** The last one of its span. */
  val last = Bool()
}

/** Streams the words of short spans, many spans in flight, in order: unlike a [[Reader]] it looks no further than the
  * smallest naturally aligned range that holds what is wanted of a block, and starts on a span while others are due.
  *
  * Latency: 1 cycle to the bus; 1 from the bus for a word that is being waited for, else 3. Words are kept until taken,
  * so the bus is never blocked. A request a cycle, a word a cycle.
  *
  * `drop` (level, until `idle`): nothing more is asked for and words are thrown away.
  *
  * @param slots requests in flight, a power of two
  */
case class SpanReader(p: MemoryParameter, slots: Int = 16) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")
  val node: NodeParameters = p.master("span_reader", slots, get = true)
  val io = new Bundle {
    val command = slave(Stream(Span(p)))
    val word = master(Stream(SpanWord(p)))
    val drop = in Bool()
    val idle = out Bool()
    /** A word is due and none is here. */
    val waiting = out Bool()
    val bus = master(Bus(node))
  }
  private val words = p.wordsPerBlock
  private val beatWidth = log2Up(words)
  private val wordShift = log2Up(p.wordBytes)
  private val slotWidth = log2Up(slots)

  /** What is wanted of an answer. */
  case class Wanted() extends Bundle {
    val first, last = UInt(beatWidth bits)
    /** It ends the span. */
    val ends = Bool()
  }

  /** Slots are used in turn; from `free` to `tail` they have been handed out but not answered in full. */
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
  // A word is read when it has been written before.
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
    /** The word that comes in is the one that is wanted. */
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
