package heapwire.protobuf.engine.read

import heapwire.protobuf.Varint
import heapwire.protobuf.engine.logic.Same
import spinal.core._
import spinal.lib._

/** The mode of the window: what it does next. */
object WindowMode extends SpinalEnum {
  /** Waits. */
  val Blocked = newElement()
  /** Cuts a key; cuts the value or length that belongs to the key. */
  val Key, Value = newElement()
  /** Cuts values of a packed field, up to `limit`; then continues with fields of the same message. */
  val Packed = newElement()
  /** The copier takes bytes up to `limit`, or they are skipped; then continues with fields. */
  val Bytes, Skip = newElement()
  /** The copier takes as many bytes as it wants. */
  val Copy = newElement()
}

/** How the window continues. */
case class WindowCommand() extends Bundle {
  val mode = WindowMode()
  /** With Packed: the wire type of the elements; of a single value behind skipped bytes. */
  val wireType = Bits(3 bits)
  /** The input offset where the run ends; with `frame`, where the message ends. */
  val limit = UInt(32 bits)
  /** With Key: `limit` is the end of another message. */
  val frame = Bool()
}

object ItemKind extends SpinalEnum { val Key, Value, End = newElement() }

/** A key, a value or the end of a message, cut out of the input. */
case class WindowItem() extends Bundle {
  val kind = ItemKind()
  /** The bytes from its first one on. */
  val bytes = Bits(80 bits)
  /** Number of its bytes if it is a varint; 10 if it is `endless`. */
  val varint = UInt(4 bits)
  val wireType = Bits(3 bits)
  /** Input offset of its first byte, and of the byte behind it. */
  val position, end = UInt(32 bits)
  /** The item extends beyond the end of the enclosing message or run; that end is the end of the input. */
  val exceeds, toInputEnd = Bool()
  /** A varint without an end in its first ten bytes. */
  val endless = Bool()
  /** A key behind which the window waits for a command. */
  val alone = Bool()
  /** A value of a packed field. */
  val element = Bool()
}

/** Holds the next bytes of the input and cuts out keys and values, one per cycle. It runs ahead through scalar fields,
  * and waits for a command behind a length, a group's key, the end of a message, and any error.
  *
  * Only what depends on continuation bits is decided in the cycle in which the bytes are cut. The bytes themselves are
  * evaluated in the next one.
  *
  * @param wide a word comes every cycle. Otherwise a word comes every other cycle, and the stage that takes it is
  *             separate from the cutting
  */
case class Window(wide: Boolean) extends Component {
  import WindowMode._
  val io = new Bundle {
    val word = slave(Stream(StreamWord()))
    /** Drops all words. The payload is the position of the first byte in the next word. */
    val start = slave(Flow(UInt(3 bits)))
    /** Sets the offset of the next byte, and waits. `position` shows the offset 2 cycles later; a command in the next
      * cycle already uses it.
      */
    val seek = slave(Flow(UInt(32 bits)))
    /** Sets the input's end, at the beginning of the input: the offset of the next byte becomes 0. */
    val inputEnd = slave(Flow(UInt(32 bits)))
    /** Enters mode Copy, and drops what was read ahead. */
    val pause = in Bool ()
    /** For field instructions: cuts a single value behind skipped bytes and then waits; it also waits behind copied
      * bytes. Packed values end as a message does.
      */
    val single = in Bool ()
    val command = slave(Flow(WindowCommand()))
    val kill = in Bool ()
    val item = master(Stream(WindowItem()))
    /** In modes Bytes and Copy: `take` bytes are wanted (up to 8); they are taken in this cycle (`available`); they are
      * in `bytes` in the next cycle.
      */
    val wants = in Bool ()
    val take = in UInt (4 bits)
    val available = out Bool ()
    val bytes = out Bits (64 bits)
    val position = out UInt (32 bits)
    /** The next word of the input was denied by the bus. */
    val fault = out Bool ()
    val starving = out Bool ()
    /** Number of bytes that are left in the enclosing message or run. */
    val left = out UInt (32 bits)
  }
  // ---- words, in a chain of registers without multiplexers ----------------------------
  val words = Vec.fill(3)(Reg(Bits(64 bits)))
  val errors = Vec.fill(3)(Reg(Bool()))
  val valid = Vec.fill(3)(RegInit(False))
  /** Position of the next byte; more than 7 until the first word has gone. */
  val offset = Reg(UInt(4 bits))
  val pop = Bool()
  val settled = !offset.msb
  /** The first two registers are valid; all three are. These are registers, so that `pop`, which is late, reaches all
    * words at the same time.
    */
  private val fullTwo = RegInit(False)
  private val fullThree = wide generate RegInit(False)
  /** A register takes a word even if none leaves. */
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
  if (wide) fullThree := io.word.valid && (valid(0) ? ((valid(1) || valid(2)) && !pop) | (valid(1) && valid(2))) ||
    fullThree && (!pop || io.word.valid)
  when(io.start.valid || io.kill) { (valid ++ Seq(fullTwo) ++ Option(fullThree)).foreach(_ := False) }

  // ---- the length of the next item -----------------------------------------------------
  val mode = Reg(WindowMode()) init Blocked
  val wireType = Reg(Bits(3 bits))
  val position, messageEnd, inputEnd = Reg(UInt(32 bits))
  /** The end of the skipped, copied or packed run; while `inRun`, it replaces the message's end. */
  private val runEnd = Reg(UInt(32 bits))
  private val inRun = Reg(Bool())
  // Selected behind the registers, because the values of a command come late.
  val limit = inRun ? runEnd | messageEnd
  /** `limit` has changed. */
  val moved = RegInit(False)
  moved := False
  private val all = words.asBits
  private val here = settled && valid(0)
  /** The varint that may begin at the next byte. A varint of one byte is recognized at once. The end of a longer one is
    * searched from a register: it is `known` in the second cycle in which nothing is taken and no word comes for which
    * the varint waits. So no item waits until ten bits have been rotated, and the fields of a message, whose keys take
    * three cycles each, lose no time.
    */
  val varint = new Area {
    private val low = offset(2 downto 0)
    val known = RegInit(False)
    val short = !words(0).subdivideIn(8 bits).map(_.msb).read(low)
    /** Continuation bits from the next byte on. The bits of missing bytes, and of all bytes behind those, are set. So
      * arriving words can only end a varint that did not end before.
      */
    private val bits = Varint.continuations(all) | Cat((0 until 24).map(i => !valid.take(i / 8 + 1).andR))
    private val turned = {
      val four = low(2) ? bits(16 downto 4) | bits(12 downto 0)
      val two = low(1) ? four(12 downto 2) | four(10 downto 0)
      low(0) ? two(10 downto 1) | two(9 downto 0)
    }
    /** No byte that is here ends the varint. */
    val opens = turned.andR
    val open = RegNext(opens)
    val endless = known && open
    val found = RegNext(Varint.continued(turned)) + 1
    val length = known ? found | U(1, 4 bits)
    /** The varint ends within the words. */
    val ends = here && short || known && !open
    val firstType = Vec((0 until 8).map(i => words(0)(8 * i, 3 bits)))(low)
  }
  val scanning = (mode === Key || mode === Value || mode === Packed) && !moved
  private val asKey = mode === Key
  private val isFixed64 = !asKey && wireType === 1
  private val isFixed32 = !asKey && wireType === 5
  /** Number of bytes up to `limit`. In the cycle after a change of `limit`, nothing is cut and this is not valid. */
  val left = Reg(UInt(32 bits))
  /** Fewer than 32 bytes are left. One cycle late while up to 8 bytes per cycle are taken; no comparison needs more
    * than 24.
    */
  val leftSmall = Reg(Bool())
  val atEnd = leftSmall && left(4 downto 0) === 0
  private val isFixed = isFixed64 || isFixed32
  private val ofFixed = (isFixed64 ## isFixed32 ## B"00").asUInt
  /** Length of the item that is cut; of what is skipped; of what is skipped or copied. */
  private val ofItem = isFixed ? ofFixed | varint.length
  private val lastOfSkip = leftSmall && left(4 downto 3) === 0
  private val ofSkip = lastOfSkip ? left(3 downto 0) | U(8, 4 bits)
  private val ofRun = (mode === Skip) ? ofSkip | io.take
  private val runs = mode === Bytes || mode === Skip || mode === Copy
  val length = runs ? ofRun | ofItem
  val have = here ? ((valid(1) ? (valid(2) ? U(24, 5 bits) | U(16, 5 bits)) | U(8, 5 bits)) - offset(2 downto 0)) |
    U(0, 5 bits)
  val exceeds = leftSmall && left(4 downto 0) < ofItem
  /** All of the message's bytes, or as many as a varint may have, were there a cycle before. */
  val sighted = RegNext(!moved && leftSmall && left(4 downto 0) <= have || have >= 10)
  /** Returns where `length` bytes from the next one on end, in their word or behind it. */
  private def reach(length: UInt): UInt = offset(2 downto 0) +^ length
  /** Returns whether at most 8 bytes that end at `end` are here. */
  private def fits(end: UInt): Bool = here && (valid(1) || !end(3) || end(2 downto 0) === 0)
  private val takeEnd = reach(io.take)
  private val skipEnd = reach(left(2 downto 0)).resize(4)
  private val skipFits = lastOfSkip ? fits(skipEnd) | (here && (valid(1) || offset(2 downto 0) === 0))
  private val fixedFits = here &&
    (valid(1) || offset(1 downto 0) === 0 && !(isFixed64 && offset(2)) || isFixed32 && !offset(2))
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
  // The positions of words and offset behind an error do not matter: the command ends.
  private val moves = cut || run
  private val takes = cut && !broken || run
  when(takes) { position := item.end }
  private val ahead = limit - position
  when(moved || takes) { left := moved ? ahead | (left - length) }
  leftSmall := (moved ? ahead | left)(31 downto 5) === 0
  private val further = offset(2 downto 0) +^ length
  // Words move on in the same cycle. This does not wait for `cut`, which is late: each kind of item has its own
  // condition, and a varint of one byte leaves its word only if it is the word's last byte.
  private val fixedLeaves = (fixedFits || varint.known && sighted) && (isFixed64 || offset(2))
  private val varintLeaves = varint.known ? ((!varint.open || sighted) && reach(varint.found)(4 downto 3) =/= 0) |
    (offset(2 downto 0) === 7 && !words(0).msb)
  pop := valid(0) &&
    (!settled || mayCut && (isFixed ? fixedLeaves | varintLeaves) || io.available && takeEnd(3) ||
      skips && (!lastOfSkip || skipEnd(3)))
  // If an item takes 16 bytes, two words leave, the second one a cycle later.
  offset := (settled ? (moves && further.msb) | !valid(0)).asUInt @@ (moves ? further(2 downto 0) | offset(2 downto 0))
  /** A word moves to a free place. */
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
  /** The last bytes up to the limit are taken. */
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
  // The mode changes one cycle later; in between nothing is cut anyway.
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
  // One cycle later, in which nothing is cut: the program's result comes late.
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
  // The copier's bytes use the same registers, which nothing else changes in mode Bytes.
  val bytes = RegNext(item.bytes(63 downto 0))
  io.bytes := bytes
  io.position := position
  io.fault := settled && valid(0) && errors(0) && mode =/= Blocked
  io.starving := mode =/= Blocked && !(settled && valid(0))
  io.left := left
}
