package heapwire.cereal.deserialize

import heapwire.isa.CerealFormat
import heapwire.cereal._
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Expands packed layouts, one bucket per cycle: the layout manager of Cereal (ISCA 2020, section V) without the
  * forming of blocks, which [[BlockCollector]] does. For each bucket it sends the slots to `expansion` and the number
  * of values to `values`; for each item it sends to `shape` what must be compared with the class. An item's bits end
  * before the last 1 of its last bucket.
  *
  * `error` (level): an item without an end bit or without its first bit; bit 7 of an end map; fewer items than objects;
  * slots that do not add up to the graph; or, behind the last item, anything but less than 16 bytes of zeros. `offset`
  * says where. `done` (level): all items and the padding are read and correct. Latency: 2 cycles. While `run` is low,
  * all state is cleared.
  */
case class LayoutManager(p: MemoryParameter) extends Component {
  val io = new Bundle {
    val run = in(Bool())
    val start = in(Bool())
    /** Number of packets in the section, and the section's offset in the stream. */
    val packets = in UInt (Width.Offset + 1 bits)
    val base = in UInt (Width.Offset bits)
    val image = in(ImageShape(p))
    val packet = slave(Stream(Packet()))
    val expansion = master(Stream(Expansion()))
    val values = master(Stream(ValueRun()))
    val shape = master(Stream(ObjectShape()))
    val error, done = out(Bool())
    val offset = out UInt (Width.Offset bits)
  }

  case class Bucket() extends Bundle {
    val bits = Bits(CerealFormat.BucketBits bits)
    val first, last = Bool()
    val offset = UInt(Width.Offset bits)
    /** Number of packets behind the bucket's, saturated. */
    val behind = UInt(2 bits)
    val endsSection = Bool()
  }

  /** Takes the packets apart, one bucket after the other. */
  val buckets = new Area {
    val index = Reg(UInt(3 bits))
    val first = Reg(Bool())
    val left = Reg(UInt(Width.Offset + 1 bits)) // number of packets left, this one included
    val taken = Reg(UInt(Width.Offset + 1 bits))
    val lastOfPacket = index === CerealFormat.PacketBuckets - 1
    val stream = Stream(Bucket())
    stream.valid := io.packet.valid
    stream.bits := io.packet.buckets(index)
    stream.first := first
    stream.last := io.packet.ends(index)
    stream.offset := io.base + (taken >> 1)
    stream.behind := (left - 1).sat(Width.Offset + 1 - 2)
    stream.endsSection := left === 1 && lastOfPacket
    io.packet.ready := stream.ready && lastOfPacket
    val badMap = RegInit(False)
    badMap setWhen (io.packet.valid && io.packet.ends(7))
    when(stream.fire) {
      index := lastOfPacket ? U(0) | (index + 1)
      first := stream.last
      when(lastOfPacket) {
        left := left - 1
        taken := taken + 1
      }
    }
    when(io.start) {
      left := io.packets
      taken := 0
    }
    when(!io.run) {
      index := 0
      first := True
      badMap := False
    }
  }
  val bucket = buckets.stream.m2sPipe(flush = !io.run)

  val items = Reg(UInt(32 bits))
  val total = Reg(UInt(Width.Slots + 1 bits))
  val error = RegInit(False)
  val finished = RegInit(False) // all items have been read
  val done = RegInit(False)

  private val slots = CerealFormat.BucketBits
  val decode = new Area {
    val ones = OHMasking.firstV2(bucket.bits)
    /** Number of bits that belong to the item. */
    val count = bucket.last ? (U(slots - 1, 4 bits) - OHToUInt(ones).resize(4)) | U(slots, 4 bits)
    val malformed = bucket.last && (bucket.bits === 0 || bucket.first && count === 0)
    val array = bucket.first && bucket.bits.msb
    val fields = bucket.first ? (count - 1) | count
    val bits = bucket.first ? (bucket.bits.reversed |>> 1) | bucket.bits.reversed
    private val number = ConstantComparison(fields, 4)
    val present = B((0 until slots).map(number > _))
    val references = bits & present
    val header = UInt(4 bits)
    header := 0
    val headerValues = UInt(2 bits)
    headerValues := 0
    when(bucket.first) {
      header := array ? U(CerealFormat.ArrayHeader, 4 bits) | U(CerealFormat.InstanceHeader, 4 bits)
      headerValues :=
        (array ? U(CerealFormat.ArrayHeaderValues, 2 bits) | U(CerealFormat.InstanceHeaderValues, 2 bits)) -
          io.image.strip.asUInt
    }
  }

  private def code(value: Int) = B(value, 2 bits)
  val field = Vec((0 until slots).map(i =>
      decode.present(i) ? (decode.bits(i) ? code(SlotCode.Reference) | code(SlotCode.Value)) | code(SlotCode.Zero)))
  private def at(i: Int, header: Int): Bits = {
    val mark = io.image.strip ? code(SlotCode.Prototype) | code(SlotCode.Value)
    if (i == 0) mark
    else if (i == 1 || i == 2 && header == CerealFormat.ArrayHeader) code(SlotCode.Value)
    else if (i < header) code(SlotCode.Zero)
    else if (i - header < slots) field(i - header)
    else code(SlotCode.Zero)
  }
  for ((slot, i) <- io.expansion.codes.zipWithIndex) slot := bucket.first.mux(
    decode.array ? at(i, CerealFormat.ArrayHeader) | at(i, CerealFormat.InstanceHeader),
    if (i < slots) field(i) else code(SlotCode.Zero))
  io.expansion.count := decode.header + decode.fields
  io.values.start := bucket.first
  io.values.array := decode.array
  io.values.count := (decode.headerValues +^ CountOne(~decode.bits & decode.present)).resized

  /** The shape of the object up to here. */
  val so = Reg(ObjectShape())
  val next = CombInit(so)
  when(bucket.first) {
    next.array := decode.array
    next.slots := 0
    next.references := 0
    next.beyond := False
    next.anyReference := False
    next.valueBefore := False
    next.lastReference := True
  }
  val shaped = CombInit(next).allowOverride()
  private val early = next.slots < 32
  // Seven slots in the first bucket, then eight in each: there are only five possible shifts.
  private val shifted = (0 until 5).map(i => if (i == 0) 0 else 8 * i - 1)
    .map(by => (decode.references.resize(40) |<< by).andMask(next.slots === by)).reduce(_ | _)
  shaped.references := next.references | shifted(31 downto 0)
  shaped.beyond := next.beyond || shifted(39 downto 32).orR || !early && decode.references.orR
  shaped.anyReference := next.anyReference || decode.references.orR
  shaped.slots := next.slots + decode.fields
  shaped.offset := bucket.offset
  when(decode.fields =/= 0) {
    // The bits behind the last one look like references, so the last one is excluded here.
    val before = ~decode.bits & (decode.present |>> 1)
    shaped.valueBefore := next.valueBefore || !next.lastReference || before.orR
    shaped.lastReference := decode.bits(OHToUInt(decode.present & ~(decode.present |>> 1)))
  }
  io.shape.payload := shaped

  val lastItem = items === 1
  io.expansion.last := bucket.last && lastItem
  val sound = bucket.valid && !finished && !decode.malformed && !error
  val ready = io.expansion.ready && io.values.ready && (!bucket.last || io.shape.ready)
  val step = sound && ready
  io.expansion.valid := step
  io.values.valid := step
  io.shape.valid := step && bucket.last
  bucket.ready := finished || step

  /** Detects a surplus or a missing slot. */
  val sum = total + io.expansion.count
  private val goal = io.image.bytes >> 2
  when(step) {
    so := shaped
    total := sum.resized
    error setWhen (sum > goal)
    when(bucket.last) {
      items := items - 1
      when(lastItem) {
        finished := True
        error setWhen (sum =/= goal || bucket.behind > 1)
        done := bucket.endsSection
      }
    } elsewhen (bucket.endsSection) {
      error := True
    }
    when(bucket.last && !lastItem && bucket.endsSection) { error := True }
  }
  when(bucket.valid && !finished && decode.malformed) { error := True }
  when(bucket.fire && finished) {
    error setWhen (bucket.bits =/= 0 || bucket.last)
    done setWhen bucket.endsSection
  }
  when(io.start) {
    items := io.image.objects
    total := 0
  }
  when(!io.run) {
    error := False
    finished := False
    done := False
  }
  io.error := error || buckets.badMap
  io.done := done
  val seen = Reg(UInt(Width.Offset bits))
  when(bucket.valid && !error) { seen := bucket.offset }
  when(io.start) { seen := io.base }
  io.offset := seen
}
