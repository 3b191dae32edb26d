package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.memory.{MemoryParameter, PathWord}
import heapwire.protobuf.VarintEncoder
import spinal.core._
import spinal.lib._

/** Knows how long every item is, hence where in the output it lies: encodes
  * values, measures nested messages, checks room and texts, and decides how the
  * command ends. One item a cycle, two where a message or packed field starts,
  * three where it ended or another one started just before.
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

  /** What room there was at the end of the open messages, and of an open packed field. */
  val marks = new Area {
    val words = Mem(UInt(32 bits), p.maxDepth + 2)
    val count = Reg(UInt(log2Up(p.maxDepth + 3) bits))
    val top = words.readSync((count - 1).resized)
    /** `top` is that of `count`. */
    val settled = RegNext(!(io.item.fire && (is(ItemKind.Mark) || is(ItemKind.Close))))
    /** The length of what is being closed, once `measured`. */
    val length = Reg(UInt(32 bits))
    val measured = RegInit(False)
    val push = io.item.fire && is(ItemKind.Mark)
    words.write(count.resized, room, push)
    when(push) { count := count + 1 }
  }

  val code = new Area {
    private val bytes = PathWord.bytes(m)
    val value = item.second(63 downto 32).andMask(!is(ItemKind.Close)) ## (is(ItemKind.Close) ? marks.length.asBits | item.second(31 downto 0))
    val first = VarintEncoder(item.first)
    val varint = VarintEncoder(value)
    val plain = is(ItemKind.Bytes)
    val raw = plain || item.fixed
    val rawCount = plain ? item.count | (item.wide ? U(8, 4 bits) | U(4, 4 bits)).resized
    /** Bytes as they are, zeros where they do not count. */
    private val whole = if (bytes == 16) item.first ## item.second else item.second
    val masked = Cat((0 until bytes).map(i => whole(8 * i, 8 bits).andMask(rawCount > i)))
    val coded = CodedItem(m)
    coded.first.data := first.data.andMask(item.hasFirst)
    coded.first.count := first.count.andMask(item.hasFirst)
    coded.second.data := (raw ? masked.resize(widthOf(coded.second.data)) | varint.data.resize(widthOf(coded.second.data))).andMask(item.hasSecond)
    coded.second.count := (raw ? rawCount.resize(5) | varint.count.resize(5)).andMask(item.hasSecond).resized
    coded.total := (coded.first.count +^ coded.second.count).resized
    val rest = room.resize(33) - coded.total
    val fits = !rest.msb
  }

  val textChecker = TextChecker(PathWord.bytes(m))
  private val isText = is(ItemKind.Bytes) && item.checked
  textChecker.io.word.valid := io.item.fire && isText
  textChecker.io.word.bytes := code.masked
  if (PathWord.bytes(m) == 16) when(item.upper) { textChecker.io.word.bytes := code.masked |<< 64 }
  textChecker.io.word.last := item.last
  textChecker.io.clear := io.start

  val coded = Stream(CodedItem(m))
  val writes = is(ItemKind.Pair) || is(ItemKind.Bytes) || is(ItemKind.Close)
  val measuring = is(ItemKind.Close) && !marks.measured
  coded.valid := io.item.valid && !over && writes && !measuring && code.fits && !tooLong
  coded.payload := code.coded
  io.item.ready := !over && !measuring && (coded.ready || !coded.valid)
  io.coded << coded.m2sPipe(flush = io.kill)

  when(!marks.measured) { marks.length := marks.top - room }
  when(io.item.valid && !over && measuring && marks.settled) { marks.measured := True }
  when(coded.fire) { room := code.rest.resized }
  private val full = (writes && !code.fits || tooLong) && (!isText || item.last)
  when(io.item.fire) {
    when(is(ItemKind.Close)) {
      marks.measured := False
      marks.count := marks.count - 1
    }
    when(writes && !code.fits) { tooLong := True }
    when(full || textChecker.io.wrong || is(ItemKind.Fail) || is(ItemKind.End)) {
      over := True
      origin := item.origin.andMask(textChecker.io.wrong || is(ItemKind.Fail))
      status := Status.Ok.code
      when(full) { status := Status.OutputFull.code }
      when(textChecker.io.wrong) { status := Status.InvalidUtf8.code }
      when(is(ItemKind.Fail)) { status := item.first(Status.Width - 1 downto 0) }
    }
  }
  when(io.start) {
    room := io.limit - io.base
    over := False
    tooLong := False
    marks.count := 0
    marks.measured := False
  }
}
