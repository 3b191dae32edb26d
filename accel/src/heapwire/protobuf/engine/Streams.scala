package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.message.CurrentField
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.WriteProgram
import heapwire.protobuf.engine.read._
import spinal.core._
import spinal.lib._

/** What the window, the stream and the copier do, and the check of the text that passes them.
  *
  * @param skips the bytes of the current step are skipped
  */
class Streams(stream: InputStream, window: Window, copier: Copier, execution: Execution, command: Command,
    current: CurrentField, skips: Bool) extends Area {
  import current.{entry, facts, step}
  import execution._
  stream.io.start.valid := does(Act.startStream)
  stream.io.start.address := result
  stream.io.start.end := data.asUInt
  stream.io.stop := command.killing || does(Act.pauseStream)
  /** The stream still reads. */
  val busy = !stream.io.idle || does(Act.startStream)
  private val noWord = stream.io.stop || command.begins
  // A 32-bit port delivers no more than a word every other cycle.
  window.io.word <<
    (if (stream.p.dataWidth == 32) stream.io.word.haltWhen(noWord)
     else stream.io.word.s2mPipe(flush = noWord))
  window.io.kill := command.killing || command.begins
  window.io.pause := does(Act.pauseStream)
  window.io.start.valid := does(Act.startStream)
  window.io.start.payload := result.resized
  window.io.seek.valid := does(Act.setPosition)
  window.io.seek.payload := result
  window.io.inputEnd.valid := does(Act.setPosition0)
  window.io.inputEnd.payload := result
  private val readsValue = does(Act.readValue)
  window.io.single := command.inSequence
  private val startsText = does(Act.copyText) || does(Act.copyNative) || does(Act.checkText)
  // No field follows that of a field instruction.
  private val readsFields = does(Act.readFields) && !command.inSequence
  window.io.command.valid := Seq(Act.readMessage, Act.readPacked, Act.skipBytes).map(does(_)).orR || readsFields ||
    startsText || skips || readsValue
  window.io.command.mode := WindowMode.Key
  when(does(Act.readPacked)) { window.io.command.mode := WindowMode.Packed }
  when(does(Act.skipBytes) || skips || readsValue) { window.io.command.mode := WindowMode.Skip }
  when(startsText) { window.io.command.mode := WindowMode.Bytes }
  window.io.command.wireType := readsValue ? current.key.wireType | facts.wireType
  window.io.command.limit := (does(Act.readMessage) || does(Act.readPacked) || readsValue) ? result | step.runEnd
  window.io.command.frame := does(Act.readMessage)

  // ---- the copier ------------------------------------------------------------------------------------------
  copier.io.start.valid := does(Kind.copies)
  copier.io.start.address := result
  copier.io.start.length := data.asUInt
  copier.io.start.zeros := does(Act.clear)
  copier.io.start.round := does(Act.copyText)
  copier.io.start.terminated := does(Act.copyNative) && facts.isText
  copier.io.start.dry := does(Act.checkText)
  copier.io.kill := command.killing
  reasons(Kind.copies) := copier.io.busy
  window.io.wants := copier.io.source.wants
  window.io.take := copier.io.source.take
  copier.io.source.available := window.io.available
  copier.io.source.bytes := window.io.bytes
  private val checks = RegInit(False)
  when(copier.io.start.valid) {
    checks := (does(Act.copyText) || does(Act.checkText) || does(Act.copyOut) && !is(WriteProgram.OfUnknown)) &&
      entry.checkUtf8 && (entry.fieldType =/= FieldType.Bytes.code || command.inSequence)
  }
  val utf8 = TextChecker(copier.takes)
  utf8.io.chunk.valid := copier.io.chunk.valid && checks
  utf8.io.chunk.payload := copier.io.chunk.payload
  utf8.io.clear := command.killing

  val words: Map[Outside, Bits] = Map(Outside.windowAt -> window.io.position.asBits)
  val conditions: Map[Cond, Bool] = Map(Cond.streamIdle -> (RegNext(!busy) init False))
}
