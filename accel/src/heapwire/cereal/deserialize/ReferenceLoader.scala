package heapwire.cereal.deserialize

import heapwire.isa.CerealFormat
import heapwire.cereal._
import spinal.core._
import spinal.lib._

/** One or two references of a block, as numbers of the stream: 0 is null; otherwise the number of the granule of 8
  * bytes in the image, plus 1.
  */
case class ReferencePair(reconstructors: Int) extends Bundle {
  val to = UInt(log2Up(reconstructors) max 1 bits)
  val buffer = UInt(1 bits)
  /** Number of the pair within the block. */
  val row = UInt(3 bits)
  val two = Bool()
  val numbers = Vec.fill(2)(UInt(32 bits))
  /** Not a valid item of a stream. */
  val malformed = Bool()
  val offset = UInt(Width.Offset bits)
}

/** Unpacks references, two per cycle, for the blocks that need them: the reference loader of Cereal (ISCA 2020, section
  * V). It sees a packet and the next one at once, so that there are eight buckets at any position. An item ends within
  * four buckets. In a block with an odd number of references the last one comes alone.
  *
  * `error` (level): bit 7 of an end map; fewer items than needed; an item of more than four buckets; or, once `finish`
  * says that no block needs more, anything but less than 16 bytes of zeros. `done` (level): the padding is read and
  * correct. Latency: 2 cycles. While `run` is low, all state is cleared.
  */
case class ReferenceLoader(reconstructors: Int) extends Component {
  val io = new Bundle {
    val run, start = in(Bool())
    val packets = in UInt (Width.Offset + 1 bits)
    val base = in UInt (Width.Offset bits)
    val packet = slave(Stream(Packet()))
    val share = slave(Stream(BlockShare(reconstructors)))
    val pair = master(Stream(ReferencePair(reconstructors)))
    val finish = in(Bool())
    val error, done, starving = out(Bool())
    val offset = out UInt (Width.Offset bits)
  }
  private val perPacket = CerealFormat.PacketBuckets
  private val longest = 4

  val here = Reg(Packet())
  val valid = RegInit(False)
  val index = Reg(UInt(3 bits)) init 0
  val left = Reg(UInt(Width.Offset + 1 bits)) // number of packets that have not arrived yet
  val newest = Reg(UInt(Width.Offset + 1 bits)) // number of the packet that has arrived last, or 0
  val any = RegInit(False) // a packet has arrived
  val error = RegInit(False)
  val done = RegInit(False)

  val view = new Area {
    private val ends = io.packet.ends(perPacket - 1 downto 0).andMask(io.packet.valid) ##
      here.ends(perPacket - 1 downto 0)
    private val known = B(perPacket bits, default -> true).andMask(io.packet.valid) ##
      B(perPacket bits, default -> true)
    private val buckets = here.buckets.toList ++ io.packet.buckets.toList
    private def from[T <: Data](all: Seq[T], i: Int): T = Vec((0 until perPacket).map(k => all(k + i))).read(index)
    val bucket = (0 until 2 * longest).map(i =>
      if (i == 0) here.buckets.read(index) else from(buckets, i.min(perPacket)))
    val end = Cat((0 until 2 * longest).map(i => from(ends.asBools.toList, i.min(perPacket))))
    val there = Cat((0 until 2 * longest).map(i => from(known.asBools.toList, i.min(perPacket))))
  }

  /** One item among the buckets from some position on. */
  case class Found(buckets: Seq[Bits], ends: Bits, there: Bits) extends Area {
    val complete = ends.orR
    val tooLong = !complete && there(longest - 1)
    val last = OHToUInt(OHMasking.firstV2(ends))
    /** The item's bytes, right-aligned. */
    val bytes = Vec((0 until longest).map(n => Cat((0 to n).map(k => buckets(n - k))).resize(32 bits))).read(last)
    def buckets_(i: Int) = buckets(i)
  }
  val one = Found(view.bucket.take(longest), view.end(longest - 1 downto 0), view.there(longest - 1 downto 0))
  val two = {
    def behind(bits: Bits) =
      Cat((0 until longest).map(i => Vec((0 until longest).map(k => bits(1 + i + k))).read(one.last)))
    Found((0 until longest).map(i => Vec((0 until longest).map(k => view.bucket(1 + i + k))).read(one.last)),
      behind(view.end), behind(view.there))
  }

  val block = new Area {
    val active = RegInit(False)
    val share = Reg(BlockShare(reconstructors))
    val row = Reg(UInt(3 bits))
    val pair = share.count =/= 1
    val last = share.count <= 2
  }
  val can = valid && one.complete && (!block.pair || two.complete)
  val output = Stream(Fetched())
  case class Fetched() extends Bundle {
    val share = BlockShare(reconstructors)
    val row = UInt(3 bits)
    val two = Bool()
    val bytes = Vec.fill(2)(Bits(32 bits))
    val malformed = Bool()
    val offset = UInt(Width.Offset bits)
  }
  output.valid := block.active && can && !error
  output.share := block.share
  output.row := block.row
  output.two := block.pair
  output.bytes := Vec(one.bytes, two.bytes)
  // The first bit of an item is a 1: of the number or, for null, the end bit.
  output.malformed := !view.bucket(0).msb || block.pair && !two.buckets_(0).msb
  output.offset := io.offset

  io.share.ready := !block.active || output.fire && block.last
  when(output.fire) {
    block.row := block.row + 1
    block.share.count := block.share.count - 2
    when(block.last) { block.active := False }
  }
  when(io.share.fire) {
    block.active := True
    block.share := io.share.payload
    block.row := 0
  }

  val used = block.pair ? (one.last +^ two.last +^ U(2)).resize(4) | (one.last +^ U(1)).resize(4)
  val position = (index +^ used).resize(4)
  val tail = io.finish && !block.active && !io.share.valid
  val load = Bool()
  load := !valid
  val untouched = (left +^ (valid && index === 0).asUInt)
  val sweeping = RegInit(False)
  when(output.fire) {
    index := position.resized
    when(position >= perPacket) {
      load := True
      index := (position - perPacket).resized
      when(position === 2 * perPacket) {
        index := 0
        valid := False
      }
    }
  } elsewhen (tail && !done) {
    sweeping := True
    load := True
    index := 0
    val rest = (0 until perPacket).map(i => (U(i) >= index) && (here.buckets(i) =/= 0 || here.ends(i)))
    when(valid && rest.orR || !sweeping && untouched > 1) { error := True }
    done := left === 0
  }
  when(load) {
    valid := io.packet.valid
    here := io.packet.payload
    when(output.fire && position === 2 * perPacket) { valid := False }
  }
  io.packet.ready := load && io.run
  when(io.packet.fire) {
    left := left - 1
    newest := newest + any.asUInt
    any := True
    error setWhen io.packet.ends(7)
  }

  val exhausted = left === 0
  when(block.active && valid && (one.tooLong || block.pair && one.complete && two.tooLong)) { error := True }
  when(block.active && exhausted && !can) { error := True }

  when(io.start) {
    left := io.packets
    newest := 0
    any := False
  }
  when(!io.run) {
    valid := False
    index := 0
    error := False
    done := False
    sweeping := False
    block.active := False
  }
  io.error := error
  io.done := done
  io.offset := io.base + (newest >> 1)
  io.starving := block.active && !can

  /** Returns the number: the bits in front of the last 1. */
  def number(bytes: Bits): UInt = {
    val ones = OHMasking.firstV2(bytes(7 downto 0))
    ((bytes |>> 1).asUInt |>> OHToUInt(ones)).resize(32)
  }
  io.pair << output.m2sPipe(flush = !io.run).map { fetched =>
    val pair = ReferencePair(reconstructors)
    pair.to := fetched.share.to
    pair.buffer := fetched.share.buffer
    pair.row := fetched.row
    pair.two := fetched.two
    pair.offset := fetched.offset
    for (i <- 0 until 2) pair.numbers(i) := number(fetched.bytes(i))
    val empty = fetched.bytes.map(_(7 downto 0) === 0)
    pair.malformed := fetched.malformed || empty(0) || fetched.two && empty(1)
    pair
  }.m2sPipe(flush = !io.run)
}
