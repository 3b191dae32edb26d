package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Image, MicroInstruction}
import scala.collection.mutable

/** The control flow: from which instructions each instruction is reached. */
private class ProgramFlow(image: Image) {
  import Micro._
  val program: IndexedSeq[MicroInstruction] = image.all
  def where(at: Int): String =
    image.listing.takeWhile(_.address <= at).lastOption.fold(s"$at")(label => s"$at, behind ${label.name}")
  def does(at: Int, act: Act): Boolean = program(at).fields.get(Action).contains(BigInt(act.index))
  /** The instructions to which one leads, except by returning. */
  def next(at: Int): Seq[Int] = (if (Placement.leaves(program(at))) Nil else Seq(at + 1)) ++
    program(at).target.map(image.address)
  /** Returns where the subroutine that begins at `entry` returns. Subroutines do not call subroutines. */
  def returns(entry: Int): Seq[Int] = {
    val seen = mutable.Set.empty[Int]
    def from(at: Int): Seq[Int] = if (at < program.size && seen.add(at))
      (if (program(at)(Return) == 1) Seq(at) else Nil) ++ next(at).flatMap(from)
    else Nil
    from(entry)
  }
  /** The subroutine that an instruction may call. */
  def called(at: Int): Option[Int] = program(at).target.filter(_ => program(at)(Call) == 1).map(image.address)
  val before: Map[Int, Seq[Int]] = {
    val calls = program.indices.filter(program(_)(Call) == 1)
    val ends = calls.flatMap(program(_).target).distinct.map(label => label -> returns(image.address(label))).toMap
    val edges = program.indices.flatMap(at => next(at).map(_ -> at)) ++
      calls.flatMap(at => ends(program(at).target.get).map(at + 1 -> _))
    edges.groupBy(_._1).map { case (to, from) => to -> from.map(_._2) }.withDefaultValue(Nil)
  }
  /** Returns the nearest instructions before `at` for which `of` holds, one for each path to `at`. */
  def nearest(at: Int)(of: Int => Boolean): Set[Int] = {
    val seen = mutable.Set.empty[Int]
    def from(at: Int): Set[Int] =
      before(at).toSet.filter(seen.add).flatMap((earlier: Int) => if (of(earlier)) Set(earlier) else from(earlier))
    from(at)
  }
}
