package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** The window, the stream and the copier, and the check of the text that passes them. */
class EngineStreams(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.words.data
  stream.io.start.valid := does(Act.startStream)
  stream.io.start.address := result
  stream.io.start.end := data.asUInt
  stream.io.stop := command.killing || does(Act.pauseStream)
  private val noWord = stream.io.stop || command.begins
  // A 32-bit port delivers no more than a word every other cycle.
  window.io.word << (if (m.dataWidth == 32) stream.io.word.haltWhen(noWord) else stream.io.word.s2mPipe(flush = noWord))
  window.io.start.valid := does(Act.startStream)
  window.io.start.payload := result.resized
  window.io.seek.valid := does(Act.setPosition)
  window.io.seek.payload := result
  window.io.inputEnd.valid := does(Act.setPosition0)
  window.io.inputEnd.payload := result
  private val readsValue = if (p.fields) does(Act.readValue) else False
  window.io.single := fielded(_.open, False)
  private val startsText = does(Act.copyText) || does(Act.copyNative)
  // No field follows that of a field instruction.
  private val readsFields = does(Act.readFields) && !fielded(_.open, False)
  window.io.command.valid := Seq(Act.readMessage, Act.readPacked, Act.skipBytes).map(does).orR || readsFields ||
    startsText || quick.passed && quick.skipped || readsValue
  window.io.command.mode := WindowMode.Key
  when(does(Act.readPacked)) { window.io.command.mode := WindowMode.Packed }
  when(does(Act.skipBytes) || quick.passed || readsValue) { window.io.command.mode := WindowMode.Skip }
  when(startsText) { window.io.command.mode := WindowMode.Bytes }
  window.io.command.wireType := readsValue ? at.field.wireType | facts.wireType
  window.io.command.limit := (does(Act.readMessage) || does(Act.readPacked) || readsValue) ? result | step.runEnd
  window.io.command.frame := does(Act.readMessage)

  // ---- the copier ------------------------------------------------------------------------------------------
  copier.io.start.valid := does(Kind.copies)
  copier.io.start.address := result
  copier.io.start.length := data.asUInt
  copier.io.start.zeros := does(Act.clear)
  copier.io.start.round := does(Act.copyText)
  copier.io.start.terminated := does(Act.copyNative) && facts.isText
  copier.io.kill := command.killing
  window.io.wants := copier.io.source.wants
  window.io.take := copier.io.source.take
  copier.io.source.available := window.io.available
  copier.io.source.bytes := window.io.bytes
  val clearing = RegInit(False)
  when(copier.io.start.valid) { clearing := does(Act.clear) }
  val text = new Area {
    val checks = RegInit(False)
    when(copier.io.start.valid) {
      checks := (does(Act.copyText) || does(Act.copyOut) && !is(WriteProgram.OfUnknown)) && entry.checkUtf8 &&
        (entry.fieldType =/= FieldType.Bytes.code || fielded(_.open, False))
    }
    val utf8 = TextChecker(copier.takes)
    utf8.io.chunk.valid := copier.io.chunk.valid && checks
    utf8.io.chunk.payload := copier.io.chunk.payload
    utf8.io.clear := command.killing
  }
}
