package heapwire.isa

/** The custom-0 instructions of the command front end.
  *
  * {{{
  *  31      25 24  20 19  15 14  12 11   7 6      0
  * +----------+------+------+------+------+--------+
  * |  funct7  | rs2  | rs1  |funct3|  rd  | 0001011|   R-type, custom-0
  * +----------+------+------+------+------+--------+
  * }}}
  *
  * Every instruction takes effect exactly once. `stage` and `submit` behave like LR and SC: a trap discards what was
  * staged, and the next `submit` then answers [[SubmitResult.Retry]] and starts nothing. An interrupt handler may
  * therefore use the units without saving any of their state.
  *
  * Staged arguments belong to the next accepted command only: arguments that are not staged again are undefined after
  * that command. A `submit` that answers QUEUE_FULL or NO_UNIT keeps them. Arguments that are staged while no tag is
  * free are lost, and the next `submit` that finds a free tag answers RETRY.
  */
object Instruction {
  val Opcode = 0x0b

  /** funct3 of each instruction, in the order of the manual. */
  sealed abstract class Kind(val funct3: Int, val name: String, val summary: String)

  /** funct7 = i (0..2): command arguments 2i and 2i+1 become rs1 and rs2. */
  case object Stage extends Kind(0, "stage", "arguments 2*funct7 and 2*funct7+1 <- rs1, rs2")

  /** funct7 = [[Operation]] code: arguments 6 and 7 become rs1 and rs2, and the command is queued once every earlier
    * store of the core has drained. rd = tag, or a negative [[SubmitResult]].
    */
  case object Submit extends Kind(1, "submit", "queue operation funct7; rd = tag or a negative SubmitResult")

  /** rd = status of tag rs1 once the command is complete and its results are visible to the core's loads;
    * [[WaitResult.Pending]] if an interrupt wants the core first.
    */
  case object Wait extends Kind(2, "wait", "rd = status of tag rs1; waits unless an interrupt is pending")

  /** As `wait`, but answers immediately. */
  case object Poll extends Kind(3, "poll", "rd = status of tag rs1, or Pending")

  /** rd = result word funct7 (0..3) of the completed tag rs1; 0 if its operation has no such word. */
  case object Result extends Kind(4, "result", "rd = result word funct7 of tag rs1")

  /** Frees tag rs1, whose command must be complete. rd = 0 or a negative [[WaitResult]]. If rd is x0 the core does not
    * wait for the answer.
    */
  case object Release extends Kind(5, "release", "free tag rs1")

  /** rd = information word rs1: see [[Information]]. */
  case object Info extends Kind(6, "info", "rd = information word rs1")

  /** Runtime register rs1 <- rs2: see [[RuntimeRegister]]. Units also discard their cached descriptor tables. rd = 0, or
    * [[SetResult.Locked]].
    */
  case object Set extends Kind(7, "set", "runtime register rs1 <- rs2")

  val all: Seq[Kind] = Seq(Stage, Submit, Wait, Poll, Result, Release, Info, Set)

  /** Argument and result words of a command, 32 bits each. */
  val ArgumentWords = 8
  val ResultWords = 4
}

/** The answers of `submit` that are not a tag. */
object SubmitResult {
  val QueueFull = -1
  val Retry = -2
  val NoUnit = -3
  val all = Seq("QUEUE_FULL" -> QueueFull, "RETRY" -> Retry, "NO_UNIT" -> NoUnit)
}

/** The answer of `set` if it may not change the register any more. */
object SetResult {
  val Locked = -1
  val all = Seq("LOCKED" -> Locked)
}

/** The answers of `wait`, `poll`, `result` and `release` that are not a status. */
object WaitResult {
  val Pending = -1
  val BadTag = -2
  val all = Seq("PENDING" -> Pending, "BAD_TAG" -> BadTag)
}
