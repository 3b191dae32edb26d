package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** Who reads through the cache, and which part of a header becomes the context. */
class EngineTables(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  val entryRequest = writer.io.request.valid
  /** A string that the scanner followed lies outside of the bounds, as the cycle before showed. The program finds out
    * what is wrong.
    */
  val outsideText = late(command.writing && cache.io.fault && cache.io.outside && ask.pending) &&
    late(writer.io.scan.stop.valid)
  private def late(what: Bool): Bool = RegNext(what) init False
  /** A slot is requested at once. */
  val slotRequest = writer.io.mayAsk
  cache.io.cancel := late(slotRequest && !writer.io.ask)
  cache.io.request.valid := slotRequest || ask.request || lookup.io.request.valid || entryRequest
  // Whose turn it is is known early in the cycle; whether that party makes a request is not. An entry has priority over
  // the program's request, which is then repeated.
  cache.io.request.address := ask.request ? (ask.upper ? ask.second | ask.address) | lookup.io.request.payload
  when(writer.io.turn) { cache.io.request.address := writer.io.request.payload }
  when(slotRequest) { cache.io.request.address := place }
  cache.io.request.isObject := ask.request && ask.isObject || slotRequest
  // The lookup repeats its request while its step is at work. It must not evict the line for which the program waits.
  lookup.io.blocked := ask.pending
  lookup.io.hit := cache.io.hit
  lookup.io.data := cache.io.data
  lookup.io.fault := cache.io.fault
  // Prefetches the block behind a table's header and, when a message begins to be written, the blocks behind its first
  // one: its strings are there if it came to memory in one go. A resumed message comes from the stack and the slot of a
  // field instruction is an argument; both bypass the adder and are not prefetched.
  private val opens = command.writing && does(Act.setMessage) && field(Micro.Source).asUInt =/= Second.X
  cache.io.prefetch.valid := RegNext(ask.asksHeader || opens || does(Act.fetchAhead)) init False
  cache.io.prefetch.address := RegNext(result) + U(m.blockBytes, 32 bits).andMask(RegNext(!wants(Act.fetchAhead)))
  cache.io.rises := RegNext(opens)
  cache.io.prefetch.isObject := RegNext(!ask.asksHeader)
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
    // At most the whole object.
    context.cleared := ask.header.cleared.andMask(
      (ask.header.cleared << log2Up(DescriptorLayout.ClearedUnit)).resize(16) < ask.header.objectSize)
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
  // Field instructions work on managed objects.
  when(command.byField) { context.native := False }
  when(ask.asksHeader) { context.lookup.address := result }
  when(ask.asksHeader || command.begins) { context.ready := False }
}
