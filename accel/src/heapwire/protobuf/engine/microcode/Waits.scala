package heapwire.protobuf.engine.microcode

import heapwire.sequencer.MicroInstruction

/** For what the instructions with an act may have to wait. The hardware is made from these lists, so that it does not
  * depend on the programs; a program whose instructions need another wait is refused ([[check]]). An entry costs gates
  * on the way of its act.
  */
object Waits {
  import Kind._
  private def holds(kind: Kind, act: Act) = kind.field == Micro.Action && kind.codes.contains(act.index)
  private val ofActs: Map[Act, Seq[Kind]] = Map(
    Flag.listOpen.lower -> Seq(stores), Flag.nextBegins.lower -> Seq(readsGranule),
    Act.run -> Seq(stores, readsGranule), Act.accept -> Seq(stores, readsGranule), Act.release -> Seq(stores),
    Act.setResult0 -> Seq(readsCursor), Act.fetchAhead -> Seq(readsGranule), Act.append -> Seq(stores),
    Act.hasbitsPut -> Seq(readsGranule), Act.hasbitsPutAndScan -> Seq(readsGranule), Act.mark -> Seq(stores),
    Act.scan -> Seq(readsCursor), Act.writeText -> Seq(readsGranule), Act.turn -> Seq(readsGranule))
  private val ofKinds: Map[Kind, Seq[Kind]] = Map(readsGranule -> Seq(stores))

  /** The waits of every instruction with the act, or of the kind; those that some of them have. */
  def always(act: Act): Seq[Kind] = waiting.filter(holds(_, act))
  def perhaps(act: Act): Seq[Kind] = ofActs.getOrElse(act, Nil)
  def always(kind: Kind): Seq[Kind] = waiting.filter(_ == kind)
  def perhaps(kind: Kind): Seq[Kind] = ofKinds.getOrElse(kind, Nil)

  /** Refuses instructions that need a wait which the hardware does not have. */
  def check(program: Seq[MicroInstruction]): Unit = for (instruction <- program) {
    val needed = waiting.filter(_.has(instruction))
    val act = Act.all(instruction(Micro.Action).toInt)
    def refuse(what: String, listed: Seq[Kind]): Unit = {
      val missing = needed.filterNot(listed.contains)
      require(missing.isEmpty, s"no instruction that $what waits for ${missing.map(_.name).mkString(", ")}")
    }
    if (act != Act.none) refuse(s"does ${act.name}", always(act) ++ perhaps(act))
    for (kind <- ofWhole if kind.has(instruction)) refuse(s"is one of ${kind.name}", always(kind) ++ perhaps(kind))
  }
  /** The kinds whose effects [[Execution]] derives from the kind alone. */
  private val ofWhole = Seq(copies, asks, readsGranule)
}
