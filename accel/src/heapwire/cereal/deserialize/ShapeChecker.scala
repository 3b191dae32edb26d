package heapwire.cereal.deserialize

import heapwire.isa.CerealFormat
import spinal.core._
import spinal.lib._

/** What the value array says about an object: its class, and an array's length. */
case class ObjectHeader() extends Bundle {
  val entry = ClassEntry()
  val length = UInt(32 bits)
}

/** Checks that each object's layout is the one that its class, and an array's length, imply. Values and layouts both
  * come in the order of objects and wait here for each other. Throughput: one object per cycle. In an array of
  * references of odd length, the last slot must be a value.
  *
  * `error` (pulse) with `offset` comes 3 cycles after the later of the two. `room` (level): three more headers may
  * come. `idle` (level): nothing waits.
  */
case class ShapeChecker() extends Component {
  val io = new Bundle {
    val run = in(Bool())
    val header = slave(Flow(ObjectHeader()))
    val shape = slave(Stream(ObjectShape()))
    val room = out(Bool())
    val error, idle = out(Bool())
    val offset = out UInt (Width.Offset bits)
  }
  private val depth = 8
  val headers = StreamFifo(ObjectHeader(), depth, latency = 1)
  val shapes = StreamFifo(ObjectShape(), 16, latency = 1)
  headers.io.push.valid := io.header.valid
  headers.io.push.payload := io.header.payload
  shapes.io.push << io.shape
  headers.io.flush := !io.run
  shapes.io.flush := !io.run
  io.room := RegNext(headers.io.occupancy <= depth - 5) init False

  case class Expected() extends Bundle {
    val shape = ObjectShape()
    val kind = Bits(2 bits)
    val slots = UInt(35 bits)
    val odd = Bool()
    val references = Bits(32 bits)
  }
  val joined = StreamJoin(headers.io.pop, shapes.io.pop).map { both =>
    val e = Expected()
    val entry = both._1.entry
    e.shape := both._2
    e.kind := entry.kind
    e.references := entry.references
    val bytes = both._1.length.resize(35) |<< entry.shape(1 downto 0).asUInt
    e.slots := (((bytes +^ U(7)) >> 3) << 1).resized
    when(entry.kind === CerealFormat.Kind.Instance) {
      e.slots :=
        ((entry.shape(CerealFormat.Registration.KindBit - 1 downto 0).asUInt >> 2) -
          CerealFormat.InstanceHeader).resized
    }
    e.odd := both._1.length.lsb
    e
  }.m2sPipe(flush = !io.run)
  joined.ready := True

  val sound = new Area {
    val e = joined.payload
    val s = e.shape
    val slots = s.slots === e.slots
    val instance = !s.array && s.references === e.references && !s.beyond
    val values = s.array && !s.anyReference
    val references = s.array && (s.slots === 0 || !s.valueBefore && s.lastReference =/= e.odd)
    val kind = e.kind.mux(
      B(CerealFormat.Kind.Instance, 2 bits) -> instance, B(CerealFormat.Kind.Values, 2 bits) -> values,
      B(CerealFormat.Kind.References, 2 bits) -> references, default -> False)
    val all = slots && kind
  }
  io.error := RegNext(io.run && joined.valid && !sound.all) init False
  io.offset := RegNext(joined.shape.offset)
  io.idle := headers.io.occupancy === 0 && shapes.io.occupancy === 0 && !joined.valid && !io.error
}
