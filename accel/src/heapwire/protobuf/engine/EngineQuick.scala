package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Fields that take one or two writes, and the points where the program takes over. */
class EngineQuick(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.hasbitsUse.{stepHere, targetReady}
  val own, held = Stream(EngineWrite())
  val presenceDue = step.presence && !is(Flag.presenceDone)
  val noUnknownList = context.noUnknown || native
  val ignored = step.action === Action.Ignore && (noUnknownList)
  val skipped = step.action === Action.SkipBytes && (noUnknownList && !skipping)
  private val known = !step.checkEnum || is(Flag.judged) && is(Flag.declared)
  val scalar = step.action === Action.Scalar && known && (entry.repeated ? list.takes | !(native && entry.pointer))
  // An element waits until the state of the list includes the previous element.
  val ready = entry.repeated ? !list.grew | targetReady
  val stores = stepHere && scalar && ready
  val stored = stores && !presenceDue && own.ready
  val passed = stepHere && (ignored || skipped)
  val slow = stepHere && !scalar && !ignored && !skipped
  when(stores && presenceDue && own.ready) { flags(Flag.presenceDone.index) := True }
  hasbits.io.mark.valid := does(Act.mark) || stored && !entry.repeated
  hasbits.io.mark.payload := target.bit(4 downto 0)
  // An instruction that accepts the step takes nothing from it if it may wait, so the step may be released in the
  // instruction's first cycle.
  at.stepTaken := stored || passed || active && sequencer.io.fresh && is(Kind.accepts)
  when(at.stepTaken) {
    for (flag <- Seq(Flag.judged, Flag.declared, Flag.presenceDone)) flags(flag.index) := False
  }
  val trap = Bool()
  /** The output became full in the cycle before. Reported once, and not before the current string is known to be valid
    * UTF-8.
    */
  val outputFull = {
    val full = writer.io.full && !writer.io.inText
    val said = RegInit(True) setWhen full clearWhen does(Act.startPacker)
    (RegNext(full && !said && !command.idle && !command.killing) init False) && !command.idle && !command.killing
  }
  /** The scanner stopped in the cycle before; `stoppedWhy` is the reason. */
  val stopped = RegNext(writer.io.scan.stop.valid && !outputFull) init False
  private val stoppedWhy = RegNext(writer.io.scan.stop.payload)
  /** The field of a field instruction has been carried out, by the scanner or by steps. */
  private val over = if (p.fields) fields.open && !command.killing &&
  (command.writing ? (stopped && stoppedWhy === ScanStop.End) | (stepping && !at.valid && !at.stepValid))
  else False
  sequencer.io.jump.valid := command.begins || slow || trap || stopped && !command.killing || outputFull || over ||
    fielded(_.turns, False)
  private val handlers = Vec(for (kind <- Seq("managed", "native"); position <- 0 until CommandProgram.Actions)
      yield address(CommandProgram.handler(kind, position)))
  private val stopHandlers = Vec(ScanStop.elements.map(stop => address(WriteProgram.handler(stop))))
  private def handler(action: Action.C): UInt =
    handlers(native.asUInt @@ action.asBits.asUInt.resize(log2Up(CommandProgram.Actions)))
  /** The action of the step that the program will probably be asked to carry out: that of the step at hand, or what the
    * field at hand will be.
    */
  private val likely = CombInit(step.action)
  when(!at.stepValid || active && is(Kind.accepts)) {
    likely := Action.Packed
    when(facts.isString) { likely := entry.repeated ? Action.StrInList | Action.Str }
    when(facts.isMessage) { likely := Action.Message }
    when(raw.valid && raw.kind === ItemKind.End && !at.alone) { likely := Action.End }
  }
  sequencer.io.likely := command.writing ? stopHandlers(writer.io.scan.likely.asBits.asUInt) | handler(likely)
  sequencer.io.rests := is(Kind.runs)
  sequencer.io.direct := command.writing ? (stopped && RegNext(writer.io.scan.likely) === stoppedWhy) |
    (slow && RegNext(likely) === step.action && RegNext(native) === native)
  when(trap || outputFull || command.begins || fielded(_.turns, False) || over) { sequencer.io.direct := False }
  sequencer.io.jump.payload := handler(step.action)
  when(command.writing) {
    sequencer.io.jump.payload := stopHandlers(stoppedWhy.asBits.asUInt)
    when(outputFull) { sequencer.io.jump.payload := address(WriteProgram.Full) }
  }
  // A trap has priority over this: see below.
  if (p.fields) when((over || fields.due) && !outputFull) { sequencer.io.jump.payload := fields.target }
  private val drain = CombInit(command.writing ? address(WriteProgram.Drain) | address("drain"))
  if (p.fields) when(fields.open) { drain := address(FieldsProgram.Drain) }
  when(trap) { sequencer.io.jump.payload := drain }
  when(command.begins) { sequencer.io.jump.payload := command.entrance }
  val rests = does(Act.scan) || does(Act.putKeyAndScan) || does(Act.hasbitsPutAndScan) ||
    (if (p.fields) does(Act.scanField) else False)
  private val runs = go && is(Kind.runs)
  sequencer.io.halt := runs || rests || fielded(_.halts, False) || does(Act.complete) && io.port.completion.ready
  when(runs) { stepping := True }
  when(slow || trap || over || command.begins) { stepping := False }
}
