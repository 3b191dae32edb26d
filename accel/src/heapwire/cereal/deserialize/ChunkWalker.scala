package heapwire.cereal.deserialize

import heapwire.isa.{CerealFormat, SkywayFormat, Status}
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Walks the objects of a Skyway chunk (docs/reference/skyway.md) twice, 8 bytes per cycle. The first pass checks
  * everything that an object itself shows (mark, class, length, fields that must be 0, references within the chunk) and
  * reports where objects start. The second pass (`moving`) replaces type ids by klasses and relative addresses by
  * addresses, and reports the targets of references, one per cycle.
  *
  *  - `start` (pulse, with `run`): a pass begins. `rest` (level): the pass's last granule has left; later input must be
  *    dropped. `done` (level): all results of the pass have left.
  *  - `granule`: granules of the chunk, in order. `id`, `entry`, `known`, `beyond`: the port of the [[ClassTable]].
  *  - `size`: first pass, one item per granule. `target`: second pass, the granules to which references lead, counted
  *    from the chunk's start.
  *  - `output`: second pass, the chunk's granules; behind them undefined data up to the end of a block of memory.
  *  - `failed` (level) with `status` and `at`, a relative address: the first fault of the pass. The first pass stops
  *    there. The second pass copies the rest as values; it can fail only if another master has written to the chunk.
  *
  * Latency: 1 cycle. While `run` is low, all state is cleared except `objects`, the number of objects that the last
  * first pass has seen.
  */
case class ChunkWalker(p: MemoryParameter) extends Component {
  private val Granules = HardType(UInt(Width.Granules + 1 bits))
  val io = new Bundle {
    val run, start, moving = in(Bool())
    val base = in UInt (32 bits)
    val granules = in(Granules())
    val granule = slave(Stream(Bits(64 bits)))
    val id = out UInt (32 bits)
    val entry = in(ClassEntry())
    val known, beyond = in(Bool())
    val size = master(Stream(ScannedSize()))
    val target = master(Stream(UInt(Width.Granules bits)))
    val output = master(Stream(Bits(64 bits)))
    val done, rest, failed = out(Bool())
    val status = out Bits (Status.Width bits)
    val at, objects = out UInt (32 bits)
  }
  object Part extends SpinalEnum { val Mark, Second, Third, Body = newElement() }
  val part = RegInit(Part.Mark)
  val active, done, failed = RegInit(False)
  val status = Reg(Bits(Status.Width bits))
  val position, left = Reg(Granules())
  val objectAt = Reg(Granules())
  val objects = Reg(UInt(32 bits)) init 0

  // Data behind the chunk in its last word are dropped.
  val here = io.granule.m2sPipe(flush = !io.run || done)
  // The table answers for the granule that is here.
  io.id := (io.granule.ready ? io.granule.payload | here.payload)(63 downto 32).asUInt
  private val low = here.payload(31 downto 0)
  private val high = here.payload(63 downto 32)
  private val blank = here.payload === 0

  /** The current object's class. Below: what is left of its body, and which slots of it are references. */
  val klass = new Area {
    val entry = Reg(ClassEntry())
    val isArray = entry.kind =/= CerealFormat.Kind.Instance
    val isReferences = entry.kind === CerealFormat.Kind.References
    val shift = entry.shape(1 downto 0).asUInt
    val size = entry.shape(CerealFormat.Registration.KindBit - 1 downto 0).asUInt
  }
  val body = Reg(Granules())
  val length = Reg(UInt(32 bits))
  val bits = Reg(Bits(32 bits))
  /** Elements that are references and are still to come. */
  val elements = Reg(UInt(32 bits))

  // After a fault in the second pass nothing is checked any more.
  val raw = failed
  val inBody = part === Part.Body && !raw
  val references = B(0, 2 bits)
  when(inBody) {
    references := klass.isArray ? (klass.isReferences ? ((elements >= 2) ## (elements =/= 0)) | B(0, 2 bits)) |
      bits(1 downto 0)
  }
  case class Slot(word: Bits, isReference: Bool) extends Area {
    val relative = word.asUInt
    val present = isReference && relative =/= 0
    val granule = (relative >> 3) - (SkywayFormat.First >> 3)
    val bad = present && (relative(2 downto 0) =/= 0 || granule >= io.granules)
    val leads = present && !bad
  }
  val slots = Seq(Slot(low, references(0)), Slot(high, references(1)))
  private val astray = slots.map(_.bad).orR
  /** The first of two targets has left. */
  val firstGone = RegInit(False)
  private val two = slots.map(_.leads).andR
  private val onSecond = firstGone || !slots(0).leads
  val targets = StreamFifo(UInt(Width.Granules bits), 4, latency = 1)
  targets.io.flush := !io.run
  io.target << targets.io.pop
  // The last target leaves together with its granule.
  private val lastTarget = !two || firstGone
  targets.io.push.valid := active && io.moving && here.valid && slots.map(_.leads).orR &&
    (io.output.ready || !lastTarget)
  targets.io.push.payload := (onSecond ? slots(1).granule | slots(0).granule).resized
  private val targetsGone = !slots.map(_.leads).orR || targets.io.push.ready && lastTarget
  when(targets.io.push.fire) { firstGone := !lastTarget }

  /** Checks of the object's header, granule by granule. */
  val fault = Bool()
  val why = Bits(Status.Width bits)
  fault := False
  why := Status.BadValue.code
  private val extent = length.resize(35) |<< klass.shift
  private val bodyOfArray = (extent +^ 7) >> 3
  when(!raw) {
    switch(part) {
      is(Part.Mark) {
        when(left < 2 || low(CerealFormat.MarkLowBits - 1 downto 0) =/= CerealFormat.MarkLow) {
          fault := True
        } elsewhen (!io.known || io.beyond) {
          fault := True
          why := Status.UnregisteredClass.code
        } elsewhen (io.entry.kind === CerealFormat.Kind.Elsewhere) {
          fault := True
          why := Status.Unsupported.code
        }
      }
      is(Part.Second) {
        // The object's first granule is no longer included in `left`.
        fault :=
          (klass.isArray ?
            (high =/= 0 || left < 2) |
            (!blank || klass.size(2 downto 0) =/= 0 || klass.size < CerealFormat.InstanceHeader * CerealFormat.Slot ||
              (klass.size >> 3) > left +^ 1))
      }
      is(Part.Third) { fault := !blank || bodyOfArray > left - 1 }
      is(Part.Body) {
        fault := astray
        why := Status.BadReference.code
      }
    }
  }

  val moved = Bits(64 bits)
  moved := here.payload
  when(!raw && part === Part.Mark) { moved(63 downto 32) := io.entry.klass }
  for ((slot, i) <- slots.zipWithIndex)
    when(slot.leads) { moved(32 * i, 32 bits) := (slot.relative + (io.base - SkywayFormat.First)).asBits }
  when(fault) { moved := here.payload }
  /** Pads to the end of the block. */
  val fills = done && io.moving && !io.start && position(log2Up(p.blockBytes / 8) - 1 downto 0) =/= 0
  private val takes = active && here.valid
  io.output.valid := io.run && (fills || takes && io.moving && targetsGone)
  io.output.payload := moved
  private val stops = fault && !io.moving
  io.size.valid := takes && !io.moving && !fault
  io.size.granules := 1
  io.size.start := part === Part.Mark
  here.ready := active && (io.moving ? (io.output.ready && targetsGone) | (io.size.ready && !stops))
  when(io.run && fills && io.output.ready) { position := position + 1 }

  when(takes && fault && !failed) {
    failed := True
    status := why
  }
  private val ends =
    (part === Part.Second && !klass.isArray && klass.size === CerealFormat.InstanceHeader * CerealFormat.Slot) ||
      part === Part.Third && length === 0 || part === Part.Body && body === 1
  when(here.fire) {
    position := position + 1
    left := left - 1
    when(left === 1) {
      active := False
      done := True
    }
    switch(part) {
      is(Part.Mark) {
        klass.entry := io.entry
        bits := io.entry.references
        objectAt := position
        part := Part.Second
        when(!io.moving) { objects := objects + 1 }
      }
      is(Part.Second) {
        length := low.asUInt
        elements := low.asUInt
        body := ((klass.size >> 3) - CerealFormat.InstanceHeader / 2).resized
        part := klass.isArray ? Part.Third | Part.Body
      }
      is(Part.Third) {
        body := bodyOfArray.resized
        part := Part.Body
      }
      is(Part.Body) {
        body := body - 1
        bits := bits |>> 2
        elements := (elements >= 2) ? (elements - 2) | U(0)
      }
    }
    when(ends) { part := Part.Mark }
  }
  // For the mark granule, `objectAt` does not yet hold the object's own position.
  private val faultAt = RegNextWhen((part === Part.Mark) ? position | objectAt, takes && fault && !failed)
  io.at := ((faultAt @@ U(0, 3 bits)) + SkywayFormat.First).resized
  io.done := done && !fills && (targets.io.occupancy === 0)
  io.rest := done
  io.failed := failed
  io.status := status
  io.objects := objects
  when(io.start) {
    active := True
    done := False
    failed := False
    part := Part.Mark
    position := 0
    left := io.granules
    when(!io.moving) { objects := 0 }
  }
  when(!io.run) {
    active := False
    done := False
    failed := False
    firstGone := False
  }
}
