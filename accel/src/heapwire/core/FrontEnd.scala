package heapwire.core

import heapwire.isa._
import heapwire.memory.{ArgumentPort, BlockRam, FieldPort, RegisterWrite, Traffic, UnitPort}
import spinal.core._
import spinal.lib._

/** The parameters of a front end.
  *
  * @param units            the kinds that have units, with their number, at least 1 each
  * @param wordLog          log2 of the bytes of a memory word, for software to read
  * @param fields           a unit carries out the field instructions
  * @param modes            bits of [[heapwire.isa.Information.Modes]], for software to read
  * @param program          [[heapwire.isa.Information.Program]]
  * @param looking          kinds whose units look their arguments up
  * @param unitClockDivider the divider of the units' clock, for software to read
  */
case class FrontEndParameter(tags: Int, queueDepth: Int, units: Seq[(UnitKind, Int)], counters: Boolean, wordLog: Int,
    fields: Boolean = false, unitClockDivider: Int = 1, modes: Int = 0, program: BigInt = 0,
    looking: Set[UnitKind] = Set.empty) {
  require(units.forall(_._1.queued), "the unit of the field instructions has no queue")
  require(units.map(_._1).distinct == units.map(_._1) && units.forall(_._2 >= 1),
    "each kind stands once, with at least one unit")
  val tagWidth: Int = log2Up(tags)
  /** Returns the index of a kind's first unit among all units. */
  def first(kind: UnitKind): Int = units.takeWhile(_._1 != kind).map(_._2).sum
  def unitCount: Int = units.map(_._2).sum
  private def lookingOf(some: Seq[(UnitKind, Int)]): Int = some.filter(unit => looking(unit._1)).map(_._2).sum
  def lookingCount: Int = lookingOf(units)
  /** Returns the index of a kind's first unit among the units that look their arguments up. */
  def firstLooking(kind: UnitKind): Int = lookingOf(units.takeWhile(_._1 != kind))
}

/** Executes the custom-0 instructions: see [[heapwire.isa.Instruction]]. The custom-1 instructions go through
  * [[FieldIssue]].
  *
  * {{{
  *  stage, submit -> memory -> feed -> units -> completions -> memory, tag table
  *  submit -> tag table, queues of the feed
  *  wait, poll, release -> tag table     result -> memory
  *  info -> counters, sizes              set -> registers of the units, interrupt enables
  * }}}
  *
  * Staged arguments are written to the memory where the arguments of the next tag are, and stay there; the command's
  * results replace them. An instruction takes 2 cycles here; a posted one takes none; `info` of a counter also waits
  * until that counter is visited. `submit` waits for `storesDrained`. `wait` gives way to an interrupt or a debugger.
  *
  * `submit` answers RETRY after a trap, because a handler may have staged arguments of its own, and once a tag is free
  * after arguments were staged while none was. It answers NO_UNIT to an operation without units, and QUEUE_FULL if the
  * queue is full or no tag is free. `interrupt` is high while an enabled tag is complete and not released.
  */
case class FrontEnd(p: FrontEndParameter) extends Component {
  val io = new Bundle {
    val command = slave(CommandPort())
    /** The core is held in reset: drops its instruction, its arguments and its tags. */
    val abandon = in Bool ()
    val storesDrained = in Bool ()
    val units = Vec.fill(p.unitCount)(master(UnitPort(p.tagWidth)))
    /** The ports of the units that look their arguments up, in the order of these units. */
    val arguments = (p.lookingCount > 0) generate Vec.fill(p.lookingCount)(slave(ArgumentPort()))
    val fields = p.fields generate master(FieldPort())
    /** The traffic of each kind's units together, in the order of `units`. */
    val traffic = in Vec (Traffic(), p.units.size)
    val dram = in(DramActivity())
    val interrupt = out Bool ()
  }
  val table = TagTable(p.tags)
  val feed = CommandFeed(p)
  val memory = BlockRam(Mem(CommandPair(), p.tags * CommandPair.Count))

  /** The last instruction; `entered`: it is in its first cycle; `active`: it is under way. */
  val current = RegNextWhen(io.command.request.payload, io.command.request.valid)
  private val ours = io.command.request.valid && !io.command.request.field
  val entered = RegNext(ours) init False
  val active = RegInit(False)
  def is(kind: Instruction.Kind): Bool = current.kind === kind.funct3
  private def decoded[T <: Data](of: CommandRequest => T): T =
    RegNextWhen(of(io.command.request.payload), io.command.request.valid)
  /** The index of `info` and `set`; meaningless if `large`. */
  private val index = current.rs1(6 downto 0).asUInt
  private val large = decoded(_.rs1(31 downto 7).orR)

  /** The answer. If `refused`, a negative one, given by its low two bits. Otherwise the OR of `short`, a result word
    * and a counter, of which at most one is not 0.
    */
  val done, refused = False
  val refusal = B(0, 2 bits)
  val short = B(0, 32 bits)
  def refuse(value: Int): Unit = {
    refused := True
    refusal := value & 3
  }
  private val answer = Reg(Bits(32 bits))
  io.command.response.valid := RegNext(done && !current.posted && !io.abandon) init False
  io.command.response.payload := answer
  // An instruction behind a posted one comes in the cycle in which the posted one is done.
  active := (ours && io.command.request.kind =/= Instruction.Stage.funct3 || active && !done) && !io.abandon

  table.io.abandon := io.abandon
  table.io.hold := active
  table.io.tag := current.rs1.asUInt.resized
  table.io.waiting := active && is(Instruction.Wait)
  table.io.look := (table.io.waiting ? current.rs1 | io.command.request.rs1).asUInt.resized

  val fields = p.fields generate new Area {
    val issue = FieldIssue()
    issue.io.request.valid := io.command.request.valid && io.command.request.field
    issue.io.request.payload := io.command.request.payload
    issue.io.interrupt := io.command.interrupt
    issue.io.abandon := io.abandon
    issue.io.storesDrained := io.storesDrained
    io.fields <> issue.io.unit
    io.command.response.valid setWhen issue.io.response.valid
    when(current.field) { io.command.response.payload := issue.io.response.payload }
  }

  val submit = new Area {
    /** Pairs that were staged while no tag was free, so that there was no place to store them. */
    val lost = RegInit(B(0, CommandPair.Count - 1 bits))
    val broken = RegInit(False)
    val staging = entered && (is(Instruction.Stage) || is(Instruction.Submit))
    val pair = current.function(1 downto 0).asUInt | (is(Instruction.Submit) ? U(3, 2 bits) | U(0))
    when(staging && is(Instruction.Stage)) { lost(pair) := !table.io.available }

    val here = active && is(Instruction.Submit)
    val wanted =
      decoded(request => B(p.units.map { case (kind, _) => kind.operations.map(request.function === _.code).orR }))
    val retry = broken || lost.orR && table.io.available
    val accept = here && io.storesDrained && table.io.available && !retry && (wanted & feed.io.room).orR
    feed.io.submit := here ? wanted | B(0)
    feed.io.accept := accept
    feed.io.next := table.io.next
    feed.io.staging := staging && pair === 0
    table.io.taking := here
    table.io.take := accept
    when(here && io.storesDrained) {
      done := True
      when(accept) { short := table.io.next.asBits.resized } otherwise { refuse(SubmitResult.QueueFull) }
      when(!wanted.orR) { refuse(SubmitResult.NoUnit) }
      when(retry) {
        refuse(SubmitResult.Retry)
        lost := 0
      }
      broken := False
    }
    broken setWhen io.command.trap clearWhen io.abandon
    when(io.abandon) { lost := 0 }
  }

  val completions = CompletionTurn(p)
  for ((unit, i) <- io.units.zipWithIndex) {
    unit.command << feed.io.commands(i)
    completions.io.units(i) << unit.completion
    feed.io.completed(i) := unit.completion.fire
  }
  if (p.lookingCount > 0) feed.io.arguments <> io.arguments
  completions.io.hold := submit.staging
  table.io.completion.valid := completions.io.done
  table.io.completion.payload := completions.io.tag
  table.io.outcome := completions.io.status
  private val written = CommandPair()
  written.words := completions.io.words
  written.operation := current.function
  when(submit.staging) { written.words := Vec(current.rs1, current.rs2) }
  memory.write(submit.staging ? (table.io.next @@ submit.pair) | (completions.io.tag @@ completions.io.pair), written,
    submit.staging ? table.io.available | completions.io.valid)

  val lookup = new Area {
    val here = active &&
      (is(Instruction.Wait) || is(Instruction.Poll) || is(Instruction.Result) || is(Instruction.Release))
    val known = table.io.known && !large && !(index >> p.tagWidth).orR
    val gone = known && table.io.complete
    table.io.release := here && gone && is(Instruction.Release)
    when(here) {
      when(!known) {
        done := True
        refuse(WaitResult.BadTag)
      } elsewhen (!table.io.complete) {
        done := !is(Instruction.Wait) || io.command.interrupt
        refuse(WaitResult.Pending)
      } otherwise {
        done := True
        when(is(Instruction.Wait) || is(Instruction.Poll)) { short := table.io.status.resized }
      }
    }
    // A result is read while its instruction is being issued.
    feed.io.hold := io.command.reading
    val place = io.command.reading ?
      (io.command.request.rs1.asUInt.resize(p.tagWidth) @@ U(0, 1 bits) @@ io.command.request.function(1).asUInt) |
      feed.io.place
    val pair = memory.readSync(place)
    feed.io.pair := pair
    val word = completions.kept(pair.words, current.function(1 downto 0).asUInt).andMask(is(Instruction.Result))
  }

  val registers = new Area {
    val here = active && is(Instruction.Set)
    val write = Flow(RegisterWrite())
    // The engines' program is fixed once a command or an instruction may be on its way to them.
    private val engines = p.units.indexWhere(_._1 == UnitKind.ProtobufEngine)
    private val begins = Option.when(engines >= 0)(submit.accept && submit.wanted(engines)) ++
      Option.when(p.fields)(io.fields.request.valid)
    private val locked = RegInit(False) setWhen begins.fold(False)(_ || _)
    private val refused = locked && !large && index === RuntimeRegister.ProtobufProgram.index
    when(here && refused) { refuse(SetResult.Locked) }
    write.valid := here && !large && !(index >> widthOf(write.index)).orR && !refused
    write.index := current.rs1.asUInt.resized
    write.value := current.rs2
    val sent = write.m2sPipe()
    io.units.foreach(_.registers << sent)
    if (p.fields) fields.issue.io.registers << sent
    table.io.enable.valid := here && !large && index === Information.InterruptEnableRegister
    table.io.enable.payload := current.rs2.resized
    io.interrupt := table.io.interrupt
    when(here) { done := True }
  }

  val information = new Area {
    import Information._
    private val here = active && is(Instruction.Info)
    private val counted = p.units ++ Option.when(p.fields)(UnitKind.ProtobufFields -> 1)
    private val capability = BigInt(Version) | counted.map { case (kind, count) => BigInt(count) << unitsBit(kind) }.sum
    private val low = here && !large
    when(low) {
      switch(index) {
        spinal.core.is(Capability) { short := B(capability, 32 bits) }
        spinal.core.is(Sizes) {
          short := p.tags | p.queueDepth << 8 | p.wordLog << 16 | log2Up(p.unitClockDivider) << 24
        }
        spinal.core.is(Modes) { short := p.modes }
        spinal.core.is(Program) { short := B(p.program, 32 bits) }
        spinal.core.is(Completed) { short := table.io.completed.asBits.resized }
      }
    }
    when(here) { done := True }
    val counter = B(0, 32 bits)
    val counters = p.counters generate {
      val bytes = 1 << p.wordLog
      new Counters(p.units.zipWithIndex.flatMap { case ((kind, count), k) =>
          Counters.of(kind, submit.accept && submit.wanted(k),
            io.units.slice(p.first(kind), p.first(kind) + count).map(_.activity).toSeq, Some(io.traffic(k)), bytes)
        } ++
          (if (p.fields)
             Counters.of(UnitKind.ProtobufFields, io.fields.request.fire, Seq(io.fields.activity), None, bytes)
           else Nil) ++ Counters.of(io.dram), index)
    }
    if (p.counters)
      when(here && decoded(request => counters.has(request.rs1(6 downto 0).asUInt) && !request.rs1(31 downto 7).orR)) {
        done := counters.shown && !entered
        counter := counters.value.asBits
      }
  }

  when(done) {
    answer := short | lookup.word | information.counter
    when(refused) { answer := B(BigInt(0x3fffffff), 30 bits) ## refusal }
  }
}
