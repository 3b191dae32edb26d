package heapwire.protobuf.engine.microcode

/** A bit that the program raises, lowers and branches on. */
case class Flag(name: String, index: Int, raise: Act, lower: Act, is: Cond)

object Flag {
  private var made = Seq.empty[Flag]
  def all: Seq[Flag] = made
  def apply(name: String): Flag = {
    val flag = new Flag(name, made.size, Act.declare(s"raise $name"), Act.declare(s"lower $name"), Cond.declare(name))
    made = made :+ flag
    flag
  }
  // Flags of the open message, saved with it.
  /** The run of unknown fields [unknownStart, unknownEnd) is still to be kept. */
  val unknownValid = Flag("unknownValid")
  val listOpen = Flag("listOpen")
  val onTop = Flag("onTop")
  val moved = Flag("moved")
  val group = Flag("group")
  val freshStruct = Flag("freshStruct")
  val elementOpen = Flag("elementOpen")
  /** The number of flags, from the first one on, that belong to the open message. */
  val OfMessage: Int = made.size
  // Flags of the command or of a step.
  /** The list state in the registers is that of an outer message, whose array is still the topmost one. It is undefined
    * while the open message has a list open.
    */
  val outerValid = Flag("outerValid")
  val closing = Flag("closing")
  val keeping = Flag("keeping")
  val declared = Flag("declared")
  val judged = Flag("judged")
  val presenceDone = Flag("presenceDone")
  val nextFresh = Flag("nextFresh")
  val nextBegins = Flag("nextBegins")
  val nextWhole = Flag("nextWhole")
  // Flags of a sequence of field instructions: it continues without a fault; all that it wrote is in memory; the open
  // list, if any, belongs to another slot.
  val live = Flag("live")
  val settled = Flag("settled")
  val elsewhere = Flag("elsewhere")
  val ofSequence: Seq[Flag] = Seq(live, settled, elsewhere)
}
