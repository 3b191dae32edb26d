package heapwire.cereal.serialize

import heapwire.cereal.ConstantComparison
import heapwire.cereal.road._
import heapwire.isa.{CerealFormat, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Slots of an object, 32 bits each; `mask` says which are valid. */
case class SlotWord(lanes: Int) extends Bundle {
  val data = Vec.fill(lanes)(Bits(32 bits))
  val mask = Bits(lanes bits)
}

/** The layout of an object. */
case class LayoutItem() extends Bundle {
  val isArray = Bool()
  /** Number of slots behind the header; for arrays, how many of them from the first on are references. */
  val slots, ones = UInt(Image.SlotWidth bits)
  val references = Bits(32 bits)
}

/** Takes objects apart, in order: the object handler of Cereal (ISCA 2020, section V.B). It sends values, references
  * and the layout to three outputs. Throughput: one [[PathWord]] of the object per cycle unless an output stalls. The
  * references of a window leave one word ahead of its values.
  *
  * The klass is replaced by the class id, a mark keeps only its hash, and bytes of an array's last two slots that no
  * element fills become zero. For Skyway (`clones`), all slots are output as values: `holes` tells which are
  * references, metadata are zero, and there are no layouts.
  */
case class ObjectHandler(m: MemoryParameter, skyway: Boolean = false) extends Component {
  private val lanes = Window.lanes(m)
  private val windowSteps = Window.words(m)
  val io = new Bundle {
    val strip = in(Bool())
    val clones = skyway generate in(Bool())
    val input = slave(Stream(PendingObject()))
    /** The words that the windows lack, one span per object. */
    val word = slave(Stream(PathSpanWord(m)))
    val values = master(Stream(SlotWord(lanes)))
    /** The slots among the values whose number is still to come. */
    val holes = skyway generate out(Bits(lanes bits))
    val references = master(Stream(SlotWord(lanes)))
    val layout = master(Stream(LayoutItem()))
    /** The number of references that leave, and that an object is finished. */
    val born = out UInt (log2Up(lanes + 1) bits)
    val finished = out(Bool())
    val fault = master(Flow(Fault()))
  }
  private val clones = if (skyway) io.clones else False
  private val item = io.input.payload
  private val shape = item.shape
  private val slots = ConstantComparison(item.slots, 4)
  private val short = if (Window.canBeShort(m)) item.short else False

  val step = Reg(UInt(log2Up(windowSteps + 1) bits)) init 0
  /** For the slots behind the window: how many are left, and, for instances, whether they are references. */
  val left = Reg(UInt(Image.SlotWidth bits))
  val bits = Reg(Bits(32 bits))
  val behind = step === windowSteps

  /** Returns the slot with only those bytes kept that an element fills, if it is one of an array's last two slots. */
  private def clean(data: Bits, isLast: Bool, isSecond: Bool): Bits = {
    val count = UInt(3 bits)
    count := 4
    when(shape.isArray && isLast) { count := item.pad(2) ? U(0, 3 bits) | (U(4, 3 bits) - item.pad) }
    when(shape.isArray && isSecond && item.pad(2)) { count := (U(8, 4 bits) - item.pad).resized }
    Cat((0 until 4).map(byte => data(8 * byte, 8 bits).andMask(count > byte)))
  }

  /** The slots of the window, which are at fixed positions. */
  val window = new Area {
    val exists, isReference, isValue = Bits(Window.Slots bits)
    val data = Vec.fill(Window.Slots)(Bits(32 bits))
    for (i <- 0 until Window.Slots) {
      exists(i) := (if (i < 4) True else slots > i && (if (i >= Window.ShortSlots) !short else True))
      val isLast = slots === i + 1
      val isSecond = slots === i + 2
      val element = if (i >= 6) shape.isReferences && !(isLast && item.pad(2)) else False
      isReference(i) := (if (i < 4) False else exists(i) && (shape.isArray ? element | shape.references(i - 4)))
      data(i) := (if (i >= 6) clean(item.window(i), isLast, isSecond) else item.window(i))
      isValue(i) := exists(i) && !isReference(i) &&
        (i match {
          case 0 => !io.strip
          case 1 => True
          case 2 => shape.isArray
          case 3 => False
          case 4 | 5 => !shape.isArray
          case _ => True
        })
    }
    data(0).removeAssignments() :=
      item.window(0)(31 downto CerealFormat.MarkLowBits) ## B(CerealFormat.MarkLow, CerealFormat.MarkLowBits bits)
    data(1).removeAssignments() := shape.id.asBits.resized
    if (skyway) {
      data(2).removeAssignments() := item.window(2).andMask(shape.isArray)
      data(3).removeAssignments() := 0
      for (i <- 4 to 5) data(i).removeAssignments() := item.window(i).andMask(!shape.isArray)
    }
    val brought = short ? U(Window.ShortSlots, 4 bits) | U(Window.Slots, 4 bits)
    val ends = (0 until windowSteps - 1).map(i => step === i && slots <= lanes * (i + 1)).orR ||
      step === windowSteps - 1 && (short ? (slots <= Window.ShortSlots) | (slots <= Window.Slots))
  }

  val rest = new Area {
    val exists, isReference, isValue = Bits(lanes bits)
    val data = Vec.fill(lanes)(Bits(32 bits))
    private val few = ConstantComparison(left, 3)
    private val words = io.word.data.subdivideIn(32 bits)
    for (i <- 0 until lanes) {
      val isLast = few === i + 1
      val isSecond = few === i + 2
      exists(i) := few > i
      isReference(i) := exists(i) && (shape.isArray ? (shape.isReferences && !(isLast && item.pad(2))) | bits(i))
      isValue(i) := exists(i) && !isReference(i)
      data(i) := clean(words(i), isLast, isSecond)
    }
    val ends = few <= lanes
  }

  val here = io.input.valid && (!behind || io.word.valid)
  val values = SlotWord(lanes)
  val references = SlotWord(lanes)
  for (i <- 0 until lanes) {
    values.data(i) := rest.data(i)
    references.data(i) := rest.data(i)
  }
  values.mask := rest.isValue
  references.mask := rest.isReference
  for (k <- 0 until windowSteps) when(step === k) {
    values.mask := window.isValue(k * lanes, lanes bits)
    for (i <- 0 until lanes) values.data(i) := window.data(k * lanes + i)
    // No slot before the fifth is a reference.
    val ahead = 4 + k * lanes
    references.mask := (if (ahead < Window.Slots) window.isReference(ahead, lanes bits) else B(0, lanes bits))
    if (ahead < Window.Slots) for (i <- 0 until lanes) references.data(i) := window.data(ahead + i)
  }
  if (skyway) {
    io.holes := rest.isReference
    for (k <- 0 until windowSteps) when(step === k) { io.holes := window.isReference(k * lanes, lanes bits) }
    when(clones) {
      values.mask := rest.exists
      for (k <- 0 until windowSteps) when(step === k) { values.mask := window.exists(k * lanes, lanes bits) }
    }
  }
  val opens = step === 0
  val hasValues = values.mask.orR
  val hasReferences = references.mask.orR
  val bad = behind && io.word.error
  val able = here && !bad
  private val valuesReady = !hasValues || io.values.ready
  private val referencesReady = !hasReferences || io.references.ready
  private val layoutReady = !opens || clones || io.layout.ready
  io.values.valid := able && hasValues && referencesReady && layoutReady
  io.values.payload := values
  io.references.valid := able && hasReferences && valuesReady && layoutReady
  io.references.payload := references
  io.layout.valid := able && opens && !clones && valuesReady && referencesReady
  io.layout.isArray := shape.isArray
  io.layout.slots := item.slots - (shape.isArray ? U(6, 3 bits) | U(4, 3 bits))
  io.layout.ones := (io.layout.slots - item.pad(2).asUInt).andMask(shape.isReferences)
  io.layout.references := shape.references
  val fire = able && valuesReady && referencesReady && layoutReady
  val ends = behind ? rest.ends | window.ends
  io.word.ready := fire && behind
  io.input.ready := fire && ends
  io.finished := fire && ends
  io.born := CountOne(references.mask).andMask(fire)
  when(fire) {
    when(behind) {
      left := left - lanes
      bits := bits |>> lanes
    } otherwise {
      step := step + 1
      left := item.slots - window.brought
      bits := short ? (shape.references |>> (Window.ShortSlots - 4)) | (shape.references |>> (Window.Slots - 4))
    }
    when(ends) { step := 0 }
  }
  io.fault.valid := here && bad
  io.fault.status := Status.BusFault.code
  io.fault.at := item.address
}
