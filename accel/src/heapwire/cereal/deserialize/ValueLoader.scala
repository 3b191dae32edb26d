package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.isa.{CerealFormat, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Values of a block, each in the lane that follows from its place in the value array. */
case class ValueWords(p: MemoryParameter, reconstructors: Int) extends Bundle {
  private val lanes = p.dataWidth / 32
  val to = UInt(log2Up(reconstructors) max 1 bits)
  val buffer = UInt(1 bits)
  val row = UInt(4 bits)
  /** The lanes that hold a value of the block, and those lanes that belong to the next row. */
  val lanesUsed, nextRow = Bits(lanes bits)
  val count = UInt(log2Up(lanes) + 1 bits)
  val data = Vec.fill(lanes)(Bits(32 bits))
}

/** Cuts the value array into the parts that the blocks need: the value loader of Cereal (ISCA 2020, section V).
  * Throughput: up to a memory word per cycle, of one object and for one block.
  *
  * It also checks marks, and replaces each class id by the klass from the class id table. So one table is enough for
  * all reconstructors, and its entries are available in the order of objects: `header` passes them to [[ShapeChecker]].
  *
  * `failed` (level) with its status: a mark that no stream may hold; an unknown class; fewer values than slots; or,
  * once `finish` says that no block needs more, anything but less than 16 bytes of zeros. `done` (level): the padding
  * is read and correct. `offset` says where. Latency: 3 cycles. While `run` is low, all state is cleared.
  */
case class ValueLoader(c: DeserializationUnitParameter, p: MemoryParameter) extends Component {
  private val lanes = p.dataWidth / 32
  private val laneWidth = log2Up(lanes) max 1
  private def wrap(i: UInt): UInt = if (lanes == 1) U(0, 1 bits) else i.resize(laneWidth)
  private val Words = HardType(UInt(Width.Offset + 2 bits))
  val io = new Bundle {
    val run, start = in(Bool())
    /** Size of the section, in words of 4 bytes. */
    val words = in(Words())
    val image = in(ImageShape(p))
    val word = slave(Stream(RangeWord(p)))
    val runs = slave(Stream(ValueRun()))
    val share = slave(Stream(BlockShare(c.reconstructors)))
    val values = master(Flow(ValueWords(p, c.reconstructors)))
    val header = master(Flow(ObjectHeader()))
    /** The shape checker has room for further headers. */
    val room = in(Bool())
    val id = out UInt (32 bits)
    val entry = in(ClassEntry())
    val known, beyond = in(Bool())
    val finish = in(Bool())
    val failed, done, starving = out(Bool())
    val status = out Bits (Status.Width bits)
    val offset = out UInt (Width.Offset bits)
  }

  /** A word and the one behind it: the values from lane `lane` of the first word on. */
  val window = new Area {
    val valid = RegInit(False)
    val word = Reg(Vec.fill(lanes)(Bits(32 bits)))
    val lane = Reg(UInt(laneWidth bits))
    val next = io.word.data.subdivideIn(32 bits)
    val ahead = io.word.valid
    val available =
      ((valid && ahead) ? U(lanes, laneWidth + 2 bits) | (valid ? (U(lanes, laneWidth + 2 bits) - lane) | U(0)))
    val data = Vec((0 until lanes).map(i => (lane > i) ? next(i) | word(i)))
  }

  val body = new Area {
    val left = Reg(UInt(6 bits)) init 0
    val array = Reg(Bool())
    /** Values of the object that have passed, saturated at three. */
    val index = Reg(UInt(2 bits))
  }
  val block = new Area {
    val share = Reg(BlockShare(c.reconstructors))
    val active = RegInit(False)
    val row = Reg(UInt(4 bits))
  }
  val total = Reg(Words()) // number of values passed on
  private val most = U(lanes, 6 bits)
  val wanted = body.left.min(block.share.count.resized).min(most)
  val count = wanted.min(window.available.resized)
  val fire = io.run && block.active && count =/= 0 && io.room
  val lastOfObject = body.left === count
  val lastOfBlock = block.share.count === count
  io.starving := block.active && wanted =/= 0 && window.available === 0

  val advance = (window.lane +^ count).resize(laneWidth + 2)
  val crosses = advance >= lanes
  val tail = io.finish && !block.active && !io.share.valid
  val sweep = tail && !io.done
  io.word.ready := io.run && (!window.valid || fire && crosses || sweep)
  when(!window.valid || fire && crosses || sweep) {
    window.valid := io.word.valid
    window.word := window.next
  }
  when(fire) { window.lane := wrap(advance) }
  when(!window.valid || sweep) { window.lane := 0 }

  // The runs of one object add up; the runs of the next object wait until this one is used up.
  val left = body.left - (fire ? count | U(0, 6 bits))
  io.runs.ready := io.runs.start ? (left === 0) | !left.msb
  body.left := left + (io.runs.fire ? io.runs.count | U(0))
  when(fire) { body.index := (body.index +^ count).min(U(3)).resized }
  when(io.runs.fire && io.runs.start) {
    body.index := 0
    body.array := io.runs.array
  }

  io.share.ready := !block.active || fire && lastOfBlock
  when(fire) {
    block.share.count := block.share.count - count.resized
    block.row := block.row + crosses.asUInt
    when(lastOfBlock) { block.active := False }
    total := total + count
  }
  when(io.share.fire) {
    block.active := True
    block.share := io.share.payload
    block.row := 0
  }

  case class Chunk() extends Bundle {
    val words = ValueWords(p, c.reconstructors)
    val offset = UInt(Width.Offset bits)
    /** The lanes of mark, class id and length, if they are in this chunk. */
    val mark, id, length = Bits(lanes bits)
    val array = Bool()
  }
  val chunk = Flow(Chunk())
  chunk.valid := fire
  chunk.words.to := block.share.to
  chunk.words.buffer := block.share.buffer
  chunk.words.row := block.row
  chunk.words.count := count.resized
  chunk.words.data := window.data
  chunk.offset := 2 + (total >> 2)
  chunk.array := body.array
  private def lane(i: UInt): Bits = if (lanes == 1) B"1" else UIntToOh(wrap(i), lanes)
  private def laneOf(place: UInt) = lane(window.lane.resize(4) + place - body.index).andMask(
    place >= body.index && (place - body.index).resize(6) < count)
  chunk.words.lanesUsed := (0 until lanes).map(i => lane(window.lane + i).andMask(count > i)).reduce(_ | _)
  chunk.words.nextRow := B((0 until lanes).map(window.lane > U(_)).asBits())
  private val strip = io.image.strip.asUInt.resize(3)
  chunk.mark := lane(window.lane).andMask(body.index === 0 && !io.image.strip)
  chunk.id := laneOf(U(1, 3 bits) - strip)
  chunk.length := laneOf(U(2, 3 bits) - strip).andMask(body.array)

  val first = chunk.stage() // the table is asked in this stage
  val second = first.stage() // the table answers in this stage
  for (stage <- Seq(first, second)) when(!io.run) { stage.valid.getDrivingReg() := False }
  io.id := MuxOH.or(first.id, first.words.data).asUInt
  val badMark = first.valid && (0 until lanes).map(i =>
    first.mark(i) && first.words.data(i)(CerealFormat.MarkLowBits - 1 downto 0) =/= CerealFormat.MarkLow).orR

  val hasId = second.id.orR
  val entry = RegNextWhen(io.entry, second.valid && hasId)
  io.values.valid := second.valid
  io.values.payload := second.words
  for (i <- 0 until lanes) when(second.id(i)) { io.values.data(i) := io.entry.klass }
  io.header.valid := second.valid && (second.array ? second.length.orR | hasId)
  io.header.entry := hasId ? io.entry | entry
  io.header.length := MuxOH.or(second.length, second.words.data).asUInt

  val sweeping = RegInit(False)
  val done = RegInit(False)
  val sectionLeft = Reg(Words()) // number of words that have not arrived yet
  val error = RegInit(False)
  val status = Reg(Bits(Status.Width bits))
  val offset = Reg(UInt(Width.Offset bits))
  private def fail(condition: Bool, s: Status, at: UInt): Unit = when(condition && !error) {
    error := True
    status := s.code
    offset := at
  }
  private val at = 2 + (total >> 2)
  when(io.word.fire) { sectionLeft := sectionLeft - lanes }
  fail(block.active && sectionLeft === 0 && window.available === 0 && wanted =/= 0, Status.BadValue, at.resized)
  val rest = (0 until lanes).map(i => (window.lane <= i) && window.word(i) =/= 0).orR
  when(sweep) {
    sweeping := True
    fail(!sweeping && ((total + 3) >> 2) =/= (io.words >> 2) || window.valid && rest, Status.BadValue, at.resized)
    done := sectionLeft === 0
  }
  fail(badMark, Status.BadValue, first.offset)
  val unsupported = io.beyond || io.known && io.entry.kind === CerealFormat.Kind.Elsewhere
  fail(second.valid && hasId && unsupported, Status.Unsupported, second.offset)
  fail(second.valid && hasId && !unsupported && !io.known, Status.BadValue, second.offset)
  io.failed := error
  io.status := status
  io.offset := offset
  io.done := done && !first.valid && !second.valid

  when(io.start) {
    sectionLeft := io.words
    total := 0
  }
  when(!io.run) {
    window.valid := False
    window.lane := 0
    body.left := 0
    body.index := 0
    block.active := False
    error := False
    sweeping := False
    done := False
  }
}
