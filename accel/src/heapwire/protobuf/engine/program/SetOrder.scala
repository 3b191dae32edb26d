package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._
import heapwire.sequencer.{Image, MicroInstruction}

/** Checks that no instruction takes what nothing has set since the program was entered: a register of a step, an
  * outcome of the adder, or a word of the cache. What such a thing held before depends on what ran before, and after
  * power-on on chance.
  */
private class SetOrder(flow: ProgramFlow, entries: Map[Int, Set[String]], granted: Map[Int, Set[String]]) {
  import Micro._
  import flow.program
  /** Of a step in the programs of the slot only: those of managed objects keep words of a message in them. */
  private val inSlot = Seq(Register.slotAt, Register.room, Register.foundAt)
  private val registers = Seq(Register.t0, Register.t1, Register.t2, Register.t3, Register.t4, Register.scratch) ++
    inSlot
  private val outcomes = Seq(Cond.carry, Cond.equal, Cond.odd8, Cond.odd16, Cond.misaligned)
  private def takesX(i: MicroInstruction) = i(Source) == Second.X || i(StoreX) == 1
  private def named(field: heapwire.sequencer.MicroField, i: MicroInstruction) =
    registers.find(_.index == i(field)).map(_.name).toSet
  private def branches(i: MicroInstruction, conds: Cond*) = i.target.nonEmpty && conds.exists(_.index == i(Condition))
  /** Returns whether B is used: by the adder, by a store, or as the second operand of an act. */
  private def usesB(i: MicroInstruction) = i(Source) == Second.B || i.fields.contains(B)
  private def passes(i: MicroInstruction) = i(Source) == Second.X || i(Source) == Second.Hot && i(Compute) == Alu.Pass

  private def taken(at: Int): Set[String] = {
    val i = program(at)
    (if (i(Source) == Second.X || i(Compute) == Alu.Pass) Set.empty[String] else named(A, i)) ++
      (if (usesB(i) && i.fields.contains(B)) named(B, i) else Nil) ++
      (if (branches(i, outcomes: _*)) Seq("outcome") else Nil) ++
      (if (branches(i, Cond.matches)) Seq("match") else Nil) ++
      (if (Kind.readsGranule.has(i) && takesX(i)) Seq("word") else Nil)
  }
  private def set(at: Int): Set[String] = {
    val i = program(at)
    (if (i(Keep) == 1) named(Dest, i) else Set.empty[String]) ++
      (if (i.fields.contains(Compute) && !passes(i)) Seq("outcome") else Nil) ++
      (if (Kind.asks.has(i)) Seq("word") else Nil) ++ (if (Kind.readsGranule.has(i)) Seq("match") else Nil)
  }
  private val everything = registers.map(_.name).toSet ++ Set("outcome", "match", "word")

  /** What is set on all ways to each instruction, or None if there is none; what a subroutine sets on all its ways. */
  private def solve(starts: Map[Int, Set[String]]): Array[Option[Set[String]]] = {
    val in = Array.fill[Option[Set[String]]](program.size)(None)
    def reach(at: Int, now: Set[String]): List[Int] = {
      val before = in(at)
      val after = before.fold(now)(_ & now)
      in(at) = Some(after)
      if (before.contains(after)) Nil else List(at)
    }
    var work = starts.toList.flatMap { case (at, now) => reach(at, now) }
    while (work.nonEmpty) {
      val at = work.head
      val now = in(at).get ++ set(at) ++ granted.getOrElse(at, Nil)
      work = flow.next(at).toList.flatMap(reach(_, now)) ++
        flow.called(at).toList.flatMap(entry => sets(entry).toList.flatMap(more => reach(at + 1, now ++ more))) ++
        work.tail
    }
    in
  }
  private val known = scala.collection.mutable.Map.empty[Int, Option[Set[String]]]
  private def sets(entry: Int): Option[Set[String]] = known.getOrElseUpdate(entry, {
      val in = solve(Map(entry -> Set.empty))
      flow.returns(entry).flatMap(at => in(at).map(_ ++ set(at))).reduceOption(_ & _)
    })

  private def check(): Unit = {
    val in = solve(entries)
    val stale = for (at <- program.indices; now <- in(at).toSeq;
      missing = taken(at) -- now -- granted.getOrElse(at, Nil) -- (if (at < Entry.Slot) inSlot.map(_.name) else Nil)
      if missing.nonEmpty)
      yield s"${flow.where(at)}: ${missing.mkString(", ")}"
    require(stale.isEmpty, stale.mkString("instructions take what nothing has set: ", "; ", ""))
  }
}

private object SetOrder {
  /** The events of the slot to which only programs go; the labels besides events to which only the hardware goes. */
  private val byProgram: Set[String] = Set(Entry.label(slot = true, writes = false, Entry.Open),
    Entry.label(slot = true, writes = false, Entry.Resume),
    Entry.label(slot = true, writes = true, Entry.Root), Entry.label(slot = true, writes = true, Entry.Keep),
    Entry.label(slot = true, writes = true, Entry.Next))
  private val byHardware: Set[String] = Set(CommandProgram.Begin, CommandProgram.Drain, WriteProgram.Begin,
    WriteProgram.Drain,
    WriteProgram.Full, FieldsProgram.Drain, FieldsProgram.Failed, FieldsProgram.Leave, FieldsProgram.Settle,
    FieldsProgram.Done)
  /** The hardware enters the program at the places of events; after the scanner has stopped, a word is at hand. It also
    * enters where commands and field instructions begin, and where faults and fields of field instructions end.
    */
  def check(flow: ProgramFlow, image: Image): Unit = {
    val events = for (slot <- Seq(false, true); (entry, i) <- Entry.all(slot).zipWithIndex; (name, writes) <- entry
      if !byProgram.contains(name))
      yield (if (slot) Entry.Slot else 0) + i * Entry.Words -> (if (writes) Set("word") else Set.empty[String])
    val others = image.listing.filter(label =>
      byHardware.contains(label.name) || label.name.startsWith(FieldsProgram.Entrance))
    // Some ways to these depend on branches before, and cannot be taken.
    val granted = Seq(
      // An enclosing struct is resumed when a struct has ended, whose size is in t4.
      Entry.label(slot = true, writes = false, Entry.Resume) -> Set("t4"),
      // A list is being closed at the end of its struct, whose table has been asked for.
      "struct ends" -> Set("word"))
    val places = image.listing.map(label => label.name -> label.address).toMap
    new SetOrder(flow, events.toMap ++ others.map(_.address -> Set.empty[String]),
      granted.flatMap { case (name, what) => places.get(name).map(_ -> what) }.toMap).check()
  }
}
