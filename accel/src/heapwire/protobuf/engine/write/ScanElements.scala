package heapwire.protobuf.engine.write

import heapwire.isa.ObjectLayout
import heapwire.protobuf.engine.microcode.ScannedString
import spinal.core._
import spinal.lib._

/** Walks the elements of an array and the bytes of a string downwards, and finds the end of a string. */
class ScanElements(scanner: Scanner) extends Area {
  import scanner._
  import scanner.State._
  val walk = new Area {
    val bytes, keys = Reg(Bool())
    val log2Size = Reg(UInt(2 bits))
    /** log2 of the size of the element below. */
    val below = UInt(2 bits)
    /** A walk over bytes: `left` is the number of bytes that are left. */
    val counted = Reg(Bool())
    val left = Reg(UInt(ScannedString.LengthWidth bits))
    /** Returns whether fewer than 2^log2 bytes are left. */
    private def few(log2: Int) = counted && left(left.high downto log2) === 0
    below := io.log2Size
    // The end of a managed string is `left` bytes above a multiple of 8.
    private val at = (state === Bytes) ? left(2 downto 0) | io.element(2 downto 0)
    when(bytes) {
      below := (at(0) || few(1)) ? U(0, 2 bits) |
        ((at(1) || few(2)) ? U(1, 2 bits) | ((at(2) || few(3)) ? U(2, 2 bits) | U(3, 2 bits)))
    }
    val size = (U(1, 4 bits) |<< below)
    /** The element below is in another granule. */
    val crosses = io.element === 0
    when(port.walk) {
      bytes := port.walksBytes
      keys := port.walksKeys
      counted := port.walksCounted
    }
  }
  /** A string. */
  val text = new Area {
    /** `active`: a string is being walked. `fresh`: nothing of it was put yet. */
    val active, fresh = RegInit(False)
    val wide = RegInit(False)
    val length = Reg(UInt(ScannedString.LengthWidth bits))
    /** The bytes that are being put are not all ASCII. */
    val high = (0 until 8).map(i =>
      io.item.value(8 * i + 7) &&
        (if (i == 0) True
         else if (i == 1) walk.log2Size =/= 0
         else if (i < 4) walk.log2Size(1)
         else walk.log2Size.andR)).orR
    /** At most 8 bytes of the string are left. */
    val ends = active && (walk.left >> 3 === 0 || walk.left === 8)
    /** The length that is being read is too large for the scanner. */
    val tooLong = !io.noSecond || !io.noUpper
    /** Some bytes that were put are not ASCII, and the string must be UTF-8. */
    private val toCheck = active && wide && entry.checkUtf8 && !io.native
    val utf8 = TextWalk()
    utf8.io.walkBegins := state === HaveArray
    // A managed string begins at a multiple of 8, so the lowest byte of a word is put last. By then the whole word is
    // at hand.
    val wordPut = Bool()
    utf8.io.word.valid := wordPut
    utf8.io.word.payload := io.value
    /** All bytes of the next word belong to the string; low for the word in which the string ends. */
    private val nextIsWhole = Reg(Bool()) setWhen wordPut clearWhen utf8.io.walkBegins
    utf8.io.there := Cat((0 until 8).map(i => nextIsWhole || length(2 downto 0) === 0 || length(2 downto 0) > i))
    utf8.io.walkEnds := state === Length
    /** In [[State.Length]]. `holds`: it is not known yet whether the text is UTF-8, or it is not. `isWrong`: it is not.
      */
    private val checked = RegNext(state === Length) init False
    val holds = toCheck && (!checked || utf8.io.wrong)
    val isWrong = toCheck && checked && utf8.io.wrong
  }
  /** In [[State.Element]]: the element is here, and the scanner may take it. Logic behind an element does not depend on
    * the requests for slots.
    */
  val elementHere = io.ready && !(text.active && text.fresh && io.atLimit)
  val putsElement = state === Element && elementHere && io.item.ready
  when(putsElement) {
    text.wide := text.wide || text.high && text.active
    text.fresh := False
  }
  text.wordPut := putsElement && io.element(2 downto 0) === 0
  /** Distance from the current element to the first zero or, if there is none, to the next 8 bytes. One cycle late. */
  val end = new Area {
    private val low = io.element(2 downto 0)
    private val half = io.element(3) ? io.zeros(15 downto 8) | io.zeros(7 downto 0)
    private val here = Cat((0 until 8).map(i => half(i) && low <= i))
    val found = RegNext(here.orR)
    val by = RegNext((!here.orR ## OHToUInt(OHMasking.firstV2(here))).asUInt - low)
    val crosses = RegNext(io.element(3))
  }
  io.upwards := state === AskEnd || state === FindEnd || state === GoToEnd

  private val countsDown = text.active || walk.counted
  val isLast = countsDown ? (walk.left === 0) | io.isFirst
  private val walks = state === Element || state === ElementKey
  io.steps := (putsElement && !walk.keys || state === ElementKey && io.item.ready) && !isLast && walk.crosses
  // In a walk over bytes, the granule below is requested only if it has bytes of the string. In other arrays, the
  // header below the first element, and the distance from the base of the bounds, keep the request inside the bounds.
  private val asked = RegNext(io.ahead) init False
  val awayFromBase = RegNext(!io.atBase)
  // As of the previous cycle: after the last step into a granule, the granule below may be requested in vain.
  private val more = RegNext(countsDown ? (walk.left > io.element) | !io.isFirst)
  io.ahead := walks && io.hereIfHit && awayFromBase && !asked && more

  // ---- moves: the distance follows from the state alone, whether or not there is a move
  io.move := False
  io.take := False
  io.fromWord := state === Slot || state === Rest || state === HaveString
  io.by := -walk.size.resize(10).asSInt
  when(state === Slot || state === Rest) {
    val isMessage = state === Slot && !facts.isString && !entry.repeated
    io.by := io.native ? S(0, 10 bits) |
      (isMessage ? S(ObjectLayout.Header.Klass, 10 bits) | S(ObjectLayout.ByteString.Bytes, 10 bits))
  }
  when(state === HaveString) { io.by := ObjectLayout.Array.Length }
  when(state === Bytes) { io.by := (walk.left +^ ObjectLayout.Array.Elements - walk.size).resize(10).asSInt }
  when(state === AskEnd) { io.by := 0 }
  when(state === GoToEnd) { io.by := end.by.resize(10).asSInt }
  def moveDown(): Unit = {
    io.move := True
    walk.log2Size := walk.below
    walk.left := walk.left - walk.size
  }
  /** Moves to the next element, if there is one. */
  def goDown(): Unit = {
    when(isLast) {
      state := Rest
      when(text.active) {
        state := Length
      }
    } otherwise {
      moveDown()
      io.ask := walk.crosses
      state := Element
    }
  }
}
