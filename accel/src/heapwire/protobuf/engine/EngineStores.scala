package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Writes of the program and of steps, and the reasons for which the program waits. */
class EngineStores(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.conditions.{onTheWay, unfinished}
  import engine.words.{data, x}
  import engine.quick.{held, own, presenceDue}
  import engine.streams.clearing
  import engine.hasbitsUse.{indexSettled, targetReady}
  private val storeMode = field(Micro.StoreMode).asUInt
  private val stores = active && is(Kind.stores)
  // Two words; the second one is used in writes of eight bytes. Their source is either the program, or a step: its
  // value, its case word, its `which` or its has-flag.
  private val ofStep = !active || storeMode(3 downto 2) === 3
  private val ofPresence = presenceDue && !(active && !storeMode.lsb)
  private val low = ofStep ?
    (ofPresence ? (entry.inOneof ? at.field.number.resize(32).asBits | B(1, 32 bits)) | step.value(31 downto 0)) | data
  private val high =
    ofStep ? step.value(63 downto 32) | (field(Micro.StoreX).lsb ? b.asBits | x.asBits).andMask(storeMode.msb)
  private val log2Size = UInt(2 bits)
  log2Size := storeMode(1 downto 0)
  when(storeMode.msb && !storeMode.lsb) { log2Size := context.wide ? U(2, 2 bits) | U(1, 2 bits) }
  when(ofStep) {
    log2Size := step.log2Size
    when(ofPresence) {
      log2Size := entry.inOneof ? ((native && !context.wide) ? U(1, 2 bits) | U(2, 2 bits)) | U(0, 2 bits)
    }
  }
  private val atCase = command.writing ? writer.io.atCase | presenceDue
  private val atNext = writer.io.atNext
  place := message + (atCase ? entry.caseOffset | (atNext ? at.loaded.offset | entry.offset))
  slotAddress := active ? computed | (entry.repeated ? element | place)
  own.valid := stores || quick.stores
  own.address := slotAddress
  own.data := high ## low
  own.mask.setAll()
  val merged = Stream(EngineWrite())
  // A command that writes a message stores nothing else, so the packer's granules use the path of the program's stores.
  private val single = Stream(EngineWrite())
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
  private val waits = RegInit(False)
  waits := clearing && copier.io.busy && !(latest.valid && !latest.ready &&
    ((latest.address >> 3).resize(15) - copier.io.granule).msb)
  val puts = active && is(Kind.puts)
  // Equal to `!own.ready`, but known earlier.
  reasons(Kind.stores) := latest.valid && (waits || !writes.io.ready)
  when(!ClockDomain.current.isResetActive) {
    assert(reasons(Kind.stores) === !own.ready, "a store goes on when it cannot", FAILURE)
  }
  reasons(Kind.copies) := copier.io.busy
  reasons(Kind.asks) := ask.busy
  reasons(Kind.puts) := !writer.io.put.ready
  reasons(Kind.ofTarget) := !targetReady
  reasons(Kind.ofIndex) := !indexSettled
  reasons(Kind.readsGranule) := !ask.ready
  reasons(Kind.readsCursor) := !writer.io.counted
  // While no instruction is active, this value is not used.
  stall := Kind.waiting.map(kind => is(kind) && reasons(kind)).orR
  held << latest.haltWhen(waits)
  held.data.removeAssignments() := lanes
  held.mask.removeAssignments() := latest.mask & ofSize
  merged << StreamArbiterFactory().lowerFirst.noLock.on(Seq(held, copier.io.write))
  writes.io.write << merged
  onTheWay := latest.valid || merged.valid
  /** The written message is complete: all of it has been put. */
  val finishing = RegInit(False) setWhen does(Act.finishOutput) clearWhen command.begins
  /** All of the message is on its way to the write buffer, or there. It is also set for a message that was read, once
    * its object is known.
    */
  val flushing = RegInit(False) setWhen
    (command.writing ? (wants(Act.flush) || finishing && writer.io.settled && !onTheWay) |
      does(Act.setResult0)) clearWhen command.begins
  unfinished := finishing && !flushing
  writes.io.flush := wants(Act.flush) || flushing
  writes.io.drop := command.killing || command.writing && is(WriteProgram.Dry)
}
