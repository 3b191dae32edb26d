package heapwire.protobuf

import heapwire.memory.{ByteRange, MemoryParameter}
import spinal.core._
import spinal.lib._

/** Copies bytes of memory to any address, 8 bytes a cycle. The bytes around the
  * destination stay as they are. The ranges must not overlap.
  */
case class RangeCopier(p: MemoryParameter) extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. `length` is not 0. */
    val start = in Bool()
    val source, destination, length = in UInt(32 bits)
    val readCommand = master(Stream(ByteRange(p)))
    val readWord = slave(Stream(Granule()))
    val write = master(Stream(ObjectWrite()))
    val busy = out Bool()
    /** A pulse: the bus denied a read. */
    val failed = out Bool()
    val kill = in Bool()
  }
  val busy, asking = RegInit(False)
  val source = Reg(UInt(32 bits))
  /** Where the first byte of the next granule goes, and the bytes from there to the end. */
  val address = Reg(UInt(32 bits))
  val left = Reg(UInt(33 bits))
  /** Bytes of the next granule that lie before the range. */
  val before = Reg(UInt(3 bits))

  when(io.start) {
    busy := True
    asking := True
    source := io.source
    before := io.source(2 downto 0)
    left := io.length +^ io.source(2 downto 0)
    address := io.destination - io.source(2 downto 0)
  }

  io.readCommand.valid := asking
  io.readCommand.address := source & ~U(7, 32 bits)
  io.readCommand.length := (((left + 7) >> 3) << 3).resized
  when(io.readCommand.fire) { asking := False }

  val last = left <= 8
  val within = (B(0xff, 8 bits) |<< before) & ~(B(0xff, 8 bits) |<< left(3 downto 0)).andMask(last)
  io.write.valid := busy && io.readWord.valid
  io.write.address := address
  io.write.data := io.readWord.data.resize(128) |<< (address(2 downto 0) << 3)
  io.write.mask := within.resize(16) |<< address(2 downto 0)
  io.readWord.ready := busy && io.write.ready
  io.failed := io.write.fire && io.readWord.error
  when(io.write.fire) {
    before := 0
    address := address + 8
    left := left - 8
    when(last) { busy := False }
  }
  when(io.kill) {
    busy := False
    asking := False
  }
  io.busy := busy
}
