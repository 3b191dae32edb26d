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
  * An instruction takes effect exactly once. `stage` and `submit` behave as LR
  * and SC do: a trap breaks what was staged, and `submit` then answers
  * [[SubmitResult.Retry]] and starts nothing, so that an interrupt handler may
  * use the units without saving any state of theirs.
  *
  * What was staged is for the next command that is accepted, and for that one alone: arguments that are not staged
  * again are undefined after it. A submit that is QUEUE_FULL or NO_UNIT leaves it as it was. What is staged while no
  * tag is free is lost: the next submit that finds one answers RETRY.
  */
object Instruction {
  val Opcode = 0x0b

  /** funct3 of each instruction, in the order of the manual. */
  sealed abstract class Kind(val funct3: Int, val name: String, val summary: String)

  /** funct7 = i (0..2): command arguments 2i and 2i+1 become rs1 and rs2. */
  case object Stage extends Kind(0, "stage", "arguments 2*funct7 and 2*funct7+1 <- rs1, rs2")

  /** funct7 = [[Operation]] code: arguments 6 and 7 become rs1 and rs2 and the
    * command is queued once every earlier store of the core has drained.
    * rd = tag, or a negative [[SubmitResult]].
    */
  case object Submit extends Kind(1, "submit", "queue operation funct7; rd = tag or a negative SubmitResult")

  /** rd = status of tag rs1 once it is complete and visible to the core's loads,
    * [[WaitResult.Pending]] if an interrupt wants the core first.
    */
  case object Wait extends Kind(2, "wait", "rd = status of tag rs1; waits unless an interrupt is pending")

  /** As `wait`, but answers at once. */
  case object Poll extends Kind(3, "poll", "rd = status of tag rs1, or Pending")

  /** rd = result word funct7 (0..3) of the completed tag rs1, 0 if its operation has none such. */
  case object Result extends Kind(4, "result", "rd = result word funct7 of tag rs1")

  /** Frees tag rs1, whose command must be complete. rd = 0 or a negative [[WaitResult]]; with x0 for rd the core does not wait for it. */
  case object Release extends Kind(5, "release", "free tag rs1")

  /** rd = information word rs1: see [[Information]]. */
  case object Info extends Kind(6, "info", "rd = information word rs1")

  /** Runtime register rs1 <- rs2: see [[RuntimeRegister]]. Drops what units have
    * cached of descriptor tables. rd = 0.
    */
  case object Set extends Kind(7, "set", "runtime register rs1 <- rs2")

  val all: Seq[Kind] = Seq(Stage, Submit, Wait, Poll, Result, Release, Info, Set)

  /** Arguments and result words of a command, 32 bits each. */
  val ArgumentWords = 8
  val ResultWords = 4
}

/** What `submit` answers instead of a tag. */
object SubmitResult {
  val QueueFull = -1
  val Retry = -2
  val NoUnit = -3
  val all = Seq("QUEUE_FULL" -> QueueFull, "RETRY" -> Retry, "NO_UNIT" -> NoUnit)
}

/** What `wait`, `poll`, `result` and `release` answer instead of a status. */
object WaitResult {
  val Pending = -1
  val BadTag = -2
  val all = Seq("PENDING" -> Pending, "BAD_TAG" -> BadTag)
}
