package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Writes a run of bytes that comes from its end, in whole blocks.
  *
  * Between two times of `idle` each [[PathWord]] lies right below the one before it,
  * and is written once; so, unlike in a [[WriteCombiner]], nothing is looked up:
  * a block is sent once its lowest word is here, or on `flush`. Takes a word a cycle
  * while one of the buffers is free, of 16 words together; up to `puts` Puts, of at least a word, are
  * in flight. `drop` forgets only a block that is not whole.
  */
case class DescendingWriter(p: MemoryParameter, puts: Int = 32) extends Component {
  require(isPow2(puts) && puts >= 2, s"puts must be a power of two of at least 2, not $puts")
  val node: NodeParameters = p.master("descending_writer", puts, put = true)
  val io = GatherPort(PathWrite(p), node)
  private val size = PathWord.bytes(p)
  private val granules = p.blockBytes / size
  /** A distributed memory has 16 words. */
  private val buffers = (16 / granules) max 2
  private val granuleWidth = log2Up(granules)
  private val blockShift = log2Up(p.blockBytes)
  private val beatsPerGranule = PathWord.beats(p)
  private val beatWidth = log2Up(p.wordsPerBlock)
  private val Block = HardType(UInt(p.addressWidth - blockShift bits))
  private val Granule = HardType(UInt(granuleWidth bits))

  val words = Mem(Bits(9 * size bits), buffers * granules)

  case class Gathered() extends Bundle {
    val block = Block()
    /** The lowest and the highest word, and whether both, and so all between them, are complete. */
    val low, high = Granule()
    val complete = Bool()
  }
  val waiting = StreamFifo(Gathered(), buffers, latency = 1)

  /** The block that is being filled, in buffer `buffer`. */
  val gather = new Area {
    val open = RegInit(False)
    val own = Reg(Gathered())
    val buffer = Reg(UInt(log2Up(buffers) bits)) init 0
    val free = Reg(UInt(log2Up(buffers + 1) bits)) init buffers
    val granule = io.write.address(blockShift - 1 downto PathWord.shift(p))
    val whole = open && own.low === 0
    val starts = !open || whole
    val close = whole || open && io.flush && !io.write.valid
    io.write.ready := io.drop || !starts || free =/= 0
    val fire = io.write.fire && !io.drop
    words.write((whole ? (buffer + 1) | buffer) @@ granule, io.write.mask ## io.write.data, fire)
    // There is room: it holds no more than there are buffers.
    waiting.io.push.valid := close && !io.drop
    waiting.io.push.payload := own
    when(waiting.io.push.valid) { buffer := buffer + 1 }
    when(close || io.drop) { open := False }
    when(fire) {
      open := True
      own.block := io.write.address >> blockShift
      own.low := granule
      own.complete := io.write.mask.andR && (own.complete || starts)
      when(starts) { own.high := granule }
    }
  }

  val send = new Area {
    val plan = waiting.io.pop
    val range = new Area {
      val first = Granule()
      val count = UInt(granuleWidth + 1 bits)
      val size = UInt(log2Up(blockShift + 1) bits)
      first := 0
      count := granules
      size := blockShift
      // From the largest range down to one word: the smallest that holds all wins.
      for (log2 <- granuleWidth - 1 to 0 by -1) {
        when((plan.low >> log2) === (plan.high >> log2)) {
          first := ((plan.low >> log2) << log2).resized
          count := 1 << log2
          size := log2 + PathWord.shift(p)
        }
      }
      val full = plan.complete && (plan.high - plan.low +^ U(1, granuleWidth bits)) === count
    }
    val buffer = Reg(UInt(log2Up(buffers) bits)) init 0
    val source = Reg(UInt(log2Up(puts) bits)) init 0
    val inFlight = RegInit(B(0, puts bits))
    val beat = Reg(UInt(beatWidth bits)) init 0
    val started = beat =/= 0
    val position = (range.first << log2Up(beatsPerGranule)).resize(beatWidth) + beat
    val granule = (position >> log2Up(beatsPerGranule)).resize(granuleWidth)
    val word = words.readAsync(buffer @@ granule)
    private def part(bits: Bits, width: Int): Bits =
      if (beatsPerGranule == 1) bits else bits.subdivideIn(width bits).read(position.resize(log2Up(beatsPerGranule)))
    val a = Stream(ChannelA(io.bus.p))
    a.valid := plan.valid && (started || !inFlight(source))
    a.opcode := range.full.mux(Opcode.A.PUT_FULL_DATA(), Opcode.A.PUT_PARTIAL_DATA())
    a.param := (io.streaming && range.full && range.size === blockShift) ?
      B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits) | B(Param.Hint.NONE, 3 bits)
    a.source := source
    a.address := plan.block @@ range.first @@ U(0, PathWord.shift(p) bits)
    a.size := range.size.resized
    // A word between the lowest and the highest is complete; beyond them there is nothing.
    val inside = granule >= plan.low && granule <= plan.high
    a.mask := part(word(8 * size, size bits), p.wordBytes).andMask(inside)
    a.data := part(word(0, 8 * size bits), p.dataWidth)
    a.corrupt := False
    a.debugId := 0
    val last = beat === (range.count << log2Up(beatsPerGranule)) - 1
    plan.ready := a.fire && last
    when(a.fire) {
      beat := last ? U(0) | (beat + 1)
      inFlight(source) := True
    }
    when(plan.fire) {
      source := source + 1
      buffer := buffer + 1
    }
    io.bus.a << a.m2sPipe()
  }
  gather.free := gather.free - (gather.fire && gather.starts).asUInt + send.plan.fire.asUInt + (gather.open && io.drop).asUInt

  val acknowledge = new Area {
    val d = io.bus.d
    d.ready := True
    when(d.valid) { send.inFlight(d.source.resize(widthOf(send.source))) := False }
    io.error := d.valid && d.denied
  }
  io.idle := !gather.open && !waiting.io.pop.valid && waiting.io.occupancy === 0 && !send.inFlight.orR && !io.write.valid
}
