package heapwire.protobuf.engine.microcode

import heapwire.sequencer.MicroInstruction

/** For what the instructions with an act may have to wait. The hardware is made from these lists, so that it does not
  * depend on the programs; a program whose instructions need another wait is refused ([[check]]). An entry costs gates
  * on the way of its act.
  */
object Waits {
  import Kind._
  /** Waits of every instruction with the act, beside those that the act itself makes; waits that some of them have. */
  private val ofAll: Map[Act, Seq[Kind]] = Map(
    Flag.nextBegins.lower -> Seq(readsGranule), Act.append -> Seq(stores),
    Act.hasbitsPutAndScan -> Seq(readsGranule), Act.writeText -> Seq(readsGranule), Act.turn -> Seq(readsGranule))
  private val ofSome: Map[Act, Seq[Kind]] = Map(
    Flag.listOpen.lower -> Seq(stores), Act.run -> Seq(stores, readsGranule), Act.accept -> Seq(stores, readsGranule),
    Act.release -> Seq(stores), Act.setResult0 -> Seq(readsCursor), Act.fetchAhead -> Seq(readsGranule),
    Act.hasbitsPut -> Seq(readsGranule), Act.mark -> Seq(stores), Act.scan -> Seq(readsCursor))
  private val ofKinds: Map[Kind, Seq[Kind]] = Map(readsGranule -> Seq(stores))

  def always(act: Act): Seq[Kind] = waiting.filter(kind =>
    kind.field == Micro.Action && kind.codes.contains(act.index)) ++ ofAll.getOrElse(act, Nil)
  def perhaps(act: Act): Seq[Kind] = ofSome.getOrElse(act, Nil)
  def always(kind: Kind): Seq[Kind] = waiting.filter(_ == kind)
  def perhaps(kind: Kind): Seq[Kind] = ofKinds.getOrElse(kind, Nil)

  /** Refuses instructions that need a wait which the hardware does not have. */
  def check(program: Seq[MicroInstruction]): Unit = for (instruction <- program) {
    val needed = waiting.filter(_.has(instruction))
    def compare(what: String, always: Seq[Kind], perhaps: Seq[Kind]): Unit = {
      def names(kinds: Seq[Kind]) = kinds.map(_.name).mkString(", ")
      val (more, missing) = (needed.diff(always ++ perhaps), always.diff(needed))
      require(more.isEmpty, s"no instruction that $what waits for ${names(more)}")
      require(missing.isEmpty, s"every instruction that $what waits for ${names(missing)}")
    }
    val act = Act.all(instruction(Micro.Action).toInt)
    if (act != Act.none) compare(s"does ${act.name}", always(act), perhaps(act))
    for (kind <- ofWhole if kind.has(instruction)) compare(s"is one of ${kind.name}", always(kind), perhaps(kind))
  }
  /** The kinds whose effects [[Execution]] derives from the kind alone. */
  private val ofWhole = Seq(copies, asks, readsGranule)
}
