package heapwire.cereal.deserialize

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** One or two references of a block, as they will be in memory. */
case class ReferenceWords(p: MemoryParameter, reconstructors: Int) extends Bundle {
  val to = UInt(log2Up(reconstructors) max 1 bits)
  val buffer = UInt(1 bits)
  val row = UInt(3 bits)
  val two = Bool()
  /** Granule numbers of addresses; null is 0. */
  val granules = Vec.fill(2)(UInt(p.addressWidth - 3 bits))
}

/** Turns a stream's references into addresses, and checks that each leads to the start of an object.
  *
  * A reference waits until the map of starts covers its target. It is then passed on at once: the map's answer follows
  * one cycle later, or from memory through [[FarStarts]], and only errors are reported. Throughput: two references per
  * cycle; one cycle more if both need a read of memory. Nothing is looked up while `run` is low. `error` (pulse) comes
  * with `offset`. `idle` (level): everything that was taken has been checked. Latency: 1 cycle.
  */
case class ReferenceChecker(c: DeserializationUnitParameter, p: MemoryParameter) extends Component {
  private val wordShift = log2Up(p.dataWidth)
  private val nearWords = c.startsBytes / p.wordBytes
  val io = new Bundle {
    val run = in(Bool())
    val image = in(ImageShape(p))
    val pair = slave(Stream(ReferencePair(c.reconstructors)))
    val words = master(Flow(ReferenceWords(p, c.reconstructors)))
    val passed = in UInt (Width.Granules + 1 - wordShift bits)
    val complete = in(Bool())
    val near = out Vec (UInt(log2Up(nearWords) bits), 2)
    val map = in Vec (Bits(p.dataWidth bits), 2)
    val far = master(Stream(UInt(Width.Granules bits)))
    val farOffset = out UInt (Width.Offset bits)
    val error, idle, waiting = out(Bool())
    val offset = out UInt (Width.Offset bits)
  }

  case class Target() extends Bundle {
    val present = Bool() // there is a reference, and it is not null
    val granule = UInt(Width.Granules bits)
  }
  case class Checked() extends Bundle {
    val pair = ReferencePair(c.reconstructors)
    val targets = Vec.fill(2)(Target())
    val bad = Bool()
  }
  private val granules = io.image.bytes >> 3
  val checked = io.pair.map { pair =>
    val checked = Checked()
    checked.pair := pair
    for ((target, i) <- checked.targets.zipWithIndex) {
      val number = pair.numbers(i)
      target.present := number =/= 0 && (if (i == 0) True else pair.two)
      target.granule := (number - 1).resized
    }
    checked.bad := pair.malformed || pair.numbers(0) > granules || pair.two && pair.numbers(1) > granules
    checked
  }.m2sPipe(flush = !io.run)

  case class View(target: Target) extends Area {
    val word = target.granule >> wordShift
    val isNear = word < nearWords
    val there = word < io.passed
    val isFar = target.present && !isNear
    val never = target.present && !there && io.complete
    val settled = !target.present || there
  }
  val views = checked.targets.map(View(_))
  /** The look-up of the first reference has been sent to memory. */
  val firstAsked = RegInit(False)
  val settled = views.map(_.settled).andR
  val bad = checked.bad || views.map(_.never).orR
  // In the first cycle without `run`, a pair is still here.
  val go = io.run && checked.valid && !bad && settled
  val second = firstAsked || !views(0).isFar
  io.far.valid := go && (views(0).isFar && !firstAsked || views(1).isFar)
  io.far.payload := (second ? checked.targets(1) | checked.targets(0)).granule
  io.farOffset := checked.pair.offset
  val farDone = (!views(1).isFar && (second || io.far.ready)) || views(1).isFar && second && io.far.ready
  checked.ready := go && farDone
  when(io.far.fire) { firstAsked := True }
  when(checked.ready || !io.run) { firstAsked := False }

  for ((near, view) <- io.near.zip(views)) near := view.word.resized
  val asked = views.map(view => RegNext(checked.fire && view.target.present && view.isNear) init False)
  val found = (0 until 2).map(i => io.map(i)(RegNext(checked.targets(i).granule.resize(wordShift))))
  val missing = (0 until 2).map(i => asked(i) && !found(i)).orR
  val failed = RegNext(missing) init False
  val failedOffset = RegNext(RegNext(checked.pair.offset))
  io.error := io.run && (checked.valid && bad || failed)
  io.offset := failed ? failedOffset | checked.pair.offset
  io.idle := !checked.valid && !asked.orR && !failed && !io.pair.valid
  io.waiting := checked.valid && !settled

  io.words.valid := checked.fire
  io.words.to := checked.pair.to
  io.words.buffer := checked.pair.buffer
  io.words.row := checked.pair.row
  io.words.two := checked.pair.two
  for ((word, target) <- io.words.granules.zip(checked.targets))
    word := target.present ? ((io.image.base >> 3) + target.granule) | U(0)
}
