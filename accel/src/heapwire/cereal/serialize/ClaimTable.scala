package heapwire.cereal.serialize

import heapwire.cereal.road.PathWord
import heapwire.isa.ObjectLayout
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** An object that becomes ours: where it is, and its offset in the image. */
case class Claim() extends Bundle {
  val address = UInt(32 bits)
  val relative = UInt(Image.AddressWidth bits)
  val isArray = Bool()
}

/** Writes the metadata of objects that have been claimed, and remembers them until everyone can see it: a read of the
  * same object may have been under way when it was written. So a claim leaves when its Puts are acknowledged, and after
  * that all reads that were under way then are resolved. Looking up is associative (the paper's read-modify-write
  * buffer of the memory access interface).
  *
  * Two Puts to one block may be under way: they are of different objects, and their order does not matter.
  *
  *  - `allowed`: another read may be asked for: each that is under way has a place here, as none could leave while one
  *    waits for a place.
  *  - `claim`: is always taken.
  *  - `look`: `hit` and `relative` answer in the next cycle, for claims up to the one before this cycle.
  *  - `issued`, `resolved` (pulses): a header's read is asked for, and it has been judged.
  *  - `settled`, `progress`, `others`: of the [[ClaimPort]], if units share it. Then a claim that is acknowledged is
  *    told to the other units, which forget what they have read of its block, and stays until all reads have been
  *    judged that any unit had asked for by then.
  *  - `asked`, `held`: whether an address is here, for another unit.
  *  - `clear` (level, until `idle`): from its second cycle on no read is judged; what was claimed is still written,
  *    then everything is forgotten.
  *  - `lasting`, if units share it: the marks count after the command, so `idle` waits until no other unit can take one
  *    of its objects for free.
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
    val hit = out Bool()
    val relative = out UInt (Image.AddressWidth bits)
    val issued, resolved = in Bool()
    val allowed = out Bool()
    val asked = in UInt (32 bits)
    val held = out Bool()
    val settled = p.shared generate master(Stream(UInt(32 bits)))
    val progress = out(ReadProgress())
    val others = p.shared generate in(Vec.fill(p.claimants - 1)(ReadProgress()))
    val clear = in Bool()
    val lasting = p.shared generate in(Bool())
    val idle = out Bool()
    val error = out Bool()
    val bus = master(Bus(node))
  }
  private val shift = PathWord.shift(m)
  private val lanes = PathWord.bytes(m) / 4
  private def ownerOf(claim: Claim) = claim.address + (claim.isArray ? U(ObjectLayout.Metadata.Array) | U(ObjectLayout.Metadata.Instance))

  /** From `free` to `head`: claims that are remembered; up to `settled` they are acknowledged (and, if units share
    * them, told to the others), up to `sent` on their way.
    */
  val head, sent, settled, free = Reg(UInt(indexWidth + 1 bits)) init 0
  val claims = Mem(Claim(), size)
  val tags = Vec.fill(size)(Reg(UInt(29 bits)))
  val valid = RegInit(B(0, size bits))
  val due = Vec.fill(2)(RegInit(B(0, size bits)))

  private def index(pointer: UInt) = pointer.resize(indexWidth)
  io.claim.ready := True
  /** Its words lie in two words of memory. */
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
  for (half <- 0 until 2) when(d.valid && d.source(indexWidth) === Bool(half == 1)) { due(half)(index(d.source)) := False }
  io.error := d.valid && d.denied

  /** When claims leave. `issued` and `resolved` count reads asked for and judged, and wrap. */
  val retire = new Area {
    val issued, resolved = Reg(UInt(ReadProgress.Width bits)) init 0
    issued := issued + io.issued.asUInt
    resolved := resolved + io.resolved.asUInt
    when(io.clear) { resolved := issued }
    io.progress.issued := issued
    io.progress.resolved := resolved
    io.allowed := RegNext(U(size, indexWidth + 1 bits) - (head - free) > (issued - resolved).resize(indexWidth + 2) + 1) init False

    /** Up to here claims are acknowledged and have been told to the other units. */
    val told = if (p.shared) Reg(UInt(indexWidth + 1 bits)) init 0 else settled
    val acknowledged = told =/= head && !(due(0) | due(1))(index(told))
    /** From when on no unit asks for a read that could bring what was there before the oldest claim that is not
      * settled.
      */
    val settles = if (p.shared) {
      io.settled.valid := acknowledged
      // Its second word may lie in the next block: only the command that wrote it reads that one.
      io.settled.payload := ownerOf(claims.readAsync(index(told)))
      when(io.settled.fire) { told := told + 1 }
      // In the next cycle the others hear of it, and may take the old entry once more; in the second their counters
      // have that read; in the third that is seen here.
      Delay(io.settled.fire, 3, init = False)
    } else {
      acknowledged
    }
    when(settles) { settled := settled + 1 }

    /** Whose reads claims wait for. A claim passes in each cycle once the oldest may, and at most a table of them wait
      * behind it: so no stamp is 128 reads old when it is compared.
      */
    case class Reader(issued: UInt, resolved: UInt, passed: UInt) extends Area {
      val stamps = Mem(UInt(ReadProgress.Width bits), size)
      stamps.write(index(settled), issued, settles)
      val passes = passed =/= settled && !(resolved - stamps.readAsync(index(passed))).msb
      when(passes) { passed := passed + 1 }
    }
    val own = issued + io.issued.asUInt
    val old = if (p.shared) {
      val readers = for ((from, to) <- (own, resolved) +: io.others.map(other => (other.issued, other.resolved)))
        yield Reader(from, to, Reg(UInt(indexWidth + 1 bits)) init 0)
      when(io.clear && io.idle) { for (reader <- readers) reader.passed := 0 }
      readers.map(_.passed =/= free).andR
    } else {
      Reader(own, resolved, free).passes
    }
    when(old) {
      if (p.shared) free := free + 1
      valid(index(free)) := False
    }
    if (p.shared) when(io.clear && io.idle) { told := 0 }
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
