package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.memory.{BlockRam, MemoryParameter, PathWord}
import heapwire.protobuf.VarintEncoder
import spinal.core._
import spinal.lib._

/** Knows how long every item is, hence where in the output it lies: encodes
  * values, measures nested messages, checks room and texts, and decides how the
  * command ends. One item a cycle, three where a message or packed field starts,
  * four where it ended or another one started just before. Latency 1 cycle.
  *
  * The first item that is wrong ends the command. Of a text that is too long and
  * no UTF-8 the latter counts.
  */
case class Ledger(p: SerializerParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    /** Starts with an output of [`base`, `limit`), which hold until the end. */
    val start = in Bool()
    val base, limit = in UInt(32 bits)
    val item = slave(Stream(Item(m)))
    val coded = master(Stream(CodedItem(m)))
    /** Where the output starts so far. */
    val position = out UInt(32 bits)
    /** The command has come to its end: how, and because of which object. */
    val over = out Bool()
    val status = out Bits(Status.Width bits)
    val origin = out UInt(32 bits)
    val kill = in Bool()
  }
  private val item = io.item.payload
  private def is(kind: ItemKind.E) = item.kind === kind

  /** Bytes that are left of the output. */
  val room = Reg(UInt(32 bits))
  val over = RegInit(False)
  val status = Reg(Bits(Status.Width bits))
  val origin = Reg(UInt(32 bits))
  /** The text under way does not fit. */
  val tooLong = RegInit(False)
  io.position := io.base + room
  io.over := over
  io.status := status
  io.origin := origin

  /** An item that is known to be so many bytes, and what is to be said of it. */
  case class Step() extends Bundle {
    val coded = CodedItem(m)
    val kind = ItemKind()
    /** It takes room. */
    val writes = Bool()
    val isText, upper, last = Bool()
    val status = Bits(Status.Width bits)
    val origin = UInt(32 bits)
  }
  val code = new Area {
    private val bytes = PathWord.bytes(m)
    private val closes = is(ItemKind.Close)
    /** The length of what is being closed, once `measured`. */
    val length = Reg(UInt(32 bits))
    val measured = RegInit(False)
    val waits = closes && !measured
    val value = item.second(63 downto 32).andMask(!closes) ## (closes ? length.asBits | item.second(31 downto 0))
    val first = VarintEncoder(item.first)
    val varint = VarintEncoder(value)
    val plain = is(ItemKind.Bytes)
    val raw = plain || item.fixed
    val rawCount = plain ? item.count | (item.wide ? U(8, 4 bits) | U(4, 4 bits)).resized
    /** Bytes as they are, zeros where they do not count. */
    private val whole = if (bytes == 16) item.first ## item.second else item.second
    val masked = Cat((0 until bytes).map(i => whole(8 * i, 8 bits).andMask(rawCount > i)))
    val output = Stream(Step())
    output.valid := io.item.valid && !waits
    private val coded = output.coded
    coded.first.data := first.data.andMask(item.hasFirst)
    coded.first.count := first.count.andMask(item.hasFirst)
    coded.second.data := (raw ? masked.resize(widthOf(coded.second.data)) | varint.data.resize(widthOf(coded.second.data))).andMask(item.hasSecond)
    coded.second.count := (raw ? rawCount.resize(5) | varint.count.resize(5)).andMask(item.hasSecond).resized
    coded.total := (coded.first.count +^ coded.second.count).resized
    coded.cut := coded.total > bytes
    coded.long := coded.second.count > bytes
    coded.alone := coded.first.count === 0
    output.kind := item.kind
    output.writes := is(ItemKind.Pair) || plain || closes
    output.isText := plain && item.checked
    output.upper := item.upper
    output.last := item.last
    output.status := item.first(Status.Width - 1 downto 0)
    output.origin := item.origin
    io.item.ready := output.ready && !waits
    when(io.item.fire) { measured := False }
    val next = output.m2sPipe(flush = io.kill)
  }
  private val step = code.next
  private def is(step: Step, kind: ItemKind.E) = step.kind === kind

  /** What room there was at the end of the open messages, and of an open packed field. */
  val marks = new Area {
    val words = BlockRam(Mem(UInt(32 bits), p.maxDepth + 2))
    val count = Reg(UInt(log2Up(p.maxDepth + 3) bits))
    val top = words.readSync((count - 1).resized)
    val push = step.fire && is(step, ItemKind.Mark)
    val pop = step.fire && is(step, ItemKind.Close)
    /** `top` is that of `count`. */
    val settled = RegNext(!(push || pop))
    words.write(count.resized, room, push)
    when(push) { count := count + 1 }
    when(pop) { count := count - 1 }
    when(!code.measured) { code.length := top - room }
    when(io.item.valid && code.waits && !step.valid && settled) { code.measured := True }
  }

  val rest = room.resize(33) - step.coded.total
  val fits = !rest.msb
  val textChecker = TextChecker(PathWord.bytes(m))
  private val text = step.coded.second.data.resize(PathWord.bits(m))
  textChecker.io.word.valid := step.fire && step.isText
  textChecker.io.word.bytes := text
  if (PathWord.bytes(m) == 16) when(step.upper) { textChecker.io.word.bytes := text |<< 64 }
  textChecker.io.word.last := step.last
  textChecker.io.clear := io.start

  // What does not fit need not be taken by those behind, who may want two cycles for it.
  step.ready := !over && (io.coded.ready || !step.writes || tooLong)
  io.coded.valid := step.valid && !over && step.writes && fits && !tooLong
  io.coded.payload := step.coded
  when(io.coded.fire) { room := rest.resized }
  private val full = (step.writes && !fits || tooLong) && (!step.isText || step.last)
  when(step.valid && step.writes && !fits) { tooLong := True }
  when(step.fire) {
    when(full || textChecker.io.wrong || is(step, ItemKind.Fail) || is(step, ItemKind.End)) {
      over := True
      origin := step.origin.andMask(textChecker.io.wrong || is(step, ItemKind.Fail))
      status := Status.Ok.code
      when(full) { status := Status.OutputFull.code }
      when(textChecker.io.wrong) { status := Status.InvalidUtf8.code }
      when(is(step, ItemKind.Fail)) { status := step.status }
    }
  }
  when(io.start) {
    room := io.limit - io.base
    over := False
    tooLong := False
    marks.count := 0
    code.measured := False
  }
}
