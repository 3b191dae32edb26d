package heapwire.protobuf

import heapwire.isa.{DescriptorLayout, ObjectLayout}
import spinal.core._
import spinal.lib._

/** Writes a fresh message object, 16 bytes a cycle: header, memo fields of -1,
  * the unknown-fields singleton, zeros for everything else, up to the end of
  * what its table wants cleared.
  */
case class ObjectInitializer() extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start = in Bool()
    val address = in UInt(32 bits)
    val header = in(TableHeader())
    val mark, unknownFields = in Bits(32 bits)
    val write = master(Stream(ObjectWrite()))
    val busy = out Bool()
    val kill = in Bool()
  }
  val busy = RegInit(False)
  val address = Reg(UInt(32 bits))
  val klass = Reg(Bits(32 bits))
  val size, memoizedSize, memoizedIsInitialized, unknownFields = Reg(UInt(16 bits))
  /** Of the next word to be written. */
  val offset = Reg(UInt(16 bits))

  when(io.start) {
    busy := True
    address := io.address
    offset := 0
    klass := io.header.klass.asBits
    val cleared = io.header.cleared << log2Up(DescriptorLayout.ClearedUnit)
    val whole = cleared === 0 || cleared >= io.header.objectSize
    size := whole ? io.header.objectSize | cleared.resize(16)
    memoizedSize := io.header.memoizedSizeOffset
    memoizedIsInitialized := io.header.memoizedIsInitializedOffset
    unknownFields := io.header.unknownFieldsOffset
  }

  io.write.valid := busy
  io.write.address := address
  private def word(lane: Int): Bits = {
    val word = Bits(32 bits)
    def at(place: UInt) = place =/= DescriptorLayout.NoOffset && (place >> 2) === ((offset >> 2) | lane)
    word := 0
    when(at(memoizedSize) || at(memoizedIsInitialized)) { word := BigInt(ObjectLayout.MemoUnset & 0xffffffffL) }
    when(at(unknownFields)) { word := io.unknownFields }
    when(offset === 0) {
      if (lane == 0) word := io.mark
      if (lane == 1) word := klass
    }
    word
  }
  io.write.data := Cat((0 until 4).map(word))
  val last = size - offset <= 16
  // Sizes are multiples of 8.
  io.write.mask := (last && size(3)) ? B(0x00ff, 16 bits) | B(0xffff, 16 bits)
  when(io.write.fire) {
    offset := offset + 16
    address := address + 16
    when(last) { busy := False }
  }
  when(io.kill) { busy := False }
  io.busy := busy
}
