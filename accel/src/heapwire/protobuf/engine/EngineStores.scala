package heapwire.protobuf.engine

import heapwire.protobuf.ObjectWrite
import spinal.core._
import spinal.lib._

/** Writes of the program and of steps, and what the program waits for. */
class EngineStores(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.conditions.onTheWay
  import engine.words.{awaits, awaitsCursor, data, x}
  import engine.quick.{held, own, presenceDue}
  import engine.streams.{clearing, starts}
  import engine.hasbitsUse.ofList
  private val storeMode = field(Micro.StoreMode).asUInt
  private val stores = active && storeMode =/= Store.None
  private val log2Size = UInt(2 bits)
  private val stored = Bits(64 bits)
  stored := step.value
  log2Size := step.log2Size
  when(presenceDue) {
    stored(31 downto 0) := entry.inOneof ? at.field.number.resize(32).asBits | B(1, 32 bits)
    log2Size := entry.inOneof ? ((native && !context.wide) ? U(1, 2 bits) | U(2, 2 bits)) | U(0, 2 bits)
  }
  when(stores && storeMode =/= Store.Presence) {
    stored := storeMode.mux(
      Store.Value -> step.value, Store.Header -> data ## runtime.mark, Store.Pair -> b.asBits ## x.asBits, default -> data.resize(64))
    log2Size := storeMode.mux(Store.Byte -> U(0, 2 bits), Store.Half -> U(1, 2 bits), Store.Word -> U(2, 2 bits),
      Store.Value -> step.log2Size, Store.Count -> (context.wide ? U(2, 2 bits) | U(1, 2 bits)), default -> U(3, 2 bits))
  }
  private val atCase = command.writing ? written(_.io.atCase, False) | presenceDue
  place := message + (atCase ? entry.caseOffset | entry.offset)
  slotAddress := (active && !written(_.io.ask, False)) ? result | ((entry.repeated && !command.writing) ? element | place)
  own.valid := stores || quick.stores
  val write = ObjectWrite.value(slotAddress, stored, log2Size)
  own.address := write.address
  own.data := write.data
  own.mask := write.mask
  // Where the slot of a field instruction lies has been looked at, and what goes there comes with the mark of its hasbit.
  own.trusted := fielded(_.open, False) && (wants(Act.mark) || quick.stores && !entry.repeated)
  private val starting = starts.map(wants).orR
  val puts = if (p.writes) Seq(Act.put, Act.putKey, Act.putEnd, Act.putKeyAndScan).map(wants).orR else False
  stall := stores && !own.ready || starting && copier.io.busy || (ofList || wants(Act.hasbitsHere)) && !hasbits.io.ready || wants(Act.hasbitsHere) && ask.busy ||
    puts && !written(_.io.put.ready, True) || (wants(Act.askTable) || wants(Act.askObject) || wants(Act.askHeader)) && ask.busy || active && (awaits && !ask.ready || awaitsCursor)
  val merged = Stream(EngineWrite())
  // Who writes messages stores nothing else: the packer's granules take the way of the program's.
  private val single = Stream(EngineWrite())
  single.valid := own.valid
  single.payload := own.payload
  own.ready := single.ready
  if (p.writes) {
    when(command.writing) {
      single.valid := writer.io.write.valid
      single.payload := writer.io.write.payload
    }
    writer.io.write.ready := single.ready
  }
  // Zeros go before what is written over them: a write waits until they have passed it. An object that begins anywhere has at most 2^13 + 1 granules.
  private val latest = single.m2sPipe()
  private val passed = RegNext(latest.valid && !latest.ready && ((latest.address >> 3).resize(15) - copier.io.granule).msb) init False
  held << latest.haltWhen(clearing && copier.io.busy && !passed)
  merged << StreamArbiterFactory().lowerFirst.noLock.on(Seq(held, copier.io.write))
  writes.io.write << merged
  onTheWay := merged.valid
  writes.io.arenas := command.arenas
  /** What was written as a message, to the command's end. */
  val flushing = p.writes generate (RegInit(False) setWhen (wants(Act.flush) && command.writing) clearWhen command.begins)
  writes.io.flush := wants(Act.flush) || (if (p.writes) flushing else False)
  writes.io.drop := command.killing || command.writing && is(WriteProgram.Dry)
}
