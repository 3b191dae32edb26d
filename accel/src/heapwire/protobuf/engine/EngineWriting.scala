package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** The connections of the scanner and the packer, which write messages. */
class EngineWriting(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.words.{askedWord, data}
  import engine.stores.puts
  import engine.quick.{outputFull, rests}
  val scan = writer.io.scan
  scan.address := result
  scan.setFrom := does(Act.setEntries) || does(Act.fetchEntry)
  scan.setEnd := does(Act.setEntriesEnd)
  scan.scan := rests
  // Early, as soon as the act is likely and it is known whether there is a next field.
  scan.scans := active && (is(Kind.nearsScan) || is(Kind.putsHasbitsAndScans) && ask.age(0))
  scan.fetch := does(Act.fetchEntry)
  scan.field := (if (p.fields) does(Act.scanField) else False)
  scan.walksBytes := wants(Act.walkBytes) || wants(Act.walkCounted)
  scan.walksCounted := wants(Act.walkCounted)
  scan.find := does(Act.findEnd)
  scan.walksKeys := wants(Act.walkKeyed)
  scan.walk := does(Act.walkPacked) || does(Act.walkKeyed) || does(Act.walkBytes) || does(Act.walkCounted)
  scan.kill := command.killing || command.begins || outputFull
  // When the scanner stops at a list, the requested word refers to its array, which is fetched while the program checks
  // the list.
  private val atList = scan.stop.valid &&
    (scan.stop.payload === ScanStop.References || scan.stop.payload === ScanStop.Scalars)
  when(RegNext(atList) init False) {
    cache.io.prefetch.valid := True
    cache.io.prefetch.address := RegNext(askedWord.asUInt)
  }
  writer.io.blocked := engine.tables.slotRequest
  writer.io.hit := cache.io.hit
  writer.io.entry := entry
  writer.io.facts := facts
  writer.io.native := native
  writer.io.wide := context.wide
  writer.io.log2Size := slotLog2
  // The word with the field's hasbit stays current until another one comes, whatever the program requests.
  writer.io.bitReady := hasbits.io.valid && hasbits.io.index === target.bit(8 downto 5)
  writer.io.seen := hasbits.io.word(target.bit(4 downto 0))
  writer.io.ready := ask.ready
  writer.io.nearly := ask.nearly
  writer.io.hereIfHit := ask.hereIfHit
  writer.io.value := (ask.address(3) ? ask.words(3) | ask.words(1)) ## askedWord
  writer.io.lane := ask.address(1 downto 0)
  writer.io.zeros := ask.zeros
  writer.io.noByte := ask.noByte
  writer.io.noSecond := ask.noSecond
  writer.io.noUpper := ask.noUpper
  writer.io.noAbove := ask.noAbove
  writer.io.isFirst := listFull
  writer.io.atBase := Same(element >> 6, command.objects.base >> 6)
  writer.io.atLimit := RegNext(Same(ask.address >> 6, command.objects.limit >> 6))
  writer.io.outside := ask.pending && cache.io.fault && cache.io.outside
  scan.text := does(Act.writeText)
  writer.io.element := element(3 downto 0)
  writer.io.put.valid := puts
  writer.io.put.number := computed
  writer.io.put.isKey := !wants(Act.put)
  writer.io.put.ends := wants(Act.putEnd)
  writer.io.start.valid := does(Act.startPacker)
  writer.io.start.cursor := result
  writer.io.start.bound := data.asUInt
  writer.io.seek.valid := does(Act.seek)
  writer.io.seek.payload := result
  writer.io.flush := wants(Act.settle) || engine.stores.finishing
}
