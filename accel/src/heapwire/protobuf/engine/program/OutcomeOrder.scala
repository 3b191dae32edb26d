package heapwire.protobuf.engine.program

import heapwire.protobuf.engine.microcode._

/** Checks that branches on an outcome test a result that exists, that the scanner takes the requested word, and that no
  * store waits for a granule: it would write before the granule is there.
  */
private object OutcomeOrder {
  import Micro._
  private val scans = Seq(Act.scan, Act.putKeyAndScan, Act.hasbitsPutAndScan, Act.scanField)

  def check(flow: ProgramFlow): Unit = {
    import flow.{nearest, program, where}
    def branches(at: Int, conds: Cond*) = program(at).target.nonEmpty && conds.exists(_.index == program(at)(Condition))
    /** Returns whether the instruction leaves a carry. */
    def computes(at: Int) = program(at)(Source) != Second.X &&
      !(program(at)(Source) == Second.Hot && program(at)(Compute) == Alu.Pass)
    for (at <- program.indices) {
      if (branches(at, Cond.carry, Cond.equal)) for (maker <- nearest(at)(computes))
        require(program(maker)(Compute) != Alu.Pass,
          s"the instruction at ${where(at)} branches on what ${where(maker)} computes, which is S alone")
      if (branches(at, Cond.matches)) for (taker <- nearest(at)(i => Kind.readsGranule.has(program(i))))
        require(!Kind.namesWord.has(program(taker)),
          s"the instruction at ${where(at)} branches on a match with a word that ${where(taker)} names: " +
            "only one that was asked for is meant")
      def reads(at: Int) = Kind.readsGranule.has(program(at))
      if (reads(at) && Kind.stores.has(program(at)))
        for (other <- nearest(at)(i => Kind.asks.has(program(i)) || reads(i) && !Kind.stores.has(program(i))))
          require(reads(other),
            s"the store at ${where(at)} takes a word of what ${where(other)} asked for: another instruction must wait for it")
      // While the program rests, the decoded kinds are those of the instruction behind, or of one that is read ahead.
      if (scans.exists(flow.does(at, _))) require(program.lift(at + 1).forall(!Kind.namesWord.has(_)),
        s"the scanner would take the word that the instruction behind ${where(at)} names")
    }
  }
}
