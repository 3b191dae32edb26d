package heapwire.core

import heapwire.isa.Instruction
import heapwire.memory.{ArgumentPort, UnitCommand}
import spinal.core._
import spinal.lib._

/** Two words of a command, as they stand in the front end's memory, and what the command asks for: valid in the last pair of its arguments. */
case class CommandPair() extends Bundle {
  val words = Vec.fill(2)(Bits(32 bits))
  val operation = Bits(7 bits)
}

object CommandPair {
  val Count = Instruction.ArgumentWords / 2
}

/** The queues of tags, one a kind of unit, and the way of the arguments from the memory to the units.
  *
  * Each kind has registers for one command, or a small memory if its units look their arguments up. They are filled from the memory for the first command
  * of the kind's queue: 4 cycles, one kind at a time, while the units work. A submit whose queue is empty is fetched before it is accepted: if it is accepted at
  * once, it is offered to a sole unit 4 cycles later.
  *
  *  - `submit`: the kind a submit under way is for, if any; stands still until it is accepted or refused.
  *  - `accept`: that command, whose tag is `next`, enters the queue; only with `room`.
  *  - `place`: what is read of the memory; `pair` is that one cycle later. With `hold` the port is another's in this cycle.
  *  - `staging`: the first pair of `next` is being written.
  */
case class CommandFeed(p: FrontEndParameter) extends Component {
  private val kinds = p.units.size
  val io = new Bundle {
    val submit = in Bits (kinds bits)
    val accept = in Bool ()
    val next = in UInt (p.tagWidth bits)
    val staging = in Bool ()
    val room = out Bits (kinds bits)
    val place = out UInt (p.tagWidth + 2 bits)
    val hold = in Bool ()
    val pair = in(CommandPair())
    val commands = Vec.fill(p.unitCount)(master(Stream(UnitCommand(p.tagWidth))))
    val arguments = (p.lookingCount > 0) generate Vec.fill(p.lookingCount)(slave(ArgumentPort()))
    /** The unit's completion was taken. */
    val completed = in Bits (p.unitCount bits)
  }
  val queues = for (((kind, _), k) <- p.units.zipWithIndex)
    yield new TagQueue(p.queueDepth, io.next, io.accept && io.submit(k)).setName(s"${kind.name}_queue")
  io.room := B(queues.map(_.room))
  private val queued = B(queues.map(_.head.valid))
  private val taken = B(queues.map(_.head.fire))

  /** The kind whose command is being fetched, and the pair that is read now. While nobody's is, the first pair of `next` is
    * read again and again, by every kind that has room for it. */
  val fetching = RegInit(B(0, kinds bits))
  val number = Reg(UInt(2 bits))
  private val idle = fetching === 0
  val primed = RegNext(idle && !io.hold && !io.staging) init False
  /** By kind: every pair has been asked for; and has come. */
  val asked, complete = RegInit(B(0, kinds bits))

  /** By kind: what the memory gives now is caught. */
  private val catching = RegInit(B(0, kinds bits))
  // A kind that had a command until now has not caught the first pair.
  private val ahead = idle && primed && (io.submit & ~queued & ~asked & catching).orR
  private val last = !io.hold && number === CommandPair.Count - 1
  // A command fetched ahead is forgotten with its submit.
  private val alive = (queued | io.submit) & ~taken
  asked := (asked | (last ? fetching | B(0, kinds bits))) & alive
  complete := asked & alive
  when(idle) {
    fetching := ahead ? io.submit | OHMasking.first(queued & ~asked)
    number := ahead ? U(2) | U(0)
  } otherwise {
    when(!io.hold) { number := number + 1 }
    when(last || !(fetching & alive).orR) { fetching := 0 }
  }
  private val tag = UInt(p.tagWidth bits)
  tag := io.next
  for ((queue, k) <- queues.zipWithIndex) when(fetching(k) && queue.head.valid) { tag := queue.head.payload }
  io.place := tag @@ (idle ? ahead.asUInt.resize(2) | number)

  catching := io.hold ? B(0, kinds bits) | (idle ? ~asked | fetching)
  private val caught = RegNext(io.place(1 downto 0))
  for (((kind, count), k) <- p.units.zipWithIndex) {
    val queue = queues(k)
    val command = Stream(UnitCommand(p.tagWidth))
    command.arbitrationFrom(queue.head.continueWhen(complete(k)))
    command.tag := queue.head.payload
    command.operation := RegNextWhen(io.pair.operation, catching(k) && caught === CommandPair.Count - 1)
    if (p.looking(kind)) {
      command.arguments.foreach(_.assignDontCare())
      val words = io.pair.words.map { word =>
        val words = Mem(Bits(32 bits), CommandPair.Count).addAttribute("ram_style", "distributed")
        words.write(caught, word, catching(k))
        words
      }
      for (port <- io.arguments.drop(p.firstLooking(kind)).take(count)) port.word := Vec(words.map(_.readAsync(port.index >> 1))).read(port.index.lsb.asUInt)
    } else for (i <- 0 until CommandPair.Count; word = RegNextWhen(io.pair.words, catching(k) && caught === i); j <- 0 until 2)
      command.arguments(2 * i + j) := word(j)
    val first = p.first(kind)
    val commands = io.commands.slice(first, first + count)
    if (count == 1) commands.head << command
    else {
      val dispatcher = Dispatcher(p.tagWidth, count).setName(s"${kind.name}_dispatcher")
      dispatcher.io.command << command
      dispatcher.io.completed := io.completed(first, count bits)
      commands.zip(dispatcher.io.commands).foreach { case (unit, offered) => unit << offered }
    }
  }
}
