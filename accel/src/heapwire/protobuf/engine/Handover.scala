package heapwire.protobuf.engine

import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.fields.FieldInstructions
import heapwire.protobuf.engine.message.{CurrentField, OpenMessage}
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.{CommandProgram, Entry, FieldsProgram, WriteProgram}
import heapwire.protobuf.engine.read.ItemKind
import heapwire.protobuf.engine.write.WriterPath
import spinal.core._
import spinal.lib._

/** The points where the program takes over from steps and from the scanner, and where it leaves the work to them.
  *
  * @param slow the program is to carry out the current step
  */
class Handover(sequencer: MicroSequencer, execution: Execution, command: Command, message: OpenMessage,
    current: CurrentField, writer: WriterPath, slow: Bool, fields: Option[FieldInstructions]) extends Area {
  import command.trap
  import current.{entry, facts, raw, step, stepValid, stepping}
  import execution._
  import message.managed
  private val scanner = writer.io
  /** The output became full in the cycle before. Reported once, and not before the current string is known to be valid
    * UTF-8.
    */
  val outputFull = {
    val isFull = scanner.full && !scanner.inText
    val said = RegInit(True) setWhen isFull clearWhen does(Act.startPacker)
    (RegNext(isFull && !said && !command.idle && !command.killing) init False) && !command.idle && !command.killing
  }
  /** The scanner stopped in the cycle before; `stoppedWhy` is the reason. */
  private val stopped = RegNext(scanner.scan.stop.valid && !outputFull) init False
  private val stoppedWhy = RegNext(scanner.scan.stop.payload)

  // ---- the program takes over -------------------------------------------------------------------------------
  /** The field of a field instruction has been carried out, by the scanner or by steps. */
  private val over = fields.fold(False)(_ =>
    command.inSequence && !command.killing &&
      (command.writing ? (stopped && stoppedWhy === ScanStop.End) | (stepping && !current.valid && !stepValid)))
  private val turns = fields.fold(False)(_.turns)
  sequencer.io.jump.valid := command.begins || slow || trap || stopped && !command.killing || outputFull || over ||
    turns
  private def handler(action: Action.C, stop: ScanStop.C): UInt =
    Entry.address(!managed, command.writing, (command.writing ? stop.asBits | action.asBits).asUInt)
  /** The action of the step that the program will probably be asked to carry out: that of the step at hand, or what the
    * field at hand will be.
    */
  private val likely = CombInit(step.action)
  when(!stepValid || active && is(Kind.accepts)) {
    likely := Action.Packed
    when(facts.isString) { likely := entry.repeated ? Action.StrInList | Action.Str }
    when(facts.isMessage) { likely := Action.Message }
    when(raw.valid && raw.kind === ItemKind.End && !current.alone) { likely := Action.End }
  }
  sequencer.io.likely := handler(likely, scanner.scan.likely)
  sequencer.io.rests := is(Kind.runs)
  sequencer.io.direct := command.writing ? (stopped && RegNext(scanner.scan.likely) === stoppedWhy) |
    (slow && RegNext(likely) === step.action && RegNext(managed) === managed)
  when(trap || outputFull || command.begins || turns || over) { sequencer.io.direct := False }
  sequencer.io.jump.payload := handler(step.action, stoppedWhy)
  when(outputFull) { sequencer.io.jump.payload := address(WriteProgram.Full) }
  // A trap has priority over this: see below.
  for (instructions <- fields) when((over || instructions.due) && !outputFull) {
    sequencer.io.jump.payload := instructions.target
  }
  private val drain = CombInit(command.writing ? address(WriteProgram.Drain) | address(CommandProgram.Drain))
  for (_ <- fields) when(command.inSequence) { drain := address(FieldsProgram.Drain) }
  when(trap) { sequencer.io.jump.payload := drain }
  when(command.begins) { sequencer.io.jump.payload := command.entrance }

  // ---- the program rests ------------------------------------------------------------------------------------
  /** The scanner continues, and the program rests. */
  val scans = does(Act.scan) || does(Act.putKeyAndScan) || does(Act.hasbitsPutAndScan) || does(Act.scanField)
  private val runs = go && is(Kind.runs)
  sequencer.io.halt := runs || scans || does(Act.nextRequest) || does(Act.closeSequence) || does(Act.handOver) ||
    command.completes
  when(runs) { stepping := True }
  when(slow || trap || over || command.begins) { stepping := False }
  val conditions: Map[Cond, Bool] = Map(Cond.scannerBusy -> (scanner.scan.busy || stopped))
}
