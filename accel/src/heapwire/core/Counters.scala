package heapwire.core

import heapwire.isa.{Information, UnitKind}
import heapwire.memory.{BlockRam, Traffic, UnitActivity}
import spinal.core._
import spinal.lib._

/** Memory words asked of DRAM, and sent there, in a cycle. */
case class DramActivity() extends Bundle {
  val reads, writes = UInt(3 bits)
}

/** What is added to information word `index` in a cycle: `most` at most. */
case class Counted(index: Int, increment: UInt, most: Int)

/** Counters of 32 bits, which wrap, 0 from reset on.
  *
  * Their words are in a memory. Each has a small counter that runs freely, as wide as it needs not to come round before
  * the word's turn, which is one a cycle: the word then grows by what the small one has counted since. Just then it is shown:
  * `value`, of what happened up to three cycles before, is that of information word `wanted`, as this was a cycle before, if `shown`.
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

  /** In the first round the memory holds nothing yet. */
  private val first = RegInit(True) clearWhen (place === all.size - 1)
  val value = Reg(UInt(32 bits))
  value := word + ((counted - word.resize(width)) & relevant)
  when(first) { value := counted.resized }
  memory.write(RegNext(place), value.asBits)
  val shown = RegNext(Vec(all.map(counted => U(counted.index, 7 bits))).read(place) === wanted)

  /** `word` is one of them. */
  def has(word: UInt): Bool = all.map(word === _.index).orR
}

object Counters {
  /** Of a kind of unit; cycles of several units add up. Inputs are registered.
    *
    * @param traffic what the units move, no more than `bytes` a cycle, one way; the field instructions have none of their own
    */
  def of(kind: UnitKind, command: Bool, units: Seq[UnitActivity], traffic: Option[Traffic], bytes: Int): Seq[Counted] = {
    def cycles(level: UnitActivity => Bool) = (CountOne(RegNext(Vec(units.map(level)).asBits) init 0), units.size)
    def moved(bytesNow: UInt) = (RegNext(bytesNow) init 0, bytes)
    val increments = Map[Information.Counter, (UInt, Int)](
      Information.Commands -> (command.asUInt, 1),
      Information.BusyCycles -> cycles(_.busy),
      Information.ReadStallCycles -> cycles(_.readStall),
      Information.WriteStallCycles -> cycles(_.writeStall),
      Information.TableStallCycles -> cycles(_.tableStall)) ++
      traffic.toSeq.flatMap(t => Seq(Information.ReadBytes -> moved(t.readBytes), Information.WrittenBytes -> moved(t.writtenBytes)))
    for (counter <- Information.counters; (increment, most) <- increments.get(counter))
      yield Counted(Information.CounterBase + kind.index * Information.CounterStride + counter.index, increment, most)
  }
  def of(dram: DramActivity): Seq[Counted] = for ((index, words) <- Seq(Information.DramReads -> dram.reads, Information.DramWrites -> dram.writes))
    yield Counted(index, RegNext(words) init 0, (1 << widthOf(words)) - 1)
}
