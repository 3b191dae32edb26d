package heapwire.cereal.serialize

import heapwire.cereal.road.{PathWord, PathWrite}
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Packs values into the stream: writes the valid slots without gaps, from `base`, which is 16-byte aligned. `base` and
  * `limit` must be stable. Throughput: one word of slots per cycle. Latency: 2 cycles.
  *
  * `finish` (level, when no input comes any more) pads with zeros to 16 bytes; then `empty` is high, and more input may
  * come. `full`: a word did not fit, and nothing is written any more. `length`: number of bytes written or on their
  * way.
  *
  * With `exact`, the values begin exactly at `base`, even if that is in the middle of a word: the first lanes of input
  * stand in for the slots before `base` and are not written, and padding is not written either.
  */
case class ValueArray(m: MemoryParameter, skyway: Boolean = false) extends Component {
  private val lanes = Window.lanes(m)
  private val bytes = PathWord.bytes(m)
  private val shift = PathWord.shift(m)
  val io = new Bundle {
    val base, limit = in UInt (32 bits)
    val input = slave(Stream(SlotWord(lanes)))
    val finish = in(Bool())
    val exact = skyway generate in(Bool())
    val write = master(Stream(PathWrite(m)))
    val length = out UInt (32 bits)
    val empty = out(Bool())
    val full = out(Bool())
  }
  /** Adjacent slots; the first `count` are valid. */
  case class Run() extends Bundle {
    val data = Vec.fill(lanes)(Bits(32 bits))
    val count = UInt(log2Up(lanes + 1) bits)
  }
  val run = io.input.map { word =>
    val run = Run()
    run.count := CountOne(word.mask).resized
    // Selects the k-th valid slot: lane i moves to place k if k lanes below it are valid.
    val ranks = (0 until lanes).map(i =>
      if (i == 0) U(0, log2Up(lanes) bits) else CountOne(word.mask(i - 1 downto 0)).resize(log2Up(lanes)))
    for (k <- 0 until lanes)
      run.data(k) := (k until lanes).map(i => word.data(i).andMask(word.mask(i) && ranks(i) === k)).reduce(_ | _)
    run
  }.m2sPipe()

  val held = Vec.fill(lanes - 1)(Reg(Bits(32 bits)))
  val count = Reg(UInt(log2Up(lanes) bits)) init 0
  val word = Reg(UInt(32 - shift bits)) init 0
  val full = RegInit(False)
  val total = count +^ run.count
  val whole = total >= lanes
  /** The slots held, followed by the run. */
  val joined = Vec.fill(2 * lanes - 1)(Bits(32 bits))
  for (k <- 0 until 2 * lanes - 1) {
    val fromRun = (0 until lanes).filter(c => k - c >= 0 && k - c < lanes).map(c =>
      run.data(k - c).andMask(count === c)).reduceOption(_ | _).getOrElse(B(0, 32 bits))
    joined(k) := (if (k < lanes - 1) (count > k) ? held(k) | fromRun else fromRun)
  }
  /** The section ends at a multiple of 16 bytes. */
  private val exact = if (skyway) io.exact else False
  val ragged = if (bytes == 16) False else word(0) && !exact
  val pads = io.finish && !run.valid && !io.input.valid && (count =/= 0 || ragged)
  val fits = word < ((io.limit >> shift) - (io.base >> shift))
  val output = Stream(PathWrite(m))
  private val sends = run.valid && whole || pads
  output.valid := sends && fits && !full
  output.address := ((io.base >> shift) + word) @@ U(0, shift bits)
  output.data := joined.take(lanes).asBits()
  when(pads) {
    output.data := Cat((0 until lanes).map(k => (if (k < lanes - 1) held(k).andMask(count > k) else B(0, 32 bits))))
  }
  output.mask.setAll()
  if (skyway) when(exact) {
    val before = if (bytes == 16) (io.base(3) && word === 0) else False
    for (k <- 0 until lanes)
      output.mask(4 * k, 4 bits).setAllTo(!(pads && count <= k) && !(if (k < lanes / 2) before else False))
  }
  run.ready := !whole || output.ready && !full
  when(run.fire) {
    count := (total - (whole ? U(lanes, widthOf(total) bits) | U(0, widthOf(total) bits))).resized
    for (k <- 0 until lanes - 1) held(k) := whole ? joined(k + lanes) | joined(k)
  }
  when(output.fire) {
    word := word + 1
    when(pads) { count := 0 }
  }
  full setWhen (sends && !fits)
  io.full := full
  io.length := word @@ U(0, shift bits)
  io.write << output.m2sPipe()
  io.empty := !run.valid && !io.input.valid && count === 0 && !ragged && !io.write.valid
}
