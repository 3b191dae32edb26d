package heapwire.protobuf.engine

import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.message.{CurrentField, OpenMessage}
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.write.WriterPath
import spinal.core._
import spinal.lib._

/** What the scanner and the packer, which write messages, are told by the program.
  *
  * @param scans    the scanner continues, and the program rests
  * @param stops    the output is full
  * @param finishes all of the message has been put
  */
class Writing(writer: WriterPath, execution: Execution, command: Command, message: OpenMessage, current: CurrentField,
    scans: Bool, stops: Bool, finishes: Bool) extends Area {
  import execution._
  private val scan = writer.io.scan
  scan.address := result
  scan.setFrom := does(Act.setEntries) || does(Act.fetchEntry)
  scan.setEnd := does(Act.setEntriesEnd)
  scan.scan := scans
  scan.fetch := does(Act.fetchEntry)
  scan.field := does(Act.scanField)
  scan.walksBytes := wants(Act.walkBytes) || wants(Act.walkCounted)
  scan.walksCounted := wants(Act.walkCounted)
  scan.find := does(Act.findEnd)
  scan.walksKeys := wants(Act.walkKeyed)
  scan.walk := does(Act.walkPacked) || does(Act.walkKeyed) || does(Act.walkBytes) || does(Act.walkCounted)
  scan.text := does(Act.writeText)
  scan.kill := command.killing || command.begins || stops
  writer.io.entry := current.entry
  writer.io.facts := current.facts
  writer.io.native := message.native
  writer.io.wide := message.context.wide
  writer.io.log2Size := current.slotLog2
  writer.io.put.valid := active && is(Kind.puts)
  writer.io.put.number := computed
  writer.io.put.isKey := !wants(Act.put)
  writer.io.put.ends := wants(Act.putEnd)
  writer.io.start.valid := does(Act.startPacker)
  writer.io.start.cursor := result
  writer.io.start.bound := data.asUInt
  writer.io.seek.valid := does(Act.seek)
  writer.io.seek.payload := result
  writer.io.flush := wants(Act.settle) || finishes
  reasons(Kind.puts) := !writer.io.put.ready
  reasons(Kind.readsCursor) := !writer.io.counted

  val words: Map[Outside, Bits] = Map(Outside.cursor -> writer.io.cursor.asBits, Outside.entryAt -> scan.at.asBits)
  val conditions: Map[Cond, Bool] = Map(Cond.counted -> writer.io.counted, Cond.packed -> RegNext(writer.io.settled))
}
