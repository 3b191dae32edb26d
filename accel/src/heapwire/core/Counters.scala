package heapwire.core

import heapwire.isa.{Information, UnitKind}
import heapwire.memory.{BlockRam, Traffic, UnitActivity}
import spinal.core._
import spinal.lib._

/** Memory words read from DRAM and written to it in one cycle. */
case class DramActivity() extends Bundle {
  val reads, writes = UInt(3 bits)
}

/** A counter: in each cycle `increment`, which is at most `most`, is added to information word `index`. */
case class Counted(index: Int, increment: UInt, most: Int)

/** 32-bit counters, which wrap and are 0 after reset.
  *
  * Their words are in a memory, which visits one counter per cycle in turn. Each counter also has a small free-running
  * counter, wide enough not to wrap between two visits. On a visit, the word grows by what the small counter has
  * counted since the last one. Only then is the counter readable: with `shown`, `value` belongs to information word
  * `wanted` of the cycle before, and includes events up to three cycles ago.
  */
class Counters(all: Seq[Counted], wanted: UInt) extends Area {
  private val widths = all.map(counted => log2Up(all.size * counted.most + 1))
  private val width = widths.max
  private val small = for ((counted, own) <- all.zip(widths)) yield {
    val count = Reg(UInt(own bits)) init 0
    count := count + counted.increment.resize(own)
    count.resize(width)
  }
  val memory = BlockRam(Mem(Bits(32 bits), all.size))
  private val turn = Reg(UInt(log2Up(all.size) bits)) init 0
  turn := (turn === all.size - 1) ? U(0) | turn + 1
  private val word = memory.readSync(turn).asUInt
  private val counted = RegNext(Vec(small).read(turn))
  private val relevant = RegNext(Vec(widths.map(own => U((1 << own) - 1, width bits))).read(turn))
  private val place = RegNext(turn) init 0

  /** In the first round the memory's content is undefined. */
  private val first = RegInit(True) clearWhen (place === all.size - 1)
  val value = Reg(UInt(32 bits))
  value := word + ((counted - word.resize(width)) & relevant)
  when(first) { value := counted.resized }
  memory.write(RegNext(place), value.asBits)
  val shown = RegNext(Vec(all.map(counted => U(counted.index, 7 bits))).read(place) === wanted)

  /** Returns whether `word` is the index of one of these counters. */
  def has(word: UInt): Bool = all.map(word === _.index).orR
}

object Counters {
  /** Returns the counters of one kind of unit. Cycles of several units add up. Inputs are registered.
    *
    * @param traffic the bytes that the units move, at most `bytes` per cycle and direction; None for the field
    *                instructions, which share their engine's
    */
  def of(
      kind: UnitKind, command: Bool, units: Seq[UnitActivity], traffic: Option[Traffic], bytes: Int): Seq[Counted] = {
    def cycles(level: UnitActivity => Bool) = (CountOne(RegNext(Vec(units.map(level)).asBits) init 0), units.size)
    def moved(bytesNow: UInt) = (RegNext(bytesNow) init 0, bytes)
    val increments = Map[Information.Counter, (UInt, Int)](
      Information.Commands -> (command.asUInt, 1),
      Information.BusyCycles -> cycles(_.busy),
      Information.ReadStallCycles -> cycles(_.readStall),
      Information.WriteStallCycles -> cycles(_.writeStall),
      Information.TableStallCycles -> cycles(_.tableStall)) ++ traffic.toSeq.flatMap(t =>
      Seq(Information.ReadBytes -> moved(t.readBytes), Information.WriteBytes -> moved(t.writtenBytes)))
    for (counter <- Information.counters; (increment, most) <- increments.get(counter))
      yield Counted(Information.CounterBase + kind.index * Information.CounterStride + counter.index, increment, most)
  }
  def of(dram: DramActivity): Seq[Counted] =
    for ((index, words) <- Seq(Information.DramReads -> dram.reads, Information.DramWrites -> dram.writes))
      yield Counted(index, RegNext(words) init 0, (1 << widthOf(words)) - 1)
}
