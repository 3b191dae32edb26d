package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.memory.GranuleWrite
import spinal.core._
import spinal.lib._

/** What the microprogram has the packer put: a number, the current entry's key, or the key that ends the entry's group.
  */
case class Put() extends Bundle {
  val number = UInt(32 bits)
  val isKey, ends = Bool()
}

/** The parts that only writing messages needs: the scanner, the packer, and the merging of the scanner's and the
  * microprogram's items.
  */
case class WriterPath() extends Component {
  val scanner = Scanner()
  val packer = Packer()
  val io = new ScannerPorts {
    /** Allowed only while the scanner rests or has no item; the item would be lost. */
    val put = slave(Stream(Put()))
    // ---- of the packer
    val start = slave(Flow(PackRange()))
    val seek = slave(Flow(UInt(32 bits)))
    val flush = in Bool ()
    val settled, counted, full = out Bool ()
    val cursor = out UInt (32 bits)
    val write = master(Stream(GranuleWrite()))
  }
  for ((name, outer) <- io.elements; (inner, port) <- scanner.io.elements if inner == name) outer <> port

  when(!ClockDomain.current.isResetActive) {
    assert(!(scanner.io.item.valid && io.put.valid),
      "the program puts something while the scanner has an item, which is lost", FAILURE)
  }
  private val isValue = scanner.io.isValue && !io.put.valid
  private val key = Mux(io.put.valid && io.put.ends, io.entry.bits(31 downto 0) ^ 7,
    io.entry.bits(31 downto 0) | (scanner.io.behindKey << 8).resize(32))
  private val isNumber = io.put.valid && !io.put.isKey
  packer.io.item.valid := scanner.io.item.valid || io.put.valid
  packer.io.item.payload := scanner.io.item.payload
  packer.io.item.value(31 downto 0) := isValue ? scanner.io.item.value(31 downto 0) |
    (isNumber ? io.put.number.asBits | key)
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
  scanner.io.placed := packer.io.placed
  io.full := packer.io.full
  io.cursor := packer.io.cursor
  io.write << packer.io.write
}
