package heapwire.isa

/** The custom-1 instructions: the core walks a message, the unit does its fields
  * (Parimi et al., chapter VII).
  *
  * {{{
  *  31      25 24  20 19  15 14  12 11   7 6      0
  * +----------+------+------+------+------+--------+
  * |  funct7  | rs2  | rs1  |funct3|  rd  | 0101011|   R-type, custom-1
  * +----------+------+------+------+------+--------+
  * }}}
  *
  * Instructions between an opening one and `chksuccess` form a *sequence*; the
  * unit has one open, and opening another ends it. What belongs to a sequence
  * that is not open any more has no effect, and its `chksuccess` answers BROKEN
  * (docs/decisions/0007). The first fault of a sequence ends its effects too, and
  * is what `chksuccess` answers.
  *
  * An instruction that would have to wait longer than an interrupt may answers
  * that it was not taken and has then had no effect: software repeats it. Each
  * one that is taken is taken exactly once.
  */
object FieldInstruction {
  val Opcode = 0x2b

  sealed abstract class Kind(val funct3: Int, val name: String, val summary: String)

  /** Opens a sequence, or says what it may touch.
    *
    * {{{
    *  31      25 24  20 19  15 14  12 11   7 6      0
    * +----------+------+------+------+------+--------+
    * |  SetUp   | last | first| 000  |  rd  | 0101011|
    * +----------+------+------+------+------+--------+
    * }}}
    * rd = 0, or [[NotTaken]].
    */
  case object Seroutput extends Kind(0, "seroutput", "open a sequence or bound it: SetUp funct7 <- rs1, rs2")

  /** Writes a field in front of those before it: its key and value, or values.
    *
    * {{{
    *  31 30 29   25 24  20 19  15 14  12 11   7 6      0
    * +--+--+-------+------+------+------+------+--------+
    * |f |r | type  |number| slot | 001  |  rd  | 0101011|   r: repeated, f: flag
    * +--+--+-------+------+------+------+------+--------+
    * }}}
    * `type` is a [[FieldType]] code, or [[Raw]]. f: packed (repeated scalars), UTF-8
    * is checked (strings), the end of a message or group (see [[Tail]]).
    * rd = 0, or [[NotTaken]].
    */
  case object Serfield extends Kind(1, "serfield", "write the field at rs1, of number rs2 and type funct7")

  /** Reads the value behind a key and stores it.
    *
    * {{{
    *  31 30 29   25 24  20 19  15 14  12 11   7 6      0
    * +--+--+-------+------+------+------+------+--------+
    * |f |r | type  | slot |source| 010  |  rd  | 0101011|
    * +--+--+-------+------+------+------+------+--------+
    * }}}
    * f: the value is a packed run (repeated scalars), UTF-8 is checked (strings).
    * Repeated: bit 0 of rs2 says that the field has a list already. A repeated
    * MESSAGE or GROUP takes no input: rs1 is the reference to be appended.
    * rd = the address behind the value; rs1 if it was not taken; all ones (0 if rs1 is
    * that) once the sequence has failed, so that a loop up to the input's end ends.
    */
  case object Parfield extends Kind(2, "parfield", "parse the value at rs1 into the slot rs2; rd = next address")

  /** rd = [[Check]] funct7 once everything before has ended; [[NotTaken]] if an
    * interrupt wants the core first, and never else.
    *
    * {{{
    *  31      25 24  20 19  15 14  12 11   7 6      0
    * +----------+------+------+------+------+--------+
    * |  Check   |  0   | size | 011  |  rd  | 0101011|
    * +----------+------+------+------+------+--------+
    * }}}
    */
  case object Chksuccess extends Kind(3, "chksuccess", "rd = Check funct7 of the open sequence, once all of it has ended")

  val all: Seq[Kind] = Seq(Seroutput, Serfield, Parfield, Chksuccess)

  /** rd of an instruction that an interrupt kept from being taken. */
  val NotTaken = -1

  /** funct7 of `seroutput`. The opening ones and Destination wait until the core's
    * stores are visible to the unit. Ranges are [rs1, rs2) where nothing else is said. */
  object SetUp {
    /** Opens a sequence that writes to the rs2 bytes at rs1, from their end downwards. */
    val Output = 0
    /** Where slots and objects are read. */
    val Heap = 1
    /** Opens a sequence that reads its input from this range. */
    val Input = 2
    /** Where `parfield` may store. */
    val Destination = 3
    /** Where it takes strings and lists, and the arrays of lists. */
    val Fixed = 4
    val Flexible = 5
    /** Ends the open sequence: before a thread goes on. */
    val Break = 6
    val all = Seq("OUTPUT" -> Output, "HEAP" -> Heap, "INPUT" -> Input, "DESTINATION" -> Destination, "FIXED" -> Fixed,
      "FLEXIBLE" -> Flexible, "BREAK" -> Break)
  }

  /** funct7 of `chksuccess`. All but Status leave the sequence open. */
  object Check {
    /** The first fault, a [[Status]], or 0; ends the sequence. */
    val Status = 0
    /** Bytes written. */
    val Length = 1
    /** Behind what was taken. */
    val FixedTop = 2
    val FlexibleTop = 3
    /** Where the first fault was: an address of the input or of the heap. */
    val At = 4
    /** Takes rs1 bytes off the fixed arena: their address, or 0. Waits for `parfield` only. */
    val Take = 5
    val all = Seq("STATUS" -> Status, "LENGTH" -> Length, "FIXED_TOP" -> FixedTop, "FLEXIBLE_TOP" -> FlexibleTop, "AT" -> At,
      "TAKE" -> Take)
  }

  val RepeatedBit = 5
  val FlagBit = 6

  /** A type of `serfield`: the bytes of the list at the slot as they are, without a key. */
  val Raw = 0

  /** With the types MESSAGE and GROUP, which read no slot. With the flag: a message
    * ends here, or a group does (its end-group key). Without it: it starts here, and
    * its length, or nothing, and its key are written.
    */
  val Tail = 1 << FlagBit

  /** Messages open in a sequence. */
  val MaxDepth = 100
}
