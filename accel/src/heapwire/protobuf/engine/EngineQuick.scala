package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Fields that take a write or two, and where the program takes over. */
class EngineQuick(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.hasbitsUse.stepHere
  val own, held = Stream(EngineWrite())
  val presenceDue = step.presence && !is(Flag.presenceDone)
  val noUnknownList = is(Flag.noUnknownList) || native
  val ignored = step.action === Action.Ignore && (noUnknownList)
  val skipped = step.action === Action.SkipBytes && (noUnknownList && !skipping)
  private val tooMany = native && list.most && !context.wide
  private val known = !step.checkEnum || is(Flag.judged) && is(Flag.declared)
  val scalar = step.action === Action.Scalar && known && (entry.repeated ? (list.same && !list.full && !tooMany) | !(native && entry.pointer))
  val ready = entry.repeated || hasbits.io.ready
  val stores = stepHere && scalar && ready
  val stored = stores && !presenceDue && own.ready
  val passed = stepHere && (ignored || skipped)
  val slow = stepHere && !scalar && !ignored && !skipped
  when(stores && presenceDue && own.ready) { flags(Flag.presenceDone.index) := True }
  hasbits.io.mark.valid := does(Act.mark) || stored && !entry.repeated
  hasbits.io.mark.payload := target.bit(4 downto 0)
  at.stepTaken := stored || passed || does(Act.accept) || does(Act.acceptAndRun)
  when(at.stepTaken) {
    for (flag <- Seq(Flag.judged, Flag.declared, Flag.presenceDone)) flags(flag.index) := False
  }
  val trap = Bool()
  /** What was put does not fit: said once. */
  val outputFull = if (p.writes) {
    val said = RegInit(True) setWhen writer.io.full clearWhen does(Act.startPacker)
    writer.io.full && !said && command.writing && !command.idle && !command.killing
  } else False
  /** The scanner stopped in the cycle before, and why. */
  val stopped = if (p.writes) RegNext(writer.io.scan.stop.valid && !outputFull) init False else False
  sequencer.io.jump.valid := command.begins || slow || trap || stopped && !command.killing || outputFull
  sequencer.io.jump.payload := Vec(for (kind <- Seq("managed", "native"); position <- 0 until CommandProgram.Actions)
    yield address(CommandProgram.handler(kind, position)))(native.asUInt @@ step.action.asBits.asUInt.resize(log2Up(CommandProgram.Actions)))
  if (p.writes) {
    when(command.writing) {
      sequencer.io.jump.payload := Vec(ScanStop.elements.map(stop => address(WriteProgram.handler(stop))))(RegNext(writer.io.scan.stop.payload.asBits.asUInt))
      when(outputFull) { sequencer.io.jump.payload := address(WriteProgram.Full) }
    }
  }
  when(trap) { sequencer.io.jump.payload := (if (p.writes) command.writing ? address(WriteProgram.Drain) | address("drain") else address("drain")) }
  when(command.begins) { sequencer.io.jump.payload := command.entrance }
  val rests = if (p.writes) does(Act.scan) || does(Act.putKeyAndScan) else False
  private val runs = does(Act.run) || does(Act.acceptAndRun)
  sequencer.io.halt := runs || rests || does(Act.complete) && io.port.completion.ready
  when(runs) { stepping := True }
  when(slow || trap || command.begins) { stepping := False }
}
