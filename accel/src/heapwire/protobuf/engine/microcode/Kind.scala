package heapwire.protobuf.engine.microcode

import heapwire.sequencer.{MicroField, MicroInstruction}
import spinal.core._
import spinal.lib._

/** A kind of instruction: what the hardware needs to know of an instruction early in its cycle. It is decoded while the
  * instruction comes out of the ROM and kept beside it. An instruction is of this kind if its `field` has one of the
  * `codes`.
  */
case class Kind(name: String, field: MicroField, codes: Seq[Int]) {
  def has(word: Bits): Bool = codes.map(word(field.low, field.width bits).asUInt === _).orR
  def has(instruction: MicroInstruction): Boolean = codes.contains(Kind.bits(instruction, field))
}

object Kind {
  /** Returns a field of the assembled instruction, or a part of one. */
  private def bits(instruction: MicroInstruction, field: MicroField): Int =
    (instruction.fields.map { case (named, value) => value << named.low }.foldLeft(BigInt(0))(_ | _) >> field.low &
      (1 << field.width) - 1).toInt
  private def acts(name: String, acts: Act*): Kind = Kind(name, Micro.Action, acts.map(_.index))
  private def words(name: String, words: Outside*): Kind = Kind(name, Micro.X, words.map(_.code))
  val stores = Kind("stores", MicroField("store", Micro.StoreMode.low + 2, 2), Seq(1, 2, 3))
  /** Starts the copier; requests data from the cache for the program; puts items into the packer. */
  val copies = acts("copies", Act.clear, Act.copyRaw, Act.copyText, Act.copyNative, Act.copyOut, Act.checkText)
  val asks = acts("asks", Act.askTable, Act.askObject, Act.askHeader, Act.enterAndAsk)
  val puts = acts("puts", Act.put, Act.putKey, Act.putEnd, Act.putKeyAndScan)
  /** Needs the hasbits of the field or list; of the index. */
  val ofTarget = acts("ofTarget", Act.hasbitsOfList, Act.mark)
  val ofIndex = acts("ofIndex", Act.hasbitsHere)
  val accepts = acts("accepts", Act.accept, Act.acceptAndRun)
  val runs = acts("runs", Act.run, Act.acceptAndRun, Act.resume)
  /** The scanner continues behind this instruction, or soon. */
  val nearsScan = acts("nearsScan", Act.put, Act.scan, Act.putKeyAndScan)
  val putsHasbitsAndScans = acts("putsHasbitsAndScans", Act.hasbitsPutAndScan)
  val completes = acts("completes", Act.complete, Act.handOver)
  /** Waits until the command before is complete. Whatever is written follows one of these. */
  val owns = acts("owns", Act.setArena0, Act.takeWithArenas, Act.fail)
  val readsGranule = words("readsGranule", Outside.cached, Outside.asked)
  /** The instruction's index selects the word of the granule. */
  val namesWord = words("namesWord", Outside.cached)
  /** The adder's And is selected separately from its other results. */
  val ands = Kind("ands", Micro.Compute, Seq(Alu.And))
  val readsCursor = words("readsCursor", Outside.cursor)
  /** Conditions are selected in groups of eight: which group the instruction's condition is in, and at which place. A
    * gate for each takes fewer levels than a multiplexer by number.
    */
  val conditionPlaces: Seq[Kind] = for (place <- 0 until 8)
    yield Kind(s"condition place $place", MicroField("place", Micro.Condition.low, 3), Seq(place))
  val conditionEights: Seq[Kind] =
    for (eight <- 0 to Cond.all.map(_.index).max / 8) yield Kind(s"condition eight $eight",
      MicroField("eight", Micro.Condition.low + 3, Micro.Condition.width - 3), Seq(eight))
  /** Which outside word the instruction takes; selected by gates, too. */
  val takesRuntime = words("takesRuntime", Outside.ofRuntime: _*)
  val takesGranule = words("takesGranule", Outside.cached, Outside.asked)
  val takes: Map[Outside, Kind] = Outside.all.map(word =>
    word -> Seq(takesRuntime, takesGranule).find(_.codes.contains(word.code)).getOrElse(words(s"takes ${word.name}",
        word))).toMap
  val all: Seq[Kind] = Seq(stores, copies, asks, puts, ofTarget, ofIndex, accepts, runs, completes, owns, nearsScan,
    putsHasbitsAndScans, readsGranule, readsCursor, namesWord, ands) ++ conditionPlaces ++ conditionEights ++
    Outside.all.map(takes).distinct
  /** The kinds that may have to wait ([[Execution]]). */
  val waiting: Seq[Kind] = Seq(stores, copies, asks, puts, ofTarget, ofIndex, readsGranule, readsCursor, owns)
}
