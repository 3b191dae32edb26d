package heapwire.core

import heapwire.isa._
import heapwire.memory.{FieldPort, RegisterWrite, Traffic, UnitPort}
import spinal.core._
import spinal.lib._

/** What stands behind a front end.
  *
  * @param units   kinds that have units, with their number, at least 1 each
  * @param wordLog log2 of the bytes of a memory word, for software to read
  * @param fields  there is a unit for the instructions of fields
  * @param modes   bits of [[heapwire.isa.Information.Modes]], for software to read
  * @param unitClockDivider what divides the units' clock, for software to read
  */
case class FrontEndParameter(tags: Int, queueDepth: Int, units: Seq[(UnitKind, Int)], counters: Boolean, wordLog: Int,
                             fields: Boolean = false, unitClockDivider: Int = 1, modes: Int = 0) {
  require(units.forall(_._1.queued), "the unit of the field instructions has no queue")
  require(units.map(_._1).distinct == units.map(_._1) && units.forall(_._2 >= 1), "each kind stands once, with at least one unit")
  val tagWidth: Int = log2Up(tags)
  /** Place of a kind's first unit among all units. */
  def first(kind: UnitKind): Int = units.takeWhile(_._1 != kind).map(_._2).sum
  def unitCount: Int = units.map(_._2).sum
}

/** Executes the custom-0 instructions: see [[heapwire.isa.Instruction]]; the custom-1
  * instructions pass through [[FieldIssue]].
  *
  * {{{
  *  stage  -> argument words ---+
  *  submit -> tag, operation ---+-> queue a kind -> units -> completions -> tag table
  *  wait, poll, result, release -> tag table
  *  info -> counters, sizes     set -> registers of the units, interrupt enables
  * }}}
  *
  * An instruction takes 2 cycles here, `stage` none. `submit` waits until
  * `storesDrained`. `wait` gives way when the core is wanted
  * elsewhere. A trap makes the next `submit` answer RETRY: what was staged may be a
  * handler's by then. An operation without units is NO_UNIT, a full queue or no free tag
  * QUEUE_FULL. `interrupt` is high while an enabled tag is complete and not released.
  */
case class FrontEnd(p: FrontEndParameter) extends Component {
  val io = new Bundle {
    val command = slave(CommandPort())
    /** The core is held in reset: forget its instruction, its arguments and its tags. */
    val abandon = in Bool ()
    val storesDrained = in Bool ()
    val units = Vec.fill(p.unitCount)(master(UnitPort(p.tagWidth)))
    val fields = p.fields generate master(FieldPort())
    val fieldTraffic = p.fields generate in(Traffic())
    /** Of each kind's units together, in the order of the parameter. */
    val traffic = in Vec (Traffic(), p.units.size)
    val dram = in(DramActivity())
    val interrupt = out Bool ()
  }
  private def word(value: Int) = B(value.toLong & 0xffffffffL, 32 bits)

  val table = TagTable(p.tags)

  val staged = Vec.fill(Instruction.ArgumentWords - 2)(Reg(Bits(32 bits)))
  private val ours = io.command.request.valid && !io.command.request.field
  when(ours && io.command.request.kind === Instruction.Stage.funct3) {
    for (i <- 0 until staged.size / 2) when(io.command.request.function === i) {
      staged(2 * i) := io.command.request.rs1
      staged(2 * i + 1) := io.command.request.rs2
    }
  }

  /** The instruction under way. */
  val active = RegInit(False)
  val current = Reg(CommandRequest())
  when(ours && io.command.request.kind =/= Instruction.Stage.funct3) {
    active := True
    current := io.command.request.payload
  }
  def is(kind: Instruction.Kind): Bool = current.kind === kind.funct3

  val done = False
  val answer = B(0, 32 bits)
  io.command.response.valid := RegNext(done && !io.abandon) init False
  io.command.response.payload := RegNext(answer)
  when(done || io.abandon) { active := False }
  table.io.abandon := io.abandon

  val fields = p.fields generate new Area {
    val issue = FieldIssue()
    issue.io.request.valid := io.command.request.valid && io.command.request.field
    issue.io.request.payload := io.command.request.payload
    issue.io.interrupt := io.command.interrupt
    issue.io.abandon := io.abandon
    issue.io.storesDrained := io.storesDrained
    io.fields <> issue.io.unit
    when(issue.io.response.valid) {
      io.command.response.valid := True
      io.command.response.payload := issue.io.response.payload
    }
  }

  val submit = new Area {
    val broken = RegInit(False)
    val go = active && is(Instruction.Submit) && io.storesDrained && !io.abandon

    val dispatchers = for ((kind, count) <- p.units) yield new Area {
      val dispatcher = Dispatcher(p.tagWidth, p.queueDepth, count)
      val wanted = Operation.all.filter(_.unit == kind).map(o => current.function === o.code).orR
      dispatcher.io.push.valid := go && wanted && !broken && table.io.available
      dispatcher.io.push.tag := table.io.next
      dispatcher.io.push.operation := current.function
      for (i <- staged.indices) dispatcher.io.push.arguments(i) := staged(i)
      dispatcher.io.push.arguments(staged.size) := current.rs1
      dispatcher.io.push.arguments(staged.size + 1) := current.rs2
      for (i <- 0 until count) {
        val unit = io.units(p.first(kind) + i)
        unit.command << dispatcher.io.commands(i)
        dispatcher.io.completed(i) := unit.completion.fire
      }
    }
    val started = dispatchers.map(_.dispatcher.io.push.fire).orR
    table.io.allocate := started
    when(go) {
      done := True
      broken := False
      answer := word(SubmitResult.QueueFull)
      when(started) { answer := table.io.next.asBits.resized }
      when(!dispatchers.map(_.wanted).orR) { answer := word(SubmitResult.NoUnit) }
      when(broken) { answer := word(SubmitResult.Retry) }
    }
    broken setWhen io.command.trap clearWhen io.abandon
  }

  val lookup = new Area {
    val here = active && (is(Instruction.Wait) || is(Instruction.Poll) || is(Instruction.Result) || is(Instruction.Release))
    table.io.tag := current.rs1(p.tagWidth - 1 downto 0).asUInt
    val known = (current.rs1 >> p.tagWidth) === 0 && table.io.allocated
    val gone = known && table.io.complete
    table.io.release := here && gone && is(Instruction.Release)
    when(here && !(is(Instruction.Wait) && known && !table.io.complete && !io.command.interrupt)) {
      done := True
      when(!known) {
        answer := word(WaitResult.BadTag)
      } elsewhen (!table.io.complete) {
        answer := word(WaitResult.Pending)
      } elsewhen (is(Instruction.Result)) {
        answer := table.io.results(current.function(1 downto 0).asUInt)
      } elsewhen (!is(Instruction.Release)) {
        answer := table.io.status.resized
      }
    }
  }

  val completions = new Area {
    val kept = io.units.map(_.completion.m2sPipe())
    val chosen = if (kept.size == 1) kept.head else StreamArbiterFactory().roundRobin.noLock.on(kept)
    table.io.completion << chosen.toFlow
    val enable = Reg(Bits(p.tags bits)) init 0
    io.interrupt := RegNext((table.io.completes & enable).orR) init False
  }

  val registers = new Area {
    val here = active && is(Instruction.Set)
    val write = Flow(RegisterWrite())
    write.valid := here && (current.rs1 >> widthOf(write.index)) === 0
    write.index := current.rs1.asUInt.resized
    write.value := current.rs2
    val sent = write.m2sPipe()
    io.units.foreach(_.registers << sent)
    if (p.fields) fields.issue.io.registers << sent
    when(here) {
      done := True
      when(current.rs1.asUInt === Information.InterruptEnableRegister) { completions.enable := current.rs2.resized }
    }
  }

  val information = new Area {
    import Information._
    private val counts = p.units ++ Option.when(p.fields)(UnitKind.ProtobufFields -> 1)
    val capability = Version | counts.map { case (kind, count) => count << (CapabilityUnitsBit + CapabilityUnitsWidth * kind.index) }.sum
    val values = scala.collection.mutable.LinkedHashMap[Int, Bits](
      Capability -> word(capability),
      Sizes -> word(p.tags | p.queueDepth << 8 | p.wordLog << 16 | log2Up(p.unitClockDivider) << 24),
      Modes -> word(p.modes),
      Completed -> CountOne(table.io.completes).asBits.resize(32))
    private def count(kind: UnitKind, counters: Counters): Unit = {
      counters.setCompositeName(this, kind.name)
      for (counter <- Information.counters)
        values += (CounterBase + kind.index * CounterStride + counter.index) -> counters.io.values(counter.index).asBits
    }
    if (p.counters) for ((index, words) <- Seq(DramReads -> io.dram.reads, DramWrites -> io.dram.writes)) {
      val value = Reg(UInt(32 bits)) init 0
      value := value + RegNext(words).init(0)
      values += index -> value.asBits
    }
    if (p.fields && p.counters) {
      val counters = Counters(1)
      counters.io.command := io.fields.request.fire
      counters.io.activity(0) := io.fields.activity
      counters.io.traffic := io.fieldTraffic
      this.count(UnitKind.ProtobufFields, counters)
    }
    for (((kind, count), k) <- p.units.zipWithIndex if p.counters) {
      val counters = Counters(count)
      counters.io.command := submit.dispatchers(k).dispatcher.io.push.fire
      for (i <- 0 until count) counters.io.activity(i) := io.units(p.first(kind) + i).activity
      counters.io.traffic := io.traffic(k)
      this.count(kind, counters)
    }
    when(active && is(Instruction.Info)) {
      done := True
      switch(current.rs1.asUInt) { values.foreach { case (index, value) => spinal.core.is(index) { answer := value } } }
    }
  }
}
