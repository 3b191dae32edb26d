package heapwire.core

import heapwire.isa.Instruction
import heapwire.memory.{ArgumentPort, UnitCommand}
import spinal.core._
import spinal.lib._

/** Two argument words of a command as the front end's memory stores them, and the command's operation, which is valid
  * only in the last pair.
  */
case class CommandPair() extends Bundle {
  val words = Vec.fill(2)(Bits(32 bits))
  val operation = Bits(7 bits)
}

object CommandPair {
  val Count = Instruction.ArgumentWords / 2
}

/** The queues of tags, one per kind of unit, and the path of the arguments from the memory to the units.
  *
  * Each kind has registers for the arguments of one command, or a small memory if its units look their arguments up.
  * The first command of the kind's queue is fetched into them from the memory: 4 cycles, one kind at a time, while the
  * units work. If the queue is empty, the command of a `submit` is fetched before it is accepted. If it is then
  * accepted at once, a sole unit is offered the command 4 cycles later.
  *
  *  - `submit`: one bit per kind, set for the kind of the `submit` under way; stable until that is accepted or refused.
  *  - `accept`: that command, whose tag is `next`, enters the queue. Allowed only with `room`.
  *  - `place`: the read address of the memory; `pair` is the word one cycle later. With `hold`, another reader has the
  *    port in this cycle.
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
    /** One bit per unit: its completion was taken. */
    val completed = in Bits (p.unitCount bits)
  }
  val queues = for (((kind, _), k) <- p.units.zipWithIndex)
    yield new TagQueue(p.queueDepth, io.next, io.accept && io.submit(k)).setName(s"${kind.name}_queue")
  io.room := B(queues.map(_.room))
  private val queued = B(queues.map(_.head.valid))
  private val taken = B(queues.map(_.head.fire))

  /** The kind whose command is being fetched, and the pair that is being read. While no kind is fetching, the first
    * pair of `next` is read repeatedly, for every kind that has room for it.
    */
  val fetching = RegInit(B(0, kinds bits))
  val number = Reg(UInt(2 bits))
  private val idle = fetching === 0
  val primed = RegNext(idle && !io.hold && !io.staging) init False
  /** One bit per kind: every pair has been requested, and every pair has arrived. */
  val asked, complete = RegInit(B(0, kinds bits))

  /** One bit per kind: it stores the pair that the memory returns now. */
  private val catching = RegInit(B(0, kinds bits))
  // A kind that still had a command until now has not stored the first pair.
  private val ahead = idle && primed && (io.submit & ~queued & ~asked & catching).orR
  private val last = !io.hold && number === CommandPair.Count - 1
  // A command that was fetched ahead is dropped if its `submit` is refused.
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
      for (port <- io.arguments.drop(p.firstLooking(kind)).take(count)) port.word :=
        Vec(words.map(_.readAsync(port.index >> 1))).read(port.index.lsb.asUInt)
    } else for (i <- 0 until CommandPair.Count; word = RegNextWhen(io.pair.words, catching(k) && caught === i);
      j <- 0 until 2)
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
