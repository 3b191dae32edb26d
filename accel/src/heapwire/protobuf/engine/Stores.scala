package heapwire.protobuf.engine

import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.memory.{GranuleWrite, WriteBuffer}
import heapwire.protobuf.engine.message.{CurrentField, OpenList, OpenMessage}
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.WriteProgram
import heapwire.protobuf.engine.read.Copier
import heapwire.protobuf.engine.write.WriterPath
import spinal.core._
import spinal.lib._

/** Writes of the program, of steps, of the packer and of the copier. */
class Stores(buffer: WriteBuffer, copier: Copier, execution: Execution, command: Command, message: OpenMessage,
    current: CurrentField, list: OpenList, writer: WriterPath) extends Area {
  import current.{entry, presenceDue, step}
  import execution._
  import message.{context, native}
  private val storeMode = field(Micro.StoreMode).asUInt
  // Two words; the second one is used in writes of eight bytes. Their source is either the program, or a step: its
  // value, its case word, its `which` or its has-flag.
  private val ofStep = !active || storeMode(3 downto 2) === 3
  private val ofPresence = presenceDue && !(active && !storeMode.lsb)
  private val low = ofStep ?
    (ofPresence ? (entry.inOneof ? current.key.number.resize(32).asBits | B(1, 32 bits)) | step.value(31 downto 0)) |
    data
  private val high = ofStep ? step.value(63 downto 32) | other.andMask(storeMode.msb)
  private val log2Size = UInt(2 bits)
  log2Size := storeMode(1 downto 0)
  when(storeMode.msb && !storeMode.lsb) { log2Size := context.wide ? U(2, 2 bits) | U(1, 2 bits) }
  when(ofStep) {
    log2Size := step.log2Size
    when(ofPresence) {
      log2Size := entry.inOneof ? ((native && !context.wide) ? U(1, 2 bits) | U(2, 2 bits)) | U(0, 2 bits)
    }
  }
  private val own = Stream(GranuleWrite())
  own.valid := active && is(Kind.stores) || current.stores
  own.address := active ? computed | (entry.repeated ? list.element | current.place)
  own.data := high ## low
  own.mask.setAll()
  /** A write of the program or of a step is taken; it has to wait. */
  val ready = own.ready
  val blocked = own.valid && !own.ready

  // A command that writes a message stores nothing else, so the packer's granules use the path of the program's stores.
  private val single = Stream(GranuleWrite())
  single.valid := own.valid
  single.payload := own.payload
  own.ready := single.ready
  when(command.writing) {
    single.valid := writer.io.write.valid
    single.payload := writer.io.write.payload
  }
  writer.io.write.ready := single.ready
  // A new object's zeros must be written before anything that overwrites them: a write waits until the zeros have
  // passed its address. An object begins at any address and has at most 2^13 + 1 granules. Whether the write waits is
  // in a register, which describes the next write by the time this one has left, so `ready` comes from registers.
  private val latest = single.m2sPipe()
  private val latestLog2 = RegNextWhen(command.writing ? U(3, 2 bits) | log2Size, single.ready)
  /** The byte mask of a store. The packer's granules have masks of their own. */
  private val ofSize = Cat((0 until 8).map { i =>
    val apart = (latest.address(2 downto 0) ^ U(i, 3 bits)).asBits
    !(apart(0) && latestLog2 === 0) && !(apart(1) && !latestLog2(1)) && !(apart(2) && !latestLog2.andR)
  })
  /** The data, repeated on every lane of their size; the mask selects the written ones. */
  private val lanes = {
    val low = latest.data(31 downto 0)
    val second = (latestLog2 =/= 0) ? low(15 downto 8) | low(7 downto 0)
    val word = latestLog2(1) ? low | (second ## low(7 downto 0) ## second ## low(7 downto 0))
    (latestLog2.andR ? latest.data(63 downto 32) | word) ## word
  }
  private val clearing = RegNextWhen(does(Act.clear), does(Kind.copies)) init False
  private val waits = RegInit(False)
  waits := clearing && copier.io.busy && !(latest.valid && !latest.ready &&
    ((latest.address >> 3).resize(15) - copier.io.granule).msb)
  // Equal to `!own.ready`, but known earlier.
  reasons(Kind.stores) := latest.valid && (waits || !buffer.io.ready)
  when(!ClockDomain.current.isResetActive) {
    assert(reasons(Kind.stores) === !own.ready, "a store goes on when it cannot", FAILURE)
  }
  private val held = latest.haltWhen(waits)
  held.data.removeAssignments() := lanes
  held.mask.removeAssignments() := latest.mask & ofSize
  private val merged = StreamArbiterFactory().lowerFirst.noLock.on(Seq(held, copier.io.write))
  buffer.io.write << merged
  /** A write is between its source and the write buffer. */
  private val onTheWay = latest.valid || merged.valid
  /** The written message is complete: all of it has been put. */
  val finishing = RegInit(False) setWhen does(Act.finishOutput) clearWhen command.begins
  /** All of the message is on its way to the write buffer, or there. It is also set for a message that was read, once
    * its object is known.
    */
  private val flushing = RegInit(False) setWhen
    (command.writing ? (wants(Act.flush) || finishing && writer.io.settled && !onTheWay) |
      does(Act.setResult0)) clearWhen command.begins
  buffer.io.flush := wants(Act.flush) || flushing || command.draining
  buffer.io.drop := command.killing || command.writing && is(WriteProgram.Dry)

  private val copies = copier.io.busy || copier.io.start.valid
  /** Something is not yet in memory. */
  val busy = !buffer.io.idle || own.valid || onTheWay || finishing && !flushing || copies
  val conditions: Map[Cond, Bool] =
    Map(Cond.copierIdle -> (RegNext(!copies) init False), Cond.written -> (RegNext(!busy) init False))
}
