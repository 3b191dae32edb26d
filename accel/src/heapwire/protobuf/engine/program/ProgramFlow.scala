package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Assembler, MicroInstruction}
import scala.collection.mutable

/** The control flow: from which instructions each instruction is reached. */
private class ProgramFlow(assembler: Assembler) {
  import Micro._
  val program: Seq[MicroInstruction] = assembler.all
  private val names = assembler.listing
  /** Acts behind which the program does not continue. */
  private val rests: Set[BigInt] = Seq(Act.run, Act.acceptAndRun, Act.resume, Act.scan, Act.putKeyAndScan,
    Act.hasbitsPutAndScan, Act.scanField, Act.nextRequest, Act.closeSequence).map(act => BigInt(act.index)).toSet
  def where(at: Int): String = names.takeWhile(_._2 <= at).lastOption.fold(s"$at")(label => s"$at, behind ${label._1}")
  def does(at: Int, act: Act): Boolean = program(at).fields.get(Action).contains(BigInt(act.index))
  def rests(at: Int): Boolean = program(at).fields.get(Action).exists(rests)
  private def leaves(at: Int) = program(at)(Condition) == Cond.always.index && program(at)(Invert) == 0 || rests(at)
  private def next(at: Int): Seq[Int] = (if (leaves(at)) Nil else Seq(at + 1)) ++
    program(at).target.map(assembler.address)
  /** Returns where the subroutine that begins at `entry` returns. Subroutines do not call subroutines. */
  private def returns(entry: Int): Seq[Int] = {
    val seen = mutable.Set.empty[Int]
    def from(at: Int): Seq[Int] = if (at < program.size && seen.add(at))
      (if (program(at)(Return) == 1) Seq(at) else Nil) ++ next(at).flatMap(from)
    else Nil
    from(entry)
  }
  val before: Map[Int, Seq[Int]] = {
    val calls = program.indices.filter(program(_)(Call) == 1)
    val ends = calls.flatMap(program(_).target).distinct.map(label => label -> returns(assembler.address(label))).toMap
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
