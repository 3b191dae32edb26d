package heapwire.protobuf.native

import heapwire.memory.{ByteRange, MemoryParameter}
import heapwire.protobuf.Granule
import spinal.core._
import spinal.lib._

/** Reads a pb_size_t of a struct back, when all that was written before is in memory. */
case class NativeReader(p: MemoryParameter) extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start = in Bool()
    val address = in UInt(32 bits)
    val wide = in Bool()
    /** Holds from the end on. */
    val value = out UInt(32 bits)
    val busy, failed = out Bool()
    val flush = out Bool()
    val flushed = in Bool()
    val readCommand = master(Stream(ByteRange(p)))
    val readWord = slave(Stream(Granule()))
    val kill = in Bool()
  }
  object State extends SpinalEnum { val Idle, Flush, Read, Receive = newElement() }
  import State._
  val state = RegInit(Idle)
  val address, value = Reg(UInt(32 bits))
  val wide = Reg(Bool())

  io.busy := state =/= Idle
  io.flush := state === Flush
  io.value := value
  io.readCommand.valid := state === Read
  io.readCommand.address := address & ~U(7, 32 bits)
  io.readCommand.length := 8
  io.readWord.ready := state === Receive
  io.failed := io.readWord.fire && io.readWord.error
  val word = (io.readWord.data |>> (address(2 downto 1) << 4)).resize(32).asUInt

  switch(state) {
    is(Idle) {
      address := io.address
      wide := io.wide
      when(io.start) { state := Flush }
    }
    is(Flush) { when(io.flushed) { state := Read } }
    is(Read) { when(io.readCommand.ready) { state := Receive } }
    is(Receive) {
      value := wide ? word | word(15 downto 0).resize(32)
      when(io.readWord.valid) { state := Idle }
    }
  }
  when(io.kill) { state := Idle }
}
