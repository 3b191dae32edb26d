package heapwire.cereal.serialize

import heapwire.cereal.road.PathWord
import heapwire.isa.ObjectLayout
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** An object that this command claims: its address, and its offset in the image. */
case class Claim() extends Bundle {
  val address = UInt(32 bits)
  val relative = UInt(Image.AddressWidth bits)
  val isArray = Bool()
}

/** Writes the metadata of claimed objects, and remembers the claims until all reads can see them: a read of the same
  * object may have been under way when the metadata were written. So a claim leaves once its Puts are acknowledged and
  * all reads that were under way at that time are judged. The look-up is associative. This is the read-modify-write
  * buffer of the paper's memory access interface (ISCA 2020, section V.A). Two Puts to one block may be in flight: they
  * are for different objects, so their order does not matter.
  *
  *  - `allowed`: another read may be requested. Each read under way has a place reserved here, because no claim could
  *    leave while a read waits for a place.
  *  - `claim`: is always taken.
  *  - `look`: `hit` and `relative` answer in the next cycle, for claims made before this cycle.
  *  - `issued`, `resolved` (pulses): a header's read is requested, and has been judged.
  *  - `settled`, `progress`, `others`: those of the [[ClaimPort]], if units share it. An acknowledged claim is then
  *    reported to the other units, which drop what they have read of its block. The claim stays until all reads are
  *    judged that any unit had requested by then.
  *  - `asked`, `held`: an address for another unit, and whether it is in this table.
  *  - `clear` (level, until `idle`): from its second cycle on no read is judged. Claims are still written; then
  *    everything is dropped.
  *  - `lasting`, if units share it: the marks remain valid after the command, so `idle` waits until no other unit can
  *    take one of its objects for free.
  */
case class ClaimTable(p: SerializationUnitParameter, m: MemoryParameter) extends Component {
  private val size = p.recentClaims
  private val indexWidth = log2Up(size)
  val node: NodeParameters = m.master("claim_table", 2 * size, put = true)
  val io = new Bundle {
    /** The owner word of this command's objects. */
    val owner = in Bits (32 bits)
    val claim = slave(Stream(Claim()))
    val look = in UInt (32 bits)
    val hit = out(Bool())
    val relative = out UInt (Image.AddressWidth bits)
    val issued, resolved = in(Bool())
    val allowed = out(Bool())
    val asked = in UInt (32 bits)
    val held = out(Bool())
    val settled = p.shared generate master(Stream(UInt(32 bits)))
    val progress = out(ReadProgress())
    val others = p.shared generate in(Vec.fill(p.claimants - 1)(ReadProgress()))
    val clear = in(Bool())
    val lasting = p.shared generate in(Bool())
    val idle = out(Bool())
    val error = out(Bool())
    val bus = master(Bus(node))
  }
  private val shift = PathWord.shift(m)
  private val lanes = PathWord.bytes(m) / 4
  private def ownerOf(claim: Claim) = claim.address +
    (claim.isArray ? U(ObjectLayout.Metadata.Array) | U(ObjectLayout.Metadata.Instance))

  /** Pointers into the table. From `free` to `head`: claims that are remembered. Up to `settled` they are acknowledged
    * (and, if units share it, reported to the others); up to `sent` they are on their way to memory.
    */
  val head, sent, settled, free = Reg(UInt(indexWidth + 1 bits)) init 0
  val claims = Mem(Claim(), size)
  val tags = Vec.fill(size)(Reg(UInt(29 bits)))
  val valid = RegInit(B(0, size bits))
  val due = Vec.fill(2)(RegInit(B(0, size bits)))

  private def index(pointer: UInt) = pointer.resize(indexWidth)
  io.claim.ready := True
  /** Returns whether the two metadata words are in two path words. */
  private def splits(claim: Claim) = ownerOf(claim)(shift - 1 downto 2).andR
  claims.write(index(head), io.claim.payload, io.claim.fire)
  when(io.claim.fire) {
    head := head + 1
    tags(index(head)) := io.claim.address(31 downto 3)
    valid(index(head)) := True
    due(0)(index(head)) := True
    due(1)(index(head)) := splits(io.claim.payload)
  }

  private def find(address: UInt) = Cat((0 until size).map(i => valid(i) && tags(i) === address(31 downto 3)))
  val matches = find(io.look)
  io.hit := RegNext(matches.orR) init False
  io.relative := RegNext(claims.readAsync(OHToUInt(matches)).relative)

  val send = new Area {
    val claim = claims.readAsync(index(sent))
    val second = RegInit(False)
    val beat = Reg(UInt(log2Up(PathWord.beats(m)) max 1 bits)) init 0
    val owner = ownerOf(claim)
    val split = splits(claim)
    val a = Stream(ChannelA(io.bus.p))
    val word = (owner >> shift) + second.asUInt
    val data = Vec.fill(lanes)(Bits(32 bits))
    val mask = Bits(lanes bits)
    private val lane = owner(shift - 1 downto 2)
    for (i <- 0 until lanes) {
      val isOwner = lane === i && !second
      val isRelative = if (i == 0) second else lane === i - 1
      data(i) := isOwner ? io.owner | claim.relative.asBits.resize(32)
      mask(i) := isOwner || isRelative
    }
    a.valid := sent =/= head
    a.opcode := Opcode.A.PUT_PARTIAL_DATA
    a.param := Param.Hint.NONE
    a.source := (second.asUInt @@ index(sent)).resized
    a.address := word @@ U(0, shift bits)
    a.size := shift
    private def part(bits: Bits, width: Int): Bits =
      if (PathWord.beats(m) == 1) bits else bits.subdivideIn(width bits).read(beat)
    a.data := part(data.asBits, m.dataWidth)
    a.mask := part(Cat(mask.asBools.map(on => B(4 bits, default -> on))), m.wordBytes)
    a.corrupt := False
    a.debugId := 0
    when(a.fire) {
      beat := beat + 1
      when((if (PathWord.beats(m) == 1) True else beat.andR)) {
        beat := 0
        second := split && !second
        when(!split || second) { sent := sent + 1 }
      }
    }
    io.bus.a << a.m2sPipe()
  }
  val d = io.bus.d
  d.ready := True
  for (half <- 0 until 2)
    when(d.valid && d.source(indexWidth) === Bool(half == 1)) { due(half)(index(d.source)) := False }
  io.error := d.valid && d.denied

  /** When claims leave. `issued` and `resolved` count requested and judged reads, and wrap. */
  val retire = new Area {
    val issued, resolved = Reg(UInt(ReadProgress.Width bits)) init 0
    issued := issued + io.issued.asUInt
    resolved := resolved + io.resolved.asUInt
    when(io.clear) { resolved := issued }
    io.progress.issued := issued
    io.progress.resolved := resolved
    io.allowed :=
      RegNext(U(size, indexWidth + 1 bits) - (head - free) > (issued - resolved).resize(indexWidth + 2) + 1) init False

    /** Up to here claims are acknowledged and have been reported to the other units. */
    val told = if (p.shared) Reg(UInt(indexWidth + 1 bits)) init 0 else settled
    val acknowledged = told =/= head && !(due(0) | due(1))(index(told))
    /** From this pulse on no unit requests a read that could return what memory held before the oldest unsettled claim.
      */
    val settles = if (p.shared) {
      io.settled.valid := acknowledged
      // The claim's second word may be in the next block, but only the command that wrote that word reads it.
      io.settled.payload := ownerOf(claims.readAsync(index(told)))
      when(io.settled.fire) { told := told + 1 }
      // In the first cycle the others are told, and may use the old entry once more. In the second cycle their counters
      // include that read. In the third that is visible here.
      Delay(io.settled.fire, 3, init = False)
    } else {
      acknowledged
    }
    when(settles) { settled := settled + 1 }

    /** One reader whose reads the claims wait for. A claim passes in each cycle once the oldest may, and at most a
      * whole table waits behind it, so no stamp is more than 128 reads old when it is compared.
      */
    case class Reader(issued: UInt, resolved: UInt, passed: UInt) extends Area {
      val stamps = Mem(UInt(ReadProgress.Width bits), size)
      stamps.write(index(settled), issued, settles)
      val passes = passed =/= settled && !(resolved - stamps.readAsync(index(passed))).msb
      when(passes) { passed := passed + 1 }
    }
    val own = issued + io.issued.asUInt
    val readers = if (p.shared) {
      for ((from, to) <- (own, resolved) +: io.others.map(other => (other.issued, other.resolved)))
        yield Reader(from, to, Reg(UInt(indexWidth + 1 bits)) init 0)
    } else {
      Seq(Reader(own, resolved, free))
    }
    val old = if (p.shared) readers.map(_.passed =/= free).andR else readers.head.passes
    when(old) {
      if (p.shared) free := free + 1
      valid(index(free)) := False
    }
    if (p.shared) when(io.clear && io.idle) {
      told := 0
      for (reader <- readers) reader.passed := 0
    }
  }
  io.held := (if (p.shared) find(io.asked).orR else False)
  io.idle := settled === head && (if (p.shared) !io.lasting || free === head else True)
  when(io.clear && io.idle) {
    head := 0
    sent := 0
    settled := 0
    free := 0
    valid.clearAll()
  }
}
