package heapwire.isa

/** The custom-1 instructions: the core walks a message, and the unit handles its fields (Parimi et al., chapter VII).
  *
  * {{{
  *  31      25 24  20 19  15 14  12 11   7 6      0
  * +----------+------+------+------+------+--------+
  * |  funct7  | rs2  | rs1  |funct3|  rd  | 0101011|   R-type, custom-1
  * +----------+------+------+------+------+--------+
  * }}}
  *
  * An opening instruction (`seroutput` with Output or Input) and everything after it up to `chksuccess` with Status
  * form a *sequence*. The unit has one open sequence; opening another ends it. Instructions of a sequence that is no
  * longer open have no effect, and its `chksuccess` answers BROKEN (docs/decisions/0007-field-instructions.md). The
  * first fault of a sequence also ends the sequence's effects, and `chksuccess` answers that fault.
  *
  * An instruction that would delay an interrupt for too long answers that it was not taken. It then had no effect, and
  * software repeats it. Every instruction that is taken is taken exactly once.
  */
object FieldInstruction {
  val Opcode = 0x2b

  sealed abstract class Kind(val funct3: Int, val name: String, val summary: String)

  /** Opens a sequence, or sets the memory that a sequence may touch.
    *
    * {{{
    *  31      25 24  20 19  15 14  12 11   7 6      0
    * +----------+------+------+------+------+--------+
    * |  SetUp   | last | first| 000  |  rd  | 0101011|
    * +----------+------+------+------+------+--------+
    * }}}
    *
    * rd = 0, or [[NotTaken]].
    */
  case object Seroutput extends Kind(0, "seroutput", "open a sequence or bound it: SetUp funct7 <- rs1, rs2")

  /** Writes a field in front of those written before: its key and value, or its values if it is repeated.
    *
    * {{{
    *  31 30 29   25 24  20 19  15 14  12 11   7 6      0
    * +--+--+-------+------+------+------+------+--------+
    * |f |r | type  |number| slot | 001  |  rd  | 0101011|   r: repeated, f: flag
    * +--+--+-------+------+------+------+------+--------+
    * }}}
    *
    * `type` is a [[FieldType]] code, or [[Raw]]. The flag means packed (repeated scalars), UTF-8 is checked (strings),
    * or the end of a message or group (see [[Tail]]). rd = 0, or [[NotTaken]].
    */
  case object Serfield extends Kind(1, "serfield", "write the field at rs1, of number rs2 and type funct7")

  /** Parses the value behind a key and stores it.
    *
    * {{{
    *  31 30 29   25 24  20 19  15 14  12 11   7 6      0
    * +--+--+-------+------+------+------+------+--------+
    * |f |r | type  | slot |source| 010  |  rd  | 0101011|
    * +--+--+-------+------+------+------+------+--------+
    * }}}
    *
    * The flag means that the value is a packed run (repeated scalars), or that UTF-8 is checked (strings). If the field
    * is repeated, bit 0 of rs2 says that it already has a list. A repeated MESSAGE or GROUP takes no input: rs1 is the
    * reference to append.
    *
    * rd = the address behind the value; rs1 if the instruction was not taken; all ones once the sequence has failed (0
    * if rs1 is all ones), so that a loop that runs up to the end of the input terminates.
    */
  case object Parfield extends Kind(2, "parfield", "parse the value at rs1 into the slot rs2; rd = next address")

  /** rd = the answer to [[Check]] funct7, once everything before has ended. It is [[NotTaken]] if an interrupt wants
    * the core first, and in no other case.
    *
    * {{{
    *  31      25 24  20 19  15 14  12 11   7 6      0
    * +----------+------+------+------+------+--------+
    * |  Check   |  0   | size | 011  |  rd  | 0101011|
    * +----------+------+------+------+------+--------+
    * }}}
    */
  case object Chksuccess
      extends Kind(3, "chksuccess", "rd = Check funct7 of the open sequence, once all of it has ended")

  val all: Seq[Kind] = Seq(Seroutput, Serfield, Parfield, Chksuccess)

  /** rd of an instruction that was not taken because of an interrupt. */
  val NotTaken = -1

  /** funct7 of `seroutput`. Output, Input and Destination wait until the core's stores are visible to the unit. Ranges
    * are [rs1, rs2) unless stated otherwise.
    */
  object SetUp {
    /** Opens a sequence that writes to the rs2 bytes at rs1, from their end downwards. */
    val Output = 0
    /** The range in which slots and objects are read. */
    val Heap = 1
    /** Opens a sequence that reads its input from this range. */
    val Input = 2
    /** The range into which `parfield` may store. */
    val Destination = 3
    /** The arenas from which `parfield` takes memory: strings and lists come from Fixed, the arrays of lists from
      * Flexible.
      */
    val Fixed = 4
    val Flexible = 5
    /** Ends the open sequence; used before another thread runs. */
    val Break = 6
    val all = Seq("OUTPUT" -> Output, "HEAP" -> Heap, "INPUT" -> Input, "DESTINATION" -> Destination, "FIXED" -> Fixed,
      "FLEXIBLE" -> Flexible, "BREAK" -> Break)
  }

  /** funct7 of `chksuccess`. All but Status leave the sequence open. */
  object Check {
    /** The first fault as a [[Status]], or 0. Ends the sequence. */
    val Status = 0
    /** Bytes written. */
    val Length = 1
    /** The first free address of each arena. */
    val FixedTop = 2
    val FlexibleTop = 3
    /** Where the first fault was: an address in the input or in the heap. */
    val At = 4
    /** Allocates rs1 bytes in the fixed arena and answers their address, or 0. Waits for `parfield` only. */
    val Take = 5
    val all =
      Seq("STATUS" -> Status, "LENGTH" -> Length, "FIXED_TOP" -> FixedTop, "FLEXIBLE_TOP" -> FlexibleTop, "AT" -> At,
        "TAKE" -> Take)
  }

  val RepeatedBit = 5
  val FlagBit = 6

  /** A type of `serfield`: writes the bytes of the list at the slot as they are, without a key. */
  val Raw = 0

  /** The flag of `serfield` with the types MESSAGE and GROUP, which read no slot. With the flag, a message ends here,
    * or a group does (its end-group key is written). Without it, the message or group starts here: its length (messages
    * only) and its key are written.
    */
  val Tail = 1 << FlagBit

  /** The most messages that may be open in a sequence. */
  val MaxDepth = 100
}
