package heapwire.protobuf.serialize

import heapwire.isa.Status
import heapwire.protobuf.{ByteRun, VarintEncoder}
import spinal.core._
import spinal.lib._

/** Bytes for the output: those of `first`, those of `second` behind them; or 16 at most as they are. */
case class CodedItem() extends Bundle {
  val plain = Bool()
  val bytes = Bits(128 bits)
  val first, second = ByteRun(10)
  val total = UInt(5 bits)
}

/** Knows how long every item is, hence where in the output it lies: encodes
  * values, measures nested messages, checks room and texts, and decides how the
  * command ends. One item a cycle, two where a message or packed field starts.
  *
  * The first item that is wrong ends the command. Of a text that is too long and
  * no UTF-8 the latter counts.
  */
case class Ledger(p: SerializerParameter) extends Component {
  val io = new Bundle {
    /** Starts with an output of [`base`, `limit`). */
    val start = in Bool()
    val base, limit = in UInt(32 bits)
    val item = slave(Stream(Item()))
    val coded = master(Stream(CodedItem()))
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

  val position, room = Reg(UInt(32 bits))
  val over = RegInit(False)
  val status = Reg(Bits(Status.Width bits))
  val origin = Reg(UInt(32 bits))
  /** The text under way does not fit. */
  val tooLong = RegInit(False)
  io.position := position
  io.over := over
  io.status := status
  io.origin := origin

  /** Where the open messages, and an open packed field, end. */
  val marks = new Area {
    val words = Mem(UInt(32 bits), p.maxDepth + 2)
    val count = Reg(UInt(log2Up(p.maxDepth + 3) bits))
    val top = words.readAsync((count - 1).resized)
    /** The length of what is being closed, once `measured`. */
    val length = Reg(UInt(32 bits))
    val measured = RegInit(False)
    val push = io.item.fire && is(ItemKind.Mark)
    words.write(count.resized, position, push)
    when(push) { count := count + 1 }
  }

  val code = new Area {
    val value = is(ItemKind.Close) ? marks.length.asBits.resize(64) | item.second
    val first = VarintEncoder(item.first)
    val varint = VarintEncoder(value)
    val coded = CodedItem()
    coded.plain := is(ItemKind.Bytes)
    coded.first.data := first.data.andMask(item.hasFirst)
    coded.first.count := item.hasFirst ? first.count | U(0)
    coded.second := varint
    when(item.fixed && !is(ItemKind.Close)) {
      coded.second.data := (item.second(63 downto 32).andMask(item.wide) ## item.second(31 downto 0)).resized
      coded.second.count := item.wide ? U(8, 4 bits) | U(4, 4 bits)
    }
    when(!item.hasSecond) {
      coded.second.data := 0
      coded.second.count := 0
    }
    val whole = item.second ## item.first
    /** The word with zeros where it does not count. */
    val valid = (0 until 16).map { i =>
      val at = if (i < 8) !item.upper && item.count > i else item.upper && item.count > i - 8 || !item.upper && item.count > i
      at
    }
    val masked = Cat((0 until 16).map(i => whole(8 * i, 8 bits).andMask(valid(i))))
    coded.bytes := item.upper ? masked(127 downto 64).resize(128) | masked
    coded.total := coded.plain ? item.count | (coded.first.count +^ coded.second.count).resized
    val fits = coded.total <= room
  }

  val textChecker = TextChecker()
  private val isText = is(ItemKind.Bytes) && item.checked
  textChecker.io.word.valid := io.item.fire && isText
  textChecker.io.word.bytes := code.masked
  textChecker.io.word.last := item.last
  textChecker.io.clear := io.start

  val coded = Stream(CodedItem())
  val writes = is(ItemKind.Pair) || is(ItemKind.Bytes) || is(ItemKind.Close)
  val measuring = is(ItemKind.Close) && !marks.measured
  coded.valid := io.item.valid && !over && writes && !measuring && code.fits && !tooLong
  coded.payload := code.coded
  io.item.ready := !over && !measuring && (coded.ready || !coded.valid)
  io.coded << coded.m2sPipe(flush = io.kill)

  private def end(how: Bits, why: UInt): Unit = {
    over := True
    status := how
    origin := why
  }
  private def end(how: Status): Unit = end(B(how.code, Status.Width bits), U(0, 32 bits))

  when(io.item.valid && !over && measuring) {
    marks.length := marks.top - position
    marks.measured := True
  }
  when(coded.fire) {
    position := position - coded.total
    room := room - coded.total
  }
  when(io.item.fire) {
    when(is(ItemKind.Close)) {
      marks.measured := False
      marks.count := marks.count - 1
    }
    when(writes && !code.fits) { tooLong := True }
    when((writes && !code.fits || tooLong) && (!isText || item.last)) { end(Status.OutputFull) }
    when(textChecker.io.wrong) { end(B(Status.InvalidUtf8.code, Status.Width bits), item.origin) }
    when(is(ItemKind.Fail)) { end(item.second(Status.Width - 1 downto 0), item.origin) }
    when(is(ItemKind.End)) { end(Status.Ok) }
  }
  when(io.start) {
    position := io.limit
    room := io.limit - io.base
    over := False
    tooLong := False
    marks.count := 0
    marks.measured := False
  }
}
