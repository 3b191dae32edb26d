package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Assembler, Image, Label, MicroInstruction}
import scala.collection.mutable

/** A range of the program memory, and the instructions that go there.
  *
  * @param code    numbers of the instructions, in the order in which they were assembled
  * @param places  addresses; the first ones are those of the entries
  * @param entries the label of each entry's handler, and where an entry without a handler leads; None: no event has it,
  *                so the handler before it may take its place
  */
case class Region(code: Range, places: Range, entries: Seq[Option[(String, String)]])

/** Places the instructions in the program memory. A handler's first instructions go to its entry, up to the first one
  * that can take a jump to the rest without a branch of its own; so an entry costs no cycle. Handlers that are reached
  * in other ways, too, or that are those of several events, are there twice up to that jump. What is left free of the
  * entries takes short pieces of the program.
  */
private class Placement(assembler: Assembler, regions: Seq[Region]) {
  import Micro._
  private val code = assembler.all
  private val starts = assembler.labels.map { case (name, at, _) => name -> at }.toMap
  /** The part of the program in which an instruction is. */
  private def parts(at: Int): String = assembler.labels.filter(_._2 <= at).maxBy(_._2)._3
  /** Nothing behind the instruction is reached through it. */
  private def leaves(at: Int) = Placement.leaves(code(at)) && code(at)(Call) == 0
  private def canJump(instruction: MicroInstruction) = instruction.target.isEmpty && instruction(Return) == 0 &&
    !instruction.fields.contains(Index) && !instruction.fields.contains(Condition)
  private def behind(at: Int) = s"behind ${at - 1}"

  private val memory = Array.fill(1 << Target.width)(Placement.goto(Line.failure(heapwire.isa.Status.BadDescriptor)))
  /** The address of each instruction. `rests`: those with which a place goes on, or a piece begins. */
  private val address = mutable.Map.empty[Int, Int]
  private val rests = mutable.Set.empty[Int]
  /** Those that are in places. */
  private val moved = mutable.Set.empty[Int]
  /** Places by their label; labels of those without a handler. */
  private val placed = mutable.Map.empty[String, Int]
  private val empty = mutable.ArrayBuffer.empty[Label]

  /** Returns the instructions of a handler's place, which has `room` for some. */
  private def begin(name: String, first: Int, range: Range, place: Int, room: Int): Seq[MicroInstruction] = {
    require(range.contains(first), s"$name is in another region")
    val last = (first to range.last).find(at => leaves(at) || canJump(code(at))).get
    require(last - first < room, s"$name cannot go on behind its place")
    if ((first == range.start || leaves(first - 1)) && moved.add(first)) for (at <- first to last) {
      moved += at
      address(at) = place + at - first
    }
    placed(name) = place
    if (leaves(last)) code.slice(first, last + 1)
    else {
      rests += last + 1
      code.slice(first, last) :+ Placement.andGoto(code(last), behind(last + 1))
    }
  }

  for (Region(range, places, entries) <- regions) {
    require(range.isEmpty || leaves(range.last), "a region's last instruction goes on")
    val gaps = mutable.ArrayBuffer.empty[Range]
    for ((entry, i) <- entries.zipWithIndex) {
      val place = places.start + i * Entry.Words
      val room = Entry.Words * (1 + entries.drop(i + 1).takeWhile(_.isEmpty).size)
      val used = entry.toSeq.flatMap { case (name, otherwise) =>
        if (!starts.contains(name)) empty += Label(name, place, "faults")
        starts.get(name).fold(Seq(Placement.goto(otherwise)))(begin(name, _, range, place, room))
      }
      used.zipWithIndex.foreach { case (instruction, k) => memory(place + k) = instruction }
      if (entry.exists(one => !Entry.optional.contains(one._1))) gaps += (place + used.size until place + room)
    }
    val pieces = mutable.ArrayBuffer.empty[Range]
    var from = range.start
    for (at <- range) {
      if (moved(at)) from = at + 1
      else if (leaves(at)) {
        pieces += (from to at)
        from = at + 1
      }
    }
    var next = places.start + entries.size * Entry.Words
    rests ++= pieces.map(_.start)
    for (piece <- pieces) {
      val gap = gaps.indexWhere(_.size >= piece.size)
      val place = if (gap >= 0) gaps(gap).start else next
      if (gap >= 0) gaps(gap) = gaps(gap).drop(piece.size) else next += piece.size
      require(gap >= 0 || next <= places.end, s"the programs from ${places.start} on do not fit: up to $next")
      for (at <- piece) {
        address(at) = place + at - piece.start
        memory(address(at)) = code(at)
      }
    }
  }

  val image: Image = {
    val labels =
      for ((name, at, part) <- assembler.labels) yield Label(name, placed.getOrElse(name, address(at)), part)
    new Image(memory.toIndexedSeq, rests.map(at => Label(behind(at), address(at), parts(at))).toSeq ++ labels ++ empty,
      Target, end = address.values.max + 1)
  }
}

object Placement {
  import Micro._
  /** Acts behind which the program does not go on. */
  private val rests: Set[BigInt] = Seq(Act.run, Act.acceptAndRun, Act.resume, Act.scan, Act.putKeyAndScan,
    Act.hasbitsPutAndScan, Act.scanField, Act.nextRequest, Act.closeSequence).map(act => BigInt(act.index)).toSet
  /** The program rests behind the instruction. */
  def restsBehind(instruction: MicroInstruction): Boolean = instruction.fields.get(Action).exists(rests)
  /** The next instruction does not follow: it rests, or always branches. */
  def leaves(instruction: MicroInstruction): Boolean =
    instruction(Condition) == Cond.always.index && instruction(Invert) == 0 || restsBehind(instruction)
  private def goto(label: String): MicroInstruction = andGoto(new MicroInstruction, label)
  private def andGoto(instruction: MicroInstruction, label: String): MicroInstruction = {
    val jump = new MicroInstruction(instruction.fields.clone(), Some(label))
    jump(Condition) = Cond.always.index
    jump
  }
}
