package heapwire.protobuf.engine

import heapwire.protobuf.Varint
import spinal.core._
import spinal.lib._

/** What the window does next. */
object WindowMode extends SpinalEnum {
  /** Waits. */
  val Blocked = newElement()
  /** A key; the value or length that belongs to it. */
  val Key, Value = newElement()
  /** Values of a packed field, up to `limit`; then fields of the same message again. */
  val Packed = newElement()
  /** The copier takes bytes up to `limit`, or they are dropped; then fields again. */
  val Bytes, Skip = newElement()
  /** The copier takes bytes, as many as it wants. */
  val Copy = newElement()
}

/** Where the window goes on. */
case class WindowCommand() extends Bundle {
  val mode = WindowMode()
  /** Packed: wire type of the elements; of a single value behind what is skipped. */
  val wireType = Bits(3 bits)
  /** Where that ends; of a message, with `frame`. */
  val limit = UInt(32 bits)
  /** Key: `limit` is the end of another message. */
  val frame = Bool()
}

object ItemKind extends SpinalEnum { val Key, Value, End = newElement() }

/** A key, a value or the end of a message, as it was cut out of the input. */
case class WindowItem() extends Bundle {
  val kind = ItemKind()
  /** From its first byte on. */
  val bytes = Bits(80 bits)
  /** Its bytes, if it is a varint; 10 of one that is `endless`. */
  val varint = UInt(4 bits)
  val wireType = Bits(3 bits)
  /** Offset of its first byte, and of the one behind it. */
  val position, end = UInt(32 bits)
  /** It passes the end of what encloses it; that is the end of the input. */
  val exceeds, toInputEnd = Bool()
  /** A varint that none of ten bytes ends. */
  val endless = Bool()
  /** A key that nothing follows until a command. */
  val alone = Bool()
  /** A value of a packed field. */
  val element = Bool()
}

/** The next bytes of the input. Cuts out keys and values, one a cycle; runs ahead through scalar fields and waits for a
  * command behind a length, a group's key, the end of a message, and anything that is wrong.
  *
  * Only what depends on continuation bits is decided in the cycle in which the bytes are cut; the bytes themselves are
  * looked at in the next one.
  *
  * @param wide a word comes every cycle; else every other cycle, and what takes the words is no stage of what cuts them
  */
case class Window(wide: Boolean) extends Component {
  import WindowMode._
  val io = new Bundle {
    val word = slave(Stream(StreamWord()))
    /** Forgets its words; the first byte is at this place of the next one. */
    val start = slave(Flow(UInt(3 bits)))
    /** The offset of the next byte; waits then. `position` shows it 2 cycles later; a command of the next cycle goes by
      * it.
      */
    val seek = slave(Flow(UInt(32 bits)))
    /** The offset where the input ends, at its beginning: the next byte's is 0. */
    val inputEnd = slave(Flow(UInt(32 bits)))
    /** Mode Copy; nothing that was read ahead comes. */
    val pause = in Bool ()
    /** Single values are cut: one behind what is skipped, then it waits, and behind bytes, too. Packed values end as a
      * message does.
      */
    val single = in Bool ()
    val command = slave(Flow(WindowCommand()))
    val kill = in Bool ()
    val item = master(Stream(WindowItem()))
    /** Mode Bytes: so many are wanted (up to 8); they are taken in this cycle; they are in `bytes` in the next. */
    val wants = in Bool ()
    val take = in UInt (4 bits)
    val available = out Bool ()
    val bytes = out Bits (64 bits)
    val position = out UInt (32 bits)
    /** A word of the input that was denied was reached. */
    val fault = out Bool ()
    val starving = out Bool ()
    /** Bytes of what encloses it that are left. */
    val left = out UInt (32 bits)
  }
  // ---- words, in a chain whose links need no multiplexers ----------------------------
  val words = Vec.fill(3)(Reg(Bits(64 bits)))
  val errors = Vec.fill(3)(Reg(Bool()))
  val valid = Vec.fill(3)(RegInit(False))
  /** Of the next byte; beyond 7 until the first word has gone. */
  val offset = Reg(UInt(4 bits))
  val pop = Bool()
  val settled = !offset.msb
  /** The first two links are valid, and all three. Registers say so: then all links see `pop`, which is late, at the
    * same time.
    */
  private val fullTwo = RegInit(False)
  private val fullThree = wide generate RegInit(False)
  /** A link takes a word even if none goes. */
  private val free = Seq(!valid(0), !fullTwo, if (wide) !fullThree else !valid(2))
  val ready = Vec((0 until 3).map(i => if (i < 2 || wide) free(i) || pop else free(i)))
  io.word.ready := ready(2)
  for (i <- 0 until 3) when(ready(i)) {
    words(i) := (if (i < 2) words(i + 1) else io.word.data)
    errors(i) := (if (i < 2) errors(i + 1) else io.word.error)
    valid(i) := (if (i < 2) valid(i + 1) else io.word.valid)
  }
  if (!wide) when(ready(1) && valid(2)) { valid(2) := False }
  fullTwo := fullTwo ? (!pop || valid(2)) | (valid(2) && (valid(0) ? !pop | valid(1)))
  if (wide) fullThree := io.word.valid && (valid(0) ? ((valid(1) || valid(2)) && !pop) | (valid(1) && valid(2))) || fullThree && (!pop || io.word.valid)
  when(io.start.valid || io.kill) { (valid ++ Seq(fullTwo) ++ Option(fullThree)).foreach(_ := False) }

  // ---- how long what comes next is -----------------------------------------------------
  val mode = Reg(WindowMode()) init Blocked
  val wireType = Reg(Bits(3 bits))
  val position, messageEnd, inputEnd = Reg(UInt(32 bits))
  /** The end of what is skipped, copied or packed; that counts, and not the message's. */
  private val runEnd = Reg(UInt(32 bits))
  private val inRun = Reg(Bool())
  // Chosen behind the registers, as what a command brings comes late.
  val limit = inRun ? runEnd | messageEnd
  /** `limit` is another one. */
  val moved = RegInit(False)
  moved := False
  private val all = words.asBits
  private val here = settled && valid(0)
  /** Of the varint that may begin at the next byte. One of a byte shows at once. What a longer one ends with is looked
    * for in a register: it is `known` in the second cycle in which nothing is taken, and no word comes that it waits
    * for. So no item waits for ten bits to be turned to their places, and the fields of a message, whose keys take
    * three cycles each, lose nothing by it.
    */
  val varint = new Area {
    private val low = offset(2 downto 0)
    val known = RegInit(False)
    val short = !words(0).subdivideIn(8 bits).map(_.msb).read(low)
    /** Continuation bits from the next byte on. Those of bytes that are not here are set, and so are those of all
      * behind them: so words that come end what did not end before, and change nothing else.
      */
    private val bits = Varint.continuations(all) | Cat((0 until 24).map(i => !valid.take(i / 8 + 1).andR))
    private val turned = {
      val four = low(2) ? bits(16 downto 4) | bits(12 downto 0)
      val two = low(1) ? four(12 downto 2) | four(10 downto 0)
      low(0) ? two(10 downto 1) | two(9 downto 0)
    }
    /** None of the bytes that are here ends it. */
    val opens = turned.andR
    val open = RegNext(opens)
    val endless = known && open
    val found = RegNext(Varint.continued(turned)) + 1
    val length = known ? found | U(1, 4 bits)
    /** It ends within the words. */
    val ends = here && short || known && !open
    val firstType = Vec((0 until 8).map(i => words(0)(8 * i, 3 bits)))(low)
  }
  val scanning = (mode === Key || mode === Value || mode === Packed) && !moved
  private val asKey = mode === Key
  private val isFixed64 = !asKey && wireType === 1
  private val isFixed32 = !asKey && wireType === 5
  /** Bytes up to `limit`; a cycle behind another limit, in which nothing is cut. */
  val left = Reg(UInt(32 bits))
  /** Fewer than 32. A cycle late while bytes are taken, which are 8 a cycle: nobody asks about more than 24. */
  val leftSmall = Reg(Bool())
  val atEnd = leftSmall && left(4 downto 0) === 0
  private val isFixed = isFixed64 || isFixed32
  private val ofFixed = (isFixed64 ## isFixed32 ## B"00").asUInt
  /** Of what is cut; of what is skipped; of that, or what the copier takes. */
  private val ofItem = isFixed ? ofFixed | varint.length
  private val lastOfSkip = leftSmall && left(4 downto 3) === 0
  private val ofSkip = lastOfSkip ? left(3 downto 0) | U(8, 4 bits)
  private val ofRun = (mode === Skip) ? ofSkip | io.take
  private val runs = mode === Bytes || mode === Skip || mode === Copy
  val length = runs ? ofRun | ofItem
  val have = here ? ((valid(1) ? (valid(2) ? U(24, 5 bits) | U(16, 5 bits)) | U(8, 5 bits)) - offset(2 downto 0)) | U(0, 5 bits)
  val exceeds = leftSmall && left(4 downto 0) < ofItem
  /** All of the message's bytes were there a cycle before, or as many as a varint may have. */
  val sighted = RegNext(!moved && leftSmall && left(4 downto 0) <= have || have >= 10)
  /** Where so many bytes from the next one on end, in their word and behind it. */
  private def reach(length: UInt): UInt = offset(2 downto 0) +^ length
  /** Bytes, at most 8, that end there are here. */
  private def fits(end: UInt): Bool = here && (valid(1) || !end(3) || end(2 downto 0) === 0)
  private val takeEnd = reach(io.take)
  private val skipEnd = reach(left(2 downto 0)).resize(4)
  private val skipFits = lastOfSkip ? fits(skipEnd) | (here && (valid(1) || offset(2 downto 0) === 0))
  private val fixedFits = here && (valid(1) || offset(1 downto 0) === 0 && !(isFixed64 && offset(2)) || isFixed32 && !offset(2))
  val enough = (isFixed ? fixedFits | varint.ends) || varint.known && sighted

  // ---- the item is cut out -------------------------------------------------------------
  val item = Stream(WindowItem())
  val ends = (asKey || mode === Packed) && atEnd
  private val mayCut = scanning && !ends && item.ready
  val cut = mayCut && enough
  private val within = !atEnd && !moved
  private val skips = mode === Skip && within && skipFits
  io.available := io.wants && (mode === Copy || mode === Bytes && within) && fits(takeEnd)
  val run = io.available || skips
  private val broken = exceeds || varint.endless && !isFixed
  // Where words and offset are behind what is wrong, nobody asks: the command ends.
  private val moves = cut || run
  private val takes = cut && !broken || run
  when(takes) { position := item.end }
  private val ahead = limit - position
  when(moved || takes) { left := moved ? ahead | (left - length) }
  leftSmall := (moved ? ahead | left)(31 downto 5) === 0
  private val further = offset(2 downto 0) +^ length
  // Words move on in the same cycle. Whether they do does not wait for `cut`, which is late: each kind of item has its
  // own condition, and a varint of one byte ends its word only as the last byte there.
  private val fixedLeaves = (fixedFits || varint.known && sighted) && (isFixed64 || offset(2))
  private val varintLeaves = varint.known ? ((!varint.open || sighted) && reach(varint.found)(4 downto 3) =/= 0) | (offset(2 downto 0) === 7 && !words(0).msb)
  pop := valid(0) && (!settled || mayCut && (isFixed ? fixedLeaves | varintLeaves) || io.available && takeEnd(3) || skips && (!lastOfSkip || skipEnd(3)))
  // Of 16 bytes two words go, the second one a cycle later.
  offset := (settled ? (moves && further.msb) | !valid(0)).asUInt @@ (moves ? further(2 downto 0) | offset(2 downto 0))
  /** A word comes to a place that is free. */
  private val comes = (0 until 3).map(i => free(i) && (if (i < 2) valid(i + 1) else io.word.valid)).orR
  varint.known := !moves && (settled || !valid(0)) && !io.start.valid && !(comes && varint.opens)

  private val keyType = varint.firstType
  private val withValue = keyType === 0 || keyType === 1 || keyType === 2 || keyType === 5
  item.valid := scanning && (asKey && atEnd || !ends && enough)
  item.kind := asKey ? (atEnd ? ItemKind.End() | ItemKind.Key()) | ItemKind.Value()
  item.bytes := {
    val low = offset(2 downto 0)
    val four = low(2) ? all(135 downto 32) | all(103 downto 0)
    val two = low(1) ? four(103 downto 16) | four(87 downto 0)
    low(0) ? two(87 downto 8) | two(79 downto 0)
  }
  item.varint := varint.length
  item.wireType := asKey ? keyType | wireType
  item.position := position
  item.exceeds := exceeds && !ends
  item.toInputEnd := Same(limit, inputEnd)
  item.endless := varint.endless && !isFixed
  item.element := mode === Packed
  item.alone := asKey && (broken || !withValue)
  item.end := position + length
  when(item.fire) {
    when(asKey) {
      mode := (atEnd || broken || !withValue) ? Blocked | Value
      wireType := keyType
    }
    when(mode === Value) { mode := (broken || wireType === 2 || io.single) ? Blocked | Key }
    when(mode === Packed && broken) { mode := Blocked }
  }
  /** The last of the bytes up to the limit go. */
  private val spent = run && mode =/= Copy && leftSmall && left(4 downto 0) === ofRun
  when((mode === Bytes || mode === Skip || mode === Packed) && atEnd && !moved || spent) {
    mode := Key
    when(io.single && mode === Bytes) { mode := Blocked }
    when(io.single && mode === Skip) { mode := Value }
    when(!(io.single && mode === Packed)) {
      inRun := False
      moved := True
    }
  }
  // The mode follows a cycle later, in which nothing is cut anyway.
  private val next = RegNext(io.command.mode)
  private val follows = RegNext(io.command.valid && !io.kill && !io.pause && !io.seek.valid) init False
  when(io.command.valid) {
    moved := True
    when(io.command.mode =/= Key) {
      runEnd := io.command.limit
      inRun := True
    }
    when(io.command.frame) {
      messageEnd := io.command.limit
      inRun := False
    }
  }
  when(follows) { mode := next }
  when(follows && (next === Packed || io.single && next === Skip)) { wireType := RegNext(io.command.wireType) }
  when(io.start.valid) { offset := io.start.payload.resized }
  when(io.seek.valid) { mode := Blocked }
  // A cycle later, in which nothing is cut: what the program computes comes late.
  when(RegNext(io.seek.valid) init False) { position := RegNext(io.seek.payload) }
  when(io.inputEnd.valid) {
    inputEnd := io.inputEnd.payload
    position := 0
    mode := Blocked
  }
  when(io.pause) { mode := Copy }
  when(io.kill) { mode := Blocked }

  val output = item.m2sPipe(flush = io.kill || io.pause)
  io.item << output
  // The copier's bytes are in the same registers, which nothing else changes in mode Bytes.
  val bytes = RegNext(item.bytes(63 downto 0))
  io.bytes := bytes
  io.position := position
  io.fault := settled && valid(0) && errors(0) && mode =/= Blocked
  io.starving := mode =/= Blocked && !(settled && valid(0))
  io.left := left
}
