package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.protobuf.TableHeader
import spinal.core._
import spinal.lib._

/** The granules that the program or the scanner requests from the cache, one at a time. */
class EngineAsk(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  val pending = RegInit(False)
  val address = Reg(UInt(32 bits))
  val isObject = Reg(Bool())
  val age = Reg(UInt(2 bits)) init 0
  val granule = Reg(Bits(128 bits))
  /** The request is for a header, whose second half is requested a cycle later. `rest`: its first half is still to
    * come.
    */
  val isHeader = Reg(Bool())
  val rest = RegInit(False)
  /** The request of one cycle ago, and of two cycles ago, was made by the program or the scanner. */
  val granted = RegInit(B(0, 2 bits))
  private val hit = cache.io.hit && granted(1)
  /** A request made at age 0 is answered at age 2; a header's second half, requested at age 1, at age 3. After a miss
    * the request is repeated from age 0 on, so whether a request is made does not depend on the cache's answer in the
    * same cycle.
    */
  val answered = age === 2 && hit
  val captures = pending && isHeader && age === 3 && hit && !rest
  /** `hereIfHit`: the data are here if the cache reports a hit. `nearly`: they are here in the next cycle if it reports
    * a hit then.
    */
  val hereIfHit = !pending || age(1)
  val nearly = pending && age === 1
  /** The granule below is requested, of an array that is being written; `askedAhead`: it was requested in the cycle
    * before.
    */
  private val ahead = writer.io.ahead
  private val askedAhead = RegNext(ahead) init False
  /** That granule becomes the current one. */
  private val steps = writer.io.steps
  val upper = isHeader && age(0) || ahead
  private val slotRequest = writer.io.ask && !writer.io.atElement
  // A request outside of the bounds is made only once, so that the requester can clear the fault.
  val request =
    (pending && !cache.io.fault && !age(1) && (age(0) ? isHeader | (!isHeader || rest)) || ahead) && !writer.io.turn
  granted := granted(0) ## (request || slotRequest)
  /** The address of the second granule: for a header the granule above, for objects the one below. */
  val second = Reg(UInt(32 bits))
  second := (steps ? second | address) +
    (isObject ? U((BigInt(1) << 32) - DescriptorLayout.EntrySize, 32 bits) | U(DescriptorLayout.EntrySize, 32 bits))
  when(pending) {
    age := age + 1
    // An entry's request had priority, or the request missed.
    when(!isHeader && (age === 0 && writer.io.turn || age === 2)) { age := 0 }
  }
  /** One bit per byte of the granule: the byte is zero. */
  val zeros = Reg(Bits(16 bits))
  /** Starting from the requested address, these are zero: the byte there, the byte above it, the upper half of its
    * word, the word above.
    */
  val noByte, noSecond, noUpper, noAbove = Reg(Bool())
  when(RegNext(request && !upper || slotRequest || ahead && steps) || askedAhead && steps) {
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
  val ready = !pending || answered && !isHeader
  private val asks = does(Kind.asks)
  val asksHeader = does(Act.askHeader) || does(Act.enterAndAsk)
  when(asks) {
    pending := True
    age := 0
    address := result
    isObject := does(Act.askObject)
    isHeader := asksHeader
    rest := asksHeader
  }
  when(does(Act.turn)) { address(2) := !address(2) }
  when(writer.io.move) { address(3 downto 0) := movedElement(3 downto 0) }
  when(writer.io.scan.stop.valid) { pending := False }
  when(writer.io.ask) {
    pending := True
    // The age follows from when the data are requested: in the next cycle, in this one, or in the one before.
    age := writer.io.atElement ? ((askedAhead ? U(2, 2 bits) | U(1, 2 bits)).andMask(steps && (askedAhead || ahead))) |
      U(1, 2 bits)
    address := writer.io.atElement ? movedElement | place
    isObject := True
    isHeader := False
    rest := False
  }
  val busy = pending && isHeader
  when(command.killing) { pending := False }
  val header = TableHeader()
  header.bits := cache.io.data ## granule
  val words = granule.subdivideIn(32 bits)
}
