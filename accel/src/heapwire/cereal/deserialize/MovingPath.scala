package heapwire.cereal.deserialize

import heapwire.cereal.road._
import heapwire.isa.{SkywayFormat, Status}
import spinal.core._
import spinal.lib._

/** The Skyway mode of a [[DeserializationUnit]]: turns a chunk of clones into objects in place ([[ChunkWalker]]). It
  * uses Cereal's reader of values, map of starts, reference checker and image writer.
  *
  * {{{
  *  values -> GranuleReader -> ChunkWalker -+- first pass: starts -> StartsMap -> map
  *                               | typed    |                          ^ FarStarts
  *                             ClassTable   +- second: targets -> ReferenceChecker
  *                                          +- second: granules -> image
  * }}}
  *
  * It takes two passes, because objects refer to later ones. The first pass only reads and ends at the first fault, so
  * that the chunk is unchanged. The second pass rewrites the chunk and always runs to the end, because it cannot be
  * undone. A block is read before it is written. `ended` (level): nothing is under way; then `status` and `results` are
  * valid, for as long as the command lasts. Each pass takes at least one cycle per 8 bytes, and the second one at least
  * one per reference.
  */
class MovingPath(unit: DeserializationUnit) extends Area {
  import unit._
  private val active = unit.run && moves
  private val chunk = unit.shape.base
  private val bytes = unit.shape.bytes

  // Parts that both formats use: connects Cereal's source or Skyway's.
  private def source[T <: Data](cereal: Stream[T], ours: Stream[T], sink: Stream[T]): Unit = {
    sink.valid := moves ? ours.valid | cereal.valid
    sink.payload := moves ? ours.payload | cereal.payload
    cereal.ready := sink.ready && !moves
    ours.ready := sink.ready && moves
  }
  private val words = StreamDemux(sections.valueWords, moves.asUInt, 2)
  unit.values.io.word << words(0)
  val reader = GranuleReader(m)
  reader.io.run := active
  reader.io.word << words(1)
  val types = ClassTable(c, typed = true)
  types.io.registers << io.port.registers
  val walker = ChunkWalker(m)
  walker.io.run := active
  walker.io.base := chunk
  walker.io.granules := (bytes >> 3).resized
  walker.io.granule << reader.io.granule
  reader.io.sink := walker.io.rest
  types.io.id := walker.io.id
  walker.io.entry := types.io.entry
  walker.io.known := types.io.known
  walker.io.beyond := types.io.beyond

  /** `second`: the second pass is under way. `begun`: the current pass has begun. `asked`: it has requested the chunk.
    */
  val second, begun, asked = RegInit(False)
  walker.io.moving := second
  walker.io.start := active && !begun
  begun setWhen walker.io.start
  when(active && begun && !asked) {
    sections.values.io.command.valid := True
    sections.values.io.command.address := chunk
    sections.values.io.command.length := bytes.resized
    asked setWhen sections.values.io.command.ready
  }
  private val home = asked && walker.io.done && sections.values.io.idle
  /** Cycles for which the checker has had no target; the answer of the last target is still on its way in the first of
    * them.
    */
  val still = Reg(UInt(3 bits))

  source(scanner.io.size, walker.io.size, map.io.size)
  map.io.ended := (moves ? (begun && walker.io.rest) | scanner.io.ended)
  private val pair = walker.io.target.map { granule =>
    val pair = ReferencePair(c.reconstructors)
    pair.to := 0
    pair.buffer := 0
    pair.row := 0
    pair.two := False
    pair.numbers(0) := granule.resize(32) + 1
    pair.numbers(1) := 0
    pair.malformed := False
    // For an error, `offset` is the granule to which the reference leads.
    pair.offset := granule.resized
    pair
  }
  source(references.io.pair, pair, targets.io.pair)

  /** Joins granules to blocks. Of the last block, only the chunk's part is written. */
  val output = new Area {
    private val beatShift = log2Up(m.wordBytes)
    private val blockShift = log2Up(m.blockBytes)
    val data = Stream(Bits(m.dataWidth bits))
    if (m.dataWidth == 64) data << walker.io.output
    else if (m.dataWidth == 128) {
      val low = RegNextWhen(walker.io.output.payload, walker.io.output.fire)
      val odd = RegInit(False) toggleWhen walker.io.output.fire clearWhen !active
      data.valid := walker.io.output.valid && odd
      data.payload := walker.io.output.payload ## low
      walker.io.output.ready := !odd || data.ready
    } else {
      val odd = RegInit(False) toggleWhen data.fire clearWhen !active
      data.valid := walker.io.output.valid
      data.payload := odd ? walker.io.output.payload(63 downto 32) | walker.io.output.payload(31 downto 0)
      walker.io.output.ready := odd && data.ready
    }
    /** Position in the chunk, in memory words (for words of 16 bytes: pairs of granules). */
    val at = Reg(UInt(33 - beatShift bits))
    private val granules = (m.wordBytes / 8) max 1
    private val start = at @@ U(0, beatShift bits)
    val beat = Stream(BlockBeat(m))
    beat.arbitrationFrom(data)
    beat.data := data.payload
    beat.block := (chunk >> blockShift) + (at >> (blockShift - beatShift)).resized
    beat.full := (((at >> (blockShift - beatShift)) + 1) @@ U(0, blockShift bits)) <= bytes
    for (i <- 0 until granules) {
      val width = m.wordBytes / granules
      beat.mask(i * width, width bits).setAllTo(start + i * 8 < bytes)
    }
    when(beat.fire) { at := at + 1 }
    when(!active) { at := 0 }
    private val place = at(blockShift - beatShift - 1 downto 0)
    /** A block leaves only when it is complete: once begun, it occupies the bus over which its missing data would come.
      */
    val held = StreamFifo(BlockBeat(m), 2 * m.wordsPerBlock, latency = 1)
    held.io.push << beat
    val sent = Counter(m.wordsPerBlock, image.io.direct.fire)
    val whole = Reg(UInt(2 bits)) init 0
    whole := whole + (beat.fire && place.andR).asUInt - sent.willOverflow.asUInt
    image.io.direct << held.io.pop.continueWhen(whole =/= 0)
    val left = (start < bytes) || place =/= 0 || held.io.occupancy =/= 0
  }

  /** `denied`: a request was denied. `stray`: a reference leads to where no object begins; `strayAt` is the lowest such
    * target.
    */
  val denied, stray = RegInit(False)
  val strayAt = Reg(UInt(Width.Granules bits))
  // Set before the word is used. If the second pass finds a fault in an object, another master has written to the
  // chunk.
  denied setWhen (active && (fault || words(1).valid && words(1).error || second && walker.io.failed))
  private val near = targets.io.error
  private val nearAt = targets.io.offset.resize(Width.Granules)
  private val farAt = far.io.offset.resize(Width.Granules)
  private val lower = (near && (!far.io.missing || nearAt < farAt)) ? nearAt | farAt
  when(active && (near || far.io.missing)) {
    stray := True
    when(!stray || lower < strayAt) { strayAt := lower }
  }
  private val quiet = targets.io.idle && far.io.idle && !walker.io.target.valid && !near
  when(!quiet) { still := 0 } elsewhen (!still.andR) { still := still + 1 }

  private val firstFails = !second && begun && (walker.io.failed || denied)
  private val firstEnds = !second && begun && home && map.io.complete && !firstFails
  private val secondEnds = second && begun && home && !output.left && image.io.idle && still.andR
  when(firstEnds && active) {
    second := True
    begun := False
    asked := False
  }
  val ended = firstFails || secondEnds
  val status = Bits(Status.Width bits)
  status := Status.Ok.code
  val at = UInt(32 bits)
  at := 0
  when(denied) {
    status := Status.BusFault.code
  } elsewhen (walker.io.failed) {
    status := walker.io.status
    at := walker.io.at
  } elsewhen (stray) {
    status := Status.BadReference.code
    at := ((strayAt @@ U(0, 3 bits)) + SkywayFormat.First).resized
  }
  /** The results in the operation's order. */
  private val kept = Vec(Reg(Bits(32 bits)), Reg(Bits(32 bits)), Reg(Bits(32 bits)))
  when(active && ended) {
    kept(0) := walker.io.objects.asBits
    kept(1) := second.asBits.resized
    kept(2) := at.asBits
  }
  val results = kept.toSeq :+ B(0, 32 bits)
  when(!active) {
    second := False
    begun := False
    asked := False
    denied := False
    stray := False
  }
  // The results of a command that ends before it begins.
  when(io.port.command.fire) { kept.foreach(_ := 0) }
}
