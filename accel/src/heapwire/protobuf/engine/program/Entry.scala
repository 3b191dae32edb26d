package heapwire.protobuf.engine.program

import heapwire.isa.Status
import heapwire.protobuf.engine.microcode._
import spinal.core._

/** The fixed places at which the hardware enters the programs: one for each event of each of the two resident object
  * models. Managed objects are the first one; the second one is in the slot, a part of the program memory from
  * `Slot` on. An event is a step's action when a message is read, or the reason why the scanner stops when one is
  * written; the programs of managed objects themselves go to the remaining places of the slot. A place without a
  * handler ends the command with BAD_DESCRIPTOR.
  */
object Entry {
  /** Instructions of a place. */
  val Words = 8
  private val Numbers = 16
  /** Instructions of the places of a model. */
  val Places: Int = 2 * Numbers * Words
  /** Where the slot begins, in which a model's places are first. */
  val Slot: Int = 5 * Places
  /** Events of the slot: the root's header is here, and is not that of a managed object, when a message is read, and
    * when one is written; a message is resumed whose list was open; unknown fields are to be kept;
    * a message of a list has been written.
    */
  val Open: Int = Action.elements.size
  val Resume: Int = Open + 1
  /** Behind the last reason to stop, whose handler takes two places if the model is that of managed objects. */
  val Root: Int = ScanStop.elements.size + 1
  val Keep: Int = Root + 1
  val Next: Int = Root - 1
  require(Resume < Numbers && Keep < Numbers)

  /** Returns the label of the handler of an event. */
  def label(slot: Boolean, writes: Boolean, event: Int): String =
    s"${if (slot) "slot" else "managed"} ${if (writes) "stop" else "action"} $event"
  /** A model's events in the order of their places: the label of the handler, and whether it belongs to writing.
    * (Unknown fields are kept while a message is read, in a place of the other half.)
    */
  def all(slot: Boolean): Seq[Option[(String, Boolean)]] = {
    def places(writes: Boolean, events: Int, ofSlot: Int*) = for (event <- 0 until Numbers)
      yield Option.when(event < events || slot && ofSlot.contains(event))(label(slot, writes, event) -> (writes && event != Keep))
    places(writes = false, Action.elements.size, Open, Resume) ++
      places(writes = true, ScanStop.elements.size, Root, Keep, Next)
  }
  /** Where commands come to the slot, and nothing else does unless they came there: address, and the label of a refusal.
    */
  def doors: Seq[(Int, String)] = for (one <- Seq(label(slot = true, writes = false, Open),
      label(slot = true, writes = true, Root))) yield {
    val place = all(slot = true).indexWhere(_.exists(_._1 == one))
    Slot + place * Words -> failure(all(slot = true)(place).get._2)
  }
  /** Returns where an event without a handler leads. */
  def failure(writes: Boolean): String =
    if (writes) WriteProgram.failure(Status.BadDescriptor) else Line.failure(Status.BadDescriptor)
  /** Handlers that some engines do not have: what is beside them depends on nothing. */
  val optional: Set[String] = Seq(Action.RunEnd, Action.View, Action.ViewInList).map(action =>
    label(slot = false, writes = false, action.position)).toSet
  /** The address of the handler of an event. */
  def address(slot: Bool, writes: Bool, event: UInt): UInt =
    (slot ? U(Slot / Places, 3 bits) | U(0, 3 bits)) @@ writes @@ event @@ U(0, log2Up(Words) bits)
}
