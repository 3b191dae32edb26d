package heapwire.cereal.deserialize

import heapwire.isa.CerealFormat
import heapwire.cereal._
import spinal.core._
import spinal.lib._

/** A part of an object, as far as the scanner has seen the object. */
case class ScannedSize() extends Bundle {
  /** Size of the part in units of 8 bytes. */
  val granules = UInt(7 bits)
  /** The object's first part. */
  val start = Bool()
}

/** Runs ahead through the packed layouts and reports the size of each object. Throughput: one object per cycle; for
  * long items one packet per cycle, or two (`twin`), each of which is reported as a part of its own, so that no step is
  * large. It checks nothing else, since [[LayoutManager]] does. It stops at an item without an end bit.
  *
  * `ended` (level): no further object comes. Latency: 1 cycle. While `run` is low, all state is cleared.
  */
case class LayoutScanner() extends Component {
  val io = new Bundle {
    val run, start = in(Bool())
    val packets = in UInt (Width.Offset + 1 bits)
    val objects = in UInt (32 bits)
    val packet = slave(Stream(Packet()))
    val size = master(Stream(ScannedSize()))
    val ended = out(Bool())
  }
  private val perPacket = CerealFormat.PacketBuckets
  private val Slots = HardType(UInt(8 bits))
  val index = Reg(UInt(3 bits))
  /** `open`: an item is under way, with `slots` slots that are not reported yet. `begun`: a part of it has been
    * reported.
    */
  val open, begun = Reg(Bool())
  val slots = Reg(Slots())
  val left = Reg(UInt(Width.Offset + 1 bits))
  val objects = Reg(UInt(32 bits))
  val stopped = RegInit(True)

  val ends = io.packet.ends(perPacket - 1 downto 0) & Cat((0 until perPacket).map(i => U(i, 3 bits) >= index))
  val first = OHMasking.firstV2(ends)
  val more = (ends & ~first).orR
  val has = ends.orR
  val end = OHToUInt(first)
  val lastBucket = io.packet.buckets.read(end)
  /** Returns the header's slots, minus the one that the array bit of the item would count as. */
  private def header(bucket: Bits) = bucket.msb ? U(CerealFormat.ArrayHeader - 1, 8 bits) |
    U(CerealFormat.InstanceHeader - 1, 8 bits)
  val whole = (has ? end | U(perPacket, 3 bits)) - index
  val lastBits = U(7, 3 bits) - OHToUInt(OHMasking.firstV2(lastBucket))
  val twinSlots = io.packet.twin ? U(perPacket * CerealFormat.BucketBits, 8 bits) | U(0, 8 bits)
  val sum =
    (open ? slots | header(io.packet.buckets.read(index))) + (whole << 3) + (has ? lastBits.resize(8) | twinSlots)

  val size = Stream(ScannedSize())
  // A single slot at the end takes a granule, too.
  size.granules := ((sum + has.asUInt) >> 1).resized
  size.start := !begun
  val sound = lastBucket =/= 0
  size.valid := io.packet.valid && !stopped && (!has || sound)
  val step = io.packet.valid && !stopped && (size.ready || has && !sound)
  io.packet.ready := stopped || step && !more
  when(step) {
    open := !has
    begun := !has
    slots := sum(0).asUInt.resized
    index := (end + 1).resized
    when(!more) {
      index := 0
      left := left - 1 - io.packet.twin.asUInt
      stopped setWhen (left === 1 || left === 2 && io.packet.twin)
      // The buckets behind the last end begin the next item.
      when(has) {
        open := end =/= perPacket - 1
        slots :=
          header(io.packet.buckets.read((end + 1).resize(3).min(U(perPacket - 1, 3 bits)))) +
            ((U(perPacket - 1, 3 bits) - end) << 3)
      }
    }
    when(has) {
      objects := objects - 1
      stopped setWhen (objects === 1 || !sound)
    }
  }
  when(io.start) {
    left := io.packets
    objects := io.objects
    stopped := False
  }
  when(!io.run && !io.start) {
    index := 0
    open := False
    begun := False
    stopped := True
  }
  io.size << size.m2sPipe(flush = !io.run)
  io.ended := stopped && !io.size.valid
}
