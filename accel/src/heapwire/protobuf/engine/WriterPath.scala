package heapwire.protobuf.engine

import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** What the microprogram has the packer put: a number, or the key of the entry at hand, or the one that ends its group. */
case class Put() extends Bundle {
  val number = UInt(32 bits)
  val isKey, ends = Bool()
}

/** What writes messages, besides what reads them: the scanner, the packer, and the items of both the scanner and the microprogram. */
case class WriterPath() extends Component {
  val scanner = Scanner()
  val packer = Packer()
  val io = new Bundle {
    val scan = slave(ScanPort())
    /** The scanner's side of the cache, the granule and the registers at hand. */
    val request = master(Flow(UInt(32 bits)))
    val turn = out Bool ()
    val blocked, hit = in Bool ()
    val load = out Bool ()
    val entry = in(TableEntry())
    val facts = in(TypeFacts())
    val native, wide = in Bool ()
    val log2Size = in UInt (2 bits)
    val wantBit = out Bool ()
    val bitReady, seen = in Bool ()
    val ask, atCase, atElement, mayAsk, atNext, walks, ahead, steps = out Bool ()
    val ready, nearly = in Bool ()
    val value = in Bits (64 bits)
    val lane = in UInt (2 bits)
    val zeros = in Bits (16 bits)
    val wordZeros = in Bits (4 bits)
    val upperZero = in Bool ()
    val isFirst, atBase = in Bool ()
    val upwards, move, take, fromWord = out Bool ()
    val by = out SInt (9 bits)
    val element = in UInt (4 bits)
    val atLimit, outside = in Bool ()
    /** While the scanner rests, or at least has no item, which would be lost. */
    val put = slave(Stream(Put()))
    // ---- the packer's
    val start = slave(Flow(PackRange()))
    val seek = slave(Flow(UInt(32 bits)))
    val flush = in Bool ()
    val settled, counted, full = out Bool ()
    val cursor = out UInt (32 bits)
    val write = master(Stream(EngineWrite()))
  }
  scanner.io.port <> io.scan
  io.request << scanner.io.request
  io.turn := scanner.io.turn
  scanner.io.blocked := io.blocked
  scanner.io.hit := io.hit
  io.load := scanner.io.load
  scanner.io.entry := io.entry
  scanner.io.facts := io.facts
  scanner.io.native := io.native
  scanner.io.wide := io.wide
  scanner.io.log2Size := io.log2Size
  io.wantBit := scanner.io.wantBit
  scanner.io.bitReady := io.bitReady
  scanner.io.seen := io.seen
  io.ask := scanner.io.ask
  io.atCase := scanner.io.atCase
  io.atElement := scanner.io.atElement
  io.mayAsk := scanner.io.mayAsk
  io.atNext := scanner.io.atNext
  io.walks := scanner.io.walks
  io.ahead := scanner.io.ahead
  io.steps := scanner.io.steps
  scanner.io.ready := io.ready
  scanner.io.nearly := io.nearly
  scanner.io.value := io.value
  scanner.io.lane := io.lane
  scanner.io.zeros := io.zeros
  scanner.io.wordZeros := io.wordZeros
  scanner.io.upperZero := io.upperZero
  scanner.io.isFirst := io.isFirst
  scanner.io.atBase := io.atBase
  io.upwards := scanner.io.upwards
  io.move := scanner.io.move
  io.take := scanner.io.take
  io.fromWord := scanner.io.fromWord
  io.by := scanner.io.by
  scanner.io.atLimit := io.atLimit
  scanner.io.outside := io.outside
  scanner.io.element := io.element

  when(!ClockDomain.current.isResetActive) {
    assert(!(scanner.io.item.valid && io.put.valid), "the program puts something while the scanner has an item, which is lost", FAILURE)
  }
  private val isValue = scanner.io.isValue && !io.put.valid
  private val key = Mux(io.put.valid && io.put.ends, io.entry.bits(31 downto 0) ^ 7, io.entry.bits(31 downto 0) | (scanner.io.behindKey << 8).resize(32))
  private val isNumber = io.put.valid && !io.put.isKey
  packer.io.item.valid := scanner.io.item.valid || io.put.valid
  packer.io.item.payload := scanner.io.item.payload
  packer.io.item.value(31 downto 0) := isValue ? scanner.io.item.value(31 downto 0) | (isNumber ? io.put.number.asBits | key)
  when(io.put.valid) {
    packer.io.item.log2Size := 2
    packer.io.item.signed := False
    packer.io.item.zigzag := False
    packer.io.item.fixed := False
  }
  scanner.io.item.ready := packer.io.item.ready
  io.put.ready := packer.io.ready
  packer.io.start << io.start
  packer.io.seek << io.seek
  packer.io.flush := io.flush
  io.settled := packer.io.settled
  io.counted := packer.io.counted
  io.full := packer.io.full
  io.cursor := packer.io.cursor
  io.write << packer.io.write
}
