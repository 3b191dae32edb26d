package heapwire.protobuf.engine.microcode

/** A register. */
case class Register(name: String, index: Int) {
  def +(second: Operand): Expr = Expr(Alu.Add, Some(this), second)
  def -(second: Operand): Expr = Expr(Alu.Sub, Some(this), second)
  def &(second: Operand): Expr = Expr(Alu.And, Some(this), second)
}

/** The engine's registers: 32 words, in which the microprogram keeps what belongs to the command and to the open
  * message.
  *
  * When a message is read, a value written to one of the second half also goes into the stack, at the level of the open
  * message. So these registers need not be saved, and `pop` restores those of the enclosing message.
  */
object Register extends Numbered[Register](32) {
  private def next(name: String): Register = next(new Register(name, _))
  /** The first register that the stack has. */
  val Stacked = 16
  // ---- of the command
  val input = next("input")
  /** The end of the fixed arena, rounded down. */
  val fixedLimit = next("fixedLimit")
  val fixedTop = next("fixedTop")
  /** The end of the flexible arena. When messages are written: the offset of the hasbits in messages of the last table.
    */
  val flexLimit = next("flexLimit")
  val top = next("top")
  /** The last address at which an empty string fits into the fixed arena, or 0. When messages are written: the
    * reference that a message without unknown fields holds.
    */
  val stringLimit = next("stringLimit")
  /** The mark word of new objects. */
  val mark = next("mark")
  /** The address behind the input. */
  val inputEnd = next("inputEnd")
  // ---- of the writing program and of field instructions, which give them names of their own
  val other0 = next("other0")
  val other1 = next("other1")
  val other2 = next("other2")
  // ---- a constant
  /** All bits set from the start, and never written; also the value of a memo that has not been computed yet. */
  val allOnes = next("allOnes")
  // ---- of a step
  val t0 = next("t0")
  val t1 = next("t1")
  val t2 = next("t2")
  val t3 = next("t3")
  // ---- of the open message
  val message = next("message")
  val table = next("table")
  /** The input offset at which it ends. */
  val messageEnd = next("messageEnd")
  val unknownStart = next("unknownStart")
  val unknownEnd = next("unknownEnd")
  /** The field number of a group. */
  val groupNumber = next("groupNumber")
  // ---- of the open list: the array list (native: where the count is); the array (native: the block)
  val listAt = next("listAt")
  val array = next("array")
  // ---- of a step: address of the reference to the current list; bytes that the list must have room for; an object
  // that was found again
  val slotAt = next("slotAt")
  val room = next("room")
  val foundAt = next("foundAt")
  val t4 = next("t4")
  /** Address of the next struct to be opened; where the current packed field ends. */
  val nextAt = next("nextAt")
  val packedEnd = next("packedEnd")
  val other3 = next("other3")
  /** Holds an outside word that an instruction's adder takes. */
  val scratch = next("scratch")
  // ---- saved beside the registers when a message inside the open one begins; `keptCount` if it has an open list, the
  // others if that list is not on top
  val keptState = room
  val keptCount = t4
  val keptElement = slotAt
  val keptLimit = packedEnd
}
