package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** Who reads through the cache, and what of a header becomes the context. */
class EngineTables(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  val entryRequest = writer.io.request.valid
  /** A string that the scanner followed is not where it should be, as was seen in the cycle before: the program finds out. */
  val outsideText = late(command.writing && cache.io.fault && cache.io.outside && ask.pending) && late(writer.io.scan.stop.valid)
  private def late(what: Bool): Bool = RegNext(what) init False
  /** A slot is asked for at once. */
  val slotRequest = writer.io.mayAsk
  cache.io.cancel := late(slotRequest && !writer.io.ask)
  cache.io.request.valid := slotRequest || ask.request || lookup.io.request.valid || entryRequest
  // Whose turn it is is known early in the cycle, whether he asks is not. An entry goes before what the program asks for, and asks again for.
  cache.io.request.address := ask.request ? (ask.upper ? ask.second | ask.address) | lookup.io.request.payload
  when(writer.io.turn) { cache.io.request.address := writer.io.request.payload }
  when(slotRequest) { cache.io.request.address := place }
  cache.io.request.isObject := ask.request && ask.isObject || slotRequest
  // What the program waits for is not to lose its line to the lookup, which asks again and again while its step is at work.
  lookup.io.blocked := ask.pending
  lookup.io.hit := cache.io.hit
  lookup.io.data := cache.io.data
  lookup.io.fault := cache.io.fault
  // What lies behind a table's header, and of a message that begins to be written behind its first block: there its strings are, if it came to memory in one go.
  // One that goes on comes out of the stack, and the slot of a field instruction is an argument: these pass by the adder.
  private val opens = command.writing && does(Act.setMessage) && field(Micro.Source).asUInt =/= Second.X
  cache.io.prefetch.valid := RegNext(does(Act.askHeader) || opens || does(Act.fetchAhead)) init False
  cache.io.prefetch.address := RegNext(result) + U(m.blockBytes, 32 bits).andMask(RegNext(!wants(Act.fetchAhead)))
  cache.io.rises := RegNext(opens)
  cache.io.prefetch.isObject := RegNext(!wants(Act.askHeader))
  cache.io.down := command.writing && !writer.io.upwards
  cache.io.tables.base := runtime.tableBase
  cache.io.tables.limit := runtime.tableLimit
  cache.io.objects := command.objects
  cache.io.invalidate := io.port.registers.valid
  cache.io.forget := late(does(Act.forget)) || command.begins
  cache.io.clear := command.begins || outsideText
  when(ask.captures) {
    context.lookup.lastSlot := ask.header.lastSlot
    context.lookup.maxProbe := ask.header.maxProbe
    context.native := ask.header.native
    context.wide := ask.header.wideCount
    context.mapEntry := ask.header.mapEntry
    context.alignLog2 := ask.header.alignLog2
    // No more than there is.
    context.cleared := ask.header.cleared.andMask((ask.header.cleared << log2Up(DescriptorLayout.ClearedUnit)).resize(16) < ask.header.objectSize)
    context.hasbitsOffset := ask.header.hasbitsOffset
    context.noUnknown := ask.header.unknownFieldsOffset === DescriptorLayout.NoOffset
    context.unknownBit := ask.header.unknownHasbit.resized
    context.requiredMask := Thermometer(ask.header.requiredCount.resize(6), 32)
    context.tooStrict := ask.header.requiredCount > DescriptorLayout.MaxRequired
    context.usual := ask.header.usual && !ask.header.native
    context.enumLists := ask.header.enumLists
    context.fieldCount := ask.header.fieldCount
    context.ready := True
  }
  // Field instructions are about managed objects.
  when(command.byField) { context.native := False }
  when(does(Act.askHeader)) { context.lookup.address := result }
  when(does(Act.askHeader) || command.begins) { context.ready := False }
}
