package heapwire.protobuf

import heapwire.memory.{MemoryParameter, PathWord, RangeWord}
import spinal.core._
import spinal.lib._

/** Cuts the input into tokens: a key and its value, or its length, a cycle.
  *
  * Runs ahead through scalar fields; stops (Blocked) behind a key whose meaning
  * needs the descriptor - a length, a group, the end of a message - and behind
  * anything malformed, until a directive says how to go on. Packed fields, byte
  * runs and skips return to the fields of the same message by themselves.
  *
  * The only long path is window -> token length -> window; everything else
  * works from the registered [[RawToken]]. A key of six to ten bytes (padded)
  * costs one cycle more.
  */
case class Parser(p: MemoryParameter) extends Component {
  val io = new Bundle {
    val word = slave(Stream(RangeWord(p)))
    /** Forgets everything and starts with a message of `payload` bytes, whose words follow. */
    val start = slave(Flow(UInt(32 bits)))
    val directive = slave(Flow(Directive()))
    /** Drops the tokens under way; the parser stays blocked. */
    val kill = in Bool()
    val token = master(Stream(RawToken()))
    val chunk = master(Stream(ByteChunk(PathWord.bytes(p))))
    val position = out UInt(32 bits)
    /** More input is needed. */
    val starving = out Bool()
  }
  import ParserMode._

  val window = Window(p)
  window.io.clear := io.start.valid || io.kill
  window.io.word << io.word
  private val bytes = window.io.bytes(119 downto 0)
  private val count = window.io.count

  val mode = Reg(ParserMode()) init Blocked
  val position, remaining, left = Reg(UInt(32 bits))
  val toInputEnd, leftToInputEnd = Reg(Bool())
  /** The first word's bytes before the input are still to be dropped. */
  val align = RegInit(False)
  val heldKey = Reg(Bits(40 bits))
  val heldOverflow = Reg(Bool())
  val heldOffset = Reg(UInt(32 bits))
  val firstOffset = Reg(UInt(log2Up(p.wordBytes) bits))

  val isPacked = mode === PackedVarint || mode === Packed32 || mode === Packed64
  val isHeld = mode === Held
  val isField = mode === Field

  val measure = new Area {
    val continuations = Varint.continuations(bytes)
    val keyEnd = Varint.end(continuations(4 downto 0))
    val longKey = isField && continuations(4 downto 0).andR
    val longKeyEnd = Varint.end(continuations(9 downto 5))
    val longKeyLength = longKeyEnd.orR ? (OHToUInt(longKeyEnd) +^ 6).resize(4) | U(10, 4 bits)
    /** Where the value starts: 0 without a key here, else behind it. */
    val start = isField ? (keyEnd ## B"0") | B"000001"
    val wireType = Bits(3 bits)
    wireType := mode.mux(
      Field -> bytes(2 downto 0),
      Held -> heldKey(2 downto 0),
      Packed32 -> B(5, 3 bits),
      Packed64 -> B(1, 3 bits),
      default -> B(0, 3 bits))
    val ends = for (k <- 0 to 5) yield Varint.end(continuations(k, 10 bits))
    val varint = Vec(for (k <- 0 to 5) yield ends(k).orR ? (OHToUInt(ends(k)) +^ (k + 1)).resize(4) | U(k + 10, 4 bits))
    val varintLength = MuxOH(start, varint)
    val unended = (for (k <- 0 to 5) yield start(k) && !ends(k).orR).orR
    val plain = OHToUInt(start).resize(4)
    val isVarint = wireType === 0 || wireType === 2
    val length = UInt(4 bits)
    length := plain
    when(isVarint) { length := varintLength }
    when(wireType === 1) { length := plain + 8 }
    when(wireType === 5) { length := plain + 4 }
    when(longKey) { length := longKeyLength }
  }

  /** Enough is in sight to cut a token. */
  val enough = !align && (count >= 15 || window.io.complete)
  val enclosing = isPacked ? left | remaining
  val atEnd = (isField || isPacked) && enclosing === 0
  val scanning = isField || isHeld || isPacked

  val raw = Stream(RawToken())
  val exceeds = measure.length > enclosing
  val keyTooLong = measure.longKey && !measure.longKeyEnd.orR
  /** A long key that is kept for its value: no token yet. */
  val hold = measure.longKey && !exceeds && !keyTooLong && !atEnd
  raw.valid := scanning && (atEnd && !align || enough) && !hold
  raw.kind := isPacked ? TokenKind.Element() | TokenKind.Field()
  when(atEnd) { raw.kind := isPacked ? TokenKind.PackedEnd() | TokenKind.End() }
  raw.key := isHeld ? heldKey | bytes(39 downto 0)
  raw.keyEnd := isHeld ? B"10000" | measure.keyEnd
  raw.bytes := bytes
  raw.start := measure.start
  raw.length := measure.length
  raw.wireType := measure.wireType
  raw.offset := isHeld ? heldOffset | position
  raw.remaining := remaining
  raw.toInputEnd := isPacked ? leftToInputEnd | toInputEnd
  raw.exceeds := exceeds && !atEnd
  raw.keyOverflow := keyTooLong || isHeld && heldOverflow
  raw.valueOverflow := measure.isVarint && measure.unended && !measure.longKey

  val cut = scanning && !atEnd && enough && (raw.ready || hold)

  val run = new Area {
    private val size = PathWord.bytes(p)
    val active = (mode === Bytes || mode === Skip) && !align
    val whole = left >= size
    val last = left <= size
    val length = whole ? U(size, 5 bits) | left(4 downto 0)
    val available = active && count >= length
    io.chunk.valid := available && mode === Bytes
    io.chunk.data := window.io.bytes(8 * size - 1 downto 0)
    io.chunk.count := length
    io.chunk.last := last
    val fire = available && (mode === Skip || io.chunk.ready)
  }

  val alignFire = align && count =/= 0
  val consume = UInt(5 bits)
  consume := 0
  when(cut) { consume := measure.length.resized }
  when(run.fire) { consume := run.length }
  window.io.consume := alignFire ? firstOffset.resize(5) | consume

  position := position + consume
  remaining := remaining - consume
  left := left - consume
  when(io.word.fire && align) { firstOffset := io.word.offset }
  when(alignFire) { align := False }

  when(run.fire && run.last) { mode := Field }
  when(cut && isField && hold) {
    mode := Held
    heldKey := bytes(39 downto 0)
    heldOffset := position
    // Bits 32 and up of the key: three of byte 4, and all of the bytes behind it.
    val beyond = for (i <- 5 until 10) yield {
      val ended = if (i == 5) False else measure.longKeyEnd(i - 6 downto 0).orR
      bytes(8 * i, 7 bits).orR && !ended
    }
    heldOverflow := bytes(38 downto 36).orR || beyond.orR
  }
  when(raw.fire) {
    val malformed = exceeds || raw.valueOverflow || raw.keyOverflow
    when(isPacked) {
      when(atEnd) { mode := Field } elsewhen (malformed) { mode := Blocked }
    } otherwise {
      val free = measure.wireType === 0 || measure.wireType === 1 || measure.wireType === 5
      mode := (atEnd || !free || malformed) ? Blocked | Field
    }
  }
  when(io.directive.valid) {
    mode := io.directive.mode
    left := io.directive.left
    leftToInputEnd := io.directive.toInputEnd
    when(io.directive.frame) {
      remaining := io.directive.remaining
      toInputEnd := io.directive.toInputEnd
    }
  }
  when(io.start.valid) {
    mode := Field
    position := 0
    remaining := io.start.payload
    toInputEnd := True
    align := io.start.payload =/= 0
  }
  when(io.kill) {
    mode := Blocked
    align := False
  }

  io.token << raw.s2mPipe(flush = io.kill).m2sPipe(flush = io.kill)
  io.position := position
  io.starving := (scanning && !atEnd || mode === Bytes || mode === Skip) && !window.io.complete && count < 15
}
