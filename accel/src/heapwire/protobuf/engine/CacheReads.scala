package heapwire.protobuf.engine

import heapwire.isa.DescriptorLayout
import heapwire.protobuf.TableHeader
import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.logic.Same
import heapwire.protobuf.engine.memory.GranuleCache
import heapwire.protobuf.engine.message.{CurrentField, OpenList, OpenMessage}
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.read.FieldLookup
import heapwire.protobuf.engine.write.ScannerPorts
import spinal.core._
import spinal.lib._

/** Who reads through the cache: the program and the scanner, which request one granule at a time; the look-up of keys;
  * and the scanner's entries.
  */
class CacheReads(cache: GranuleCache, execution: Execution, command: Command, message: OpenMessage,
    current: CurrentField, list: OpenList, lookup: FieldLookup, scanner: ScannerPorts) extends Area {
  import current.place
  import execution._
  private def late(what: Bool): Bool = RegNext(what) init False
  val pending = RegInit(False)
  val address = Reg(UInt(32 bits))
  val isObject = Reg(Bool())
  private val age = Reg(UInt(2 bits)) init 0
  private val granule = Reg(Bits(128 bits))
  /** The granule in words. Of a header, it is the first half. */
  val words: Vec[Bits] = granule.subdivideIn(32 bits)
  /** The request is for a header, whose second half is requested a cycle later. `rest`: its first half is still to
    * come.
    */
  private val isHeader = Reg(Bool())
  private val rest = RegInit(False)
  /** The request of one cycle ago, and of two cycles ago, was made by the program or the scanner. */
  private val granted = RegInit(B(0, 2 bits))
  private val hit = cache.io.hit && granted(1)
  /** A request made at age 0 is answered at age 2; a header's second half, requested at age 1, at age 3. After a miss
    * the request is repeated from age 0 on, so whether a request is made does not depend on the cache's answer in the
    * same cycle.
    */
  private val answered = age === 2 && hit
  private val captures = pending && isHeader && age === 3 && hit && !rest
  /** The granule below is requested, of an array that is being written; `askedAhead`: it was requested in the cycle
    * before.
    */
  private val ahead = scanner.ahead
  private val askedAhead = RegNext(ahead) init False
  /** That granule becomes the current one. */
  private val steps = scanner.steps
  private val upper = isHeader && age(0) || ahead
  private val slotAsked = scanner.ask && !scanner.atElement
  // A request outside of the bounds is made only once, so that the requester can clear the fault.
  private val request =
    (pending && !cache.io.fault && !age(1) && (age(0) ? isHeader | (!isHeader || rest)) || ahead) && !scanner.turn
  granted := granted(0) ## (request || slotAsked)
  /** The address of the second granule: for a header the granule above, for objects the one below. */
  private val second = Reg(UInt(32 bits))
  second := (steps ? second | address) +
    (isObject ? U((BigInt(1) << 32) - DescriptorLayout.EntrySize, 32 bits) | U(DescriptorLayout.EntrySize, 32 bits))
  when(pending) {
    age := age + 1
    // An entry's request had priority, or the request missed.
    when(!isHeader && (age === 0 && scanner.turn || age === 2)) { age := 0 }
  }
  // One bit per byte of the granule: the byte is zero. And the same of what is at the requested address.
  private val zeros = Reg(Bits(16 bits))
  private val noByte, noSecond, noUpper, noAbove = Reg(Bool())
  when(RegNext(request && !upper || slotAsked || ahead && steps) || askedAhead && steps) {
    granule := cache.io.early
    val now = Cat(cache.io.early.subdivideIn(8 bits).map(_ === 0))
    zeros := now
    noByte := now.asBools.read(address(3 downto 0))
    noSecond := Vec((0 until 8).map(i => now(2 * i + 1))).read(address(3 downto 1))
    noUpper := Vec((0 until 4).map(i => now(4 * i + 3 downto 4 * i + 2).andR)).read(address(3 downto 2))
    noAbove := (address(3) ? now(15 downto 12) | now(7 downto 4)).andR
  }
  when(pending && answered) {
    rest := False
    when(!isHeader) { pending := False }
  }
  when(captures) { pending := False }
  /** The requested data are here. */
  private val ready = !pending || answered && !isHeader
  private val asksHeader = does(Act.askHeader) || does(Act.enterAndAsk)
  when(does(Kind.asks)) {
    pending := True
    age := 0
    address := result
    isObject := does(Act.askObject)
    isHeader := asksHeader
    rest := asksHeader
  }
  when(does(Act.turn)) { address(2) := !address(2) }
  when(scanner.move) { address(3 downto 0) := list.moved(3 downto 0) }
  when(scanner.scan.stop.valid) { pending := False }
  when(scanner.ask) {
    pending := True
    // The age follows from when the data are requested: in the next cycle, in this one, or in the one before.
    age := scanner.atElement ? ((askedAhead ? U(2, 2 bits) | U(1, 2 bits)).andMask(steps && (askedAhead || ahead))) |
      U(1, 2 bits)
    address := scanner.atElement ? list.moved | place
    isObject := True
    isHeader := False
    rest := False
  }
  when(command.killing) { pending := False }
  /** A header is requested. */
  val headerComes = pending && isHeader
  reasons(Kind.asks) := headerComes
  reasons(Kind.readsGranule) := !ready
  /** The requested word, or the word that the instruction names. While the scanner works, no instruction names a word,
    * and the scanner takes the requested one (`OutcomeOrder`).
    */
  val word: Bits = words.read(is(Kind.namesWord) ? index.resize(2) | address(3 downto 2))
  list.asked := word

  // ---- what the scanner learns ------------------------------------------------------------------------------
  /** A slot is requested at once. */
  private val slotRequest = scanner.mayAsk
  scanner.blocked := slotRequest
  scanner.hit := cache.io.hit
  scanner.ready := ready
  scanner.nearly := pending && age === 1
  scanner.hereIfHit := !pending || age(1)
  scanner.value := (address(3) ? words(3) | words(1)) ## word
  scanner.lane := address(1 downto 0)
  scanner.zeros := zeros
  scanner.noByte := noByte
  scanner.noSecond := noSecond
  scanner.noUpper := noUpper
  scanner.noAbove := noAbove
  scanner.atLimit := RegNext(Same(address >> 6, command.objects.limit >> 6))
  scanner.outside := pending && cache.io.fault && cache.io.outside
  // Early, as soon as the act is likely and it is known whether there is a next field.
  scanner.scan.scans := active && (is(Kind.nearsScan) || is(Kind.putsHasbitsAndScans) && age(0))

  // ---- the cache -----------------------------------------------------------------------------------------------
  private val entryRequest = scanner.request.valid
  cache.io.cancel := late(slotRequest && !scanner.ask)
  cache.io.request.valid := slotRequest || request || lookup.io.request.valid || entryRequest
  // Whose turn it is is known early in the cycle; whether that party makes a request is not. An entry has priority over
  // the program's request, which is then repeated.
  cache.io.request.address := request ? (upper ? second | address) | lookup.io.request.payload
  when(scanner.turn) { cache.io.request.address := scanner.request.payload }
  when(slotRequest) { cache.io.request.address := place }
  cache.io.request.isObject := request && isObject || slotRequest
  // The lookup repeats its request while its step is at work. It must not evict the line for which the program waits.
  lookup.io.blocked := pending
  lookup.io.hit := cache.io.hit
  lookup.io.data := cache.io.data
  lookup.io.fault := cache.io.fault
  // Prefetches the block behind a table's header and, when a message begins to be written, the blocks behind its first
  // one: its strings are there if it came to memory in one go. A resumed message comes from the stack and the slot of a
  // field instruction is an argument; both bypass the adder and are not prefetched.
  private val opens = command.writing && does(Act.setMessage) && field(Micro.Source).asUInt =/= Second.X
  cache.io.prefetch.valid := RegNext(asksHeader || opens || does(Act.fetchAhead)) init False
  cache.io.prefetch.address := RegNext(result) + U(cache.p.blockBytes, 32 bits).andMask(RegNext(!wants(Act.fetchAhead)))
  cache.io.rises := RegNext(opens)
  cache.io.prefetch.isObject := RegNext(!asksHeader)
  // When the scanner stops at a list, the requested word refers to its array, which is fetched while the program checks
  // the list.
  private val atList = scanner.scan.stop.valid &&
    (scanner.scan.stop.payload === ScanStop.References || scanner.scan.stop.payload === ScanStop.Scalars)
  when(RegNext(atList) init False) {
    cache.io.prefetch.valid := True
    cache.io.prefetch.address := RegNext(word.asUInt)
  }
  cache.io.down := command.writing && !scanner.upwards
  cache.io.objects := command.objects
  /** A string that the scanner followed lies outside of the bounds, as the cycle before showed. The program finds out
    * what is wrong.
    */
  private val outsideText = late(command.writing && cache.io.fault && cache.io.outside && pending) &&
    late(scanner.scan.stop.valid)
  cache.io.forget := late(does(Act.forget)) || command.begins
  cache.io.clear := command.begins || outsideText

  // ---- the header becomes the context -----------------------------------------------------------------------
  private val header = TableHeader()
  header.bits := cache.io.data ## granule
  when(captures) { message.context.load(header) }
  when(asksHeader) { message.context.lookup.address := result }
  when(asksHeader || command.begins) { message.context.ready := False }

  // ---- faults --------------------------------------------------------------------------------------------------
  // If the program does not wait for the answer of a request outside of the bounds, it is about to refuse the address
  // itself, so this is no fault.
  private val refused = command.writing && cache.io.outside && !scanner.scan.busy && !is(Kind.readsGranule)
  // The requester waits for an answer, so a fault may be reported a cycle later.
  private val faulty = cache.io.fault && !refused
  /** What was requested cannot be read. `outside`: it lies outside of the bounds. */
  val unread = late(faulty && pending) && !outsideText || late(faulty && entryRequest)
  val outside = cache.io.outside

  val outsideWords: Map[Outside, Bits] = Map(Outside.cached -> word, Outside.asked -> word)
  val conditions: Map[Cond, Bool] = Map(Cond.upperHalf -> address(1))
}
