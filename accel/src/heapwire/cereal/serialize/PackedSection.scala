package heapwire.cereal.serialize

import heapwire.cereal.road.{PathWord, PathWrite}
import heapwire.isa.CerealFormat
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** A word that is written to memory, unless it stays in the unit.
  *
  * @param kept the first words of each packed section, which stay
  */
case class OutputWord(m: MemoryParameter, kept: Int) extends Bundle {
  val write = PathWrite(m)
  val stays = Bool()
  /** The section and the number in it of a word that stays. */
  val index = UInt(log2Up(kept) + 1 bits)
}

/** One or two buckets, the first one in the high bits. */
case class Buckets() extends Bundle {
  val data = Bits(16 bits)
  val two = Bool()
  /** The last of these buckets ends its item. */
  val ends = Bool()
}

/** Puts buckets into packets with their end maps (docs/reference/cereal.md, Packing). The first `kept` words of packets
  * stay in the unit, so that a short section needs no memory. Further words go to the work area, each to its place in
  * the section, which begins at `base`, 64-byte aligned, and ends below `limit`. Throughput: two buckets per cycle.
  *
  * `finish` (level, when no input comes any more) pads with zeros to 16 bytes; then `empty` is high. `full`: a word did
  * not fit, and nothing is written any more. `length`: number of bytes given out or on their way. `spilled`: some
  * do not stay.
  *
  * @param number 0 or 1, the first or the second section
  * @param kept   words, a power of two
  */
case class PackedSection(m: MemoryParameter, number: Int, kept: Int) extends Component {
  private val bytes = PathWord.bytes(m)
  private val shift = PathWord.shift(m)
  private val places = CerealFormat.PacketBuckets
  val io = new Bundle {
    val base, limit = in UInt (32 bits)
    val input = slave(Stream(Buckets()))
    val finish = in(Bool())
    val word = master(Stream(OutputWord(m, kept)))
    val length = out UInt (32 bits)
    val spilled = out(Bool())
    val empty = out(Bool())
    val full = out(Bool())
  }
  val packet = new Area {
    val fill = Reg(UInt(3 bits)) init 0
    val data = Vec.fill(places)(Reg(Bits(8 bits)) init 0)
    val ends = Reg(Bits(places bits)) init 0
    private val first = io.input.data(15 downto 8)
    private val second = io.input.data(7 downto 0)
    val after = fill +^ (io.input.two ? U(2, 2 bits) | U(1, 2 bits))
    val whole = after >= places
    val over = after === places + 1
    val joined = Vec.fill(places)(Bits(8 bits))
    val joinedEnds = CombInit(ends)
    for (k <- 0 until places) {
      joined(k) := data(k)
      when(fill === k) {
        joined(k) := first
        joinedEnds(k) := !io.input.two && io.input.ends
      }
      if (k > 0) when(fill === k - 1 && io.input.two) {
        joined(k) := second
        joinedEnds(k) := io.input.ends
      }
    }
    val flush = io.finish && !io.input.valid && fill =/= 0
    val output = Stream(Bits(64 bits))
    output.valid := io.input.valid && whole || flush
    output.payload := (flush ? (data.asBits ## B"0" ## ends) | (joined.asBits ## B"0" ## joinedEnds))
    io.input.ready := !whole || output.ready
    when(io.input.fire) {
      fill := (whole ? (after - places) | after).resized
      for (k <- 0 until places) data(k) := whole ? B(0, 8 bits) | joined(k)
      ends := whole ? B(0, places bits) | joinedEnds
      when(over) {
        data(0) := second
        ends(0) := io.input.ends
      }
    }
    when(flush && output.ready) {
      fill := 0
      data.foreach(_ := 0)
      ends := 0
    }
    val idle = fill === 0 && !io.input.valid
    val held = output.m2sPipe()
  }
  private val held = packet.held
  val word = Reg(UInt(32 - shift bits)) init 0
  val full = RegInit(False)
  val fits = word < ((io.limit >> shift) - (io.base >> shift))
  val done = io.finish && packet.idle && !held.valid
  val output = Stream(PathWrite(m))
  output.address := ((io.base >> shift) + word) @@ U(0, shift bits)
  output.mask.setAll()
  val sends = Bool()
  /** A packet waits for the second packet of its 16 bytes. */
  val odd = RegInit(False)
  if (bytes == 16) {
    val low = RegNextWhen(held.payload, held.fire)
    val pads = done && odd
    sends := held.valid && odd || pads
    held.ready := !odd || output.ready && !full
    output.data := held.payload.andMask(!pads) ## low
    when(held.fire || pads && output.ready) { odd := !odd && held.valid }
  } else {
    val pads = done && odd
    sends := held.valid || pads
    held.ready := output.ready && !full
    output.data := held.payload.andMask(!pads)
    when(output.fire) { odd := !odd }
  }
  output.valid := sends && fits && !full
  full setWhen (sends && !fits)
  when(output.fire) { word := word + 1 }
  io.full := full
  io.length := word @@ U(0, shift bits)
  /** The first `kept` words have come. */
  val beyond = RegInit(False) setWhen (output.fire && word.resize(log2Up(kept)).andR)
  io.spilled := RegInit(False) setWhen (output.fire && beyond)
  io.word << output.map { written =>
    val given = OutputWord(m, kept)
    given.write := written
    given.stays := !beyond
    given.index := U(number, 1 bits) @@ word.resize(log2Up(kept))
    given
  }.m2sPipe()
  io.empty := packet.idle && !held.valid && !odd && !io.word.valid
}
