package heapwire.protobuf.native

import heapwire.isa.{DescriptorLayout, Status}
import heapwire.protobuf.{ObjectWrite, TableHeader}
import spinal.core._
import spinal.lib._

/** Begins a C struct by the initial records of its table, read through the
  * descriptor cache: each clears a range of bytes or puts up to 12 there. `whole`
  * clears the struct first, as memory that was no struct before wants it, and
  * needs no records but those with data. 16 bytes a cycle; about 4 cycles a record.
  */
case class NativeInitializer() extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start, whole = in Bool()
    /** Of the struct, and of its table. */
    val address, table = in UInt(32 bits)
    val header = in(TableHeader())
    /** Records lie below it. */
    val limit = in UInt(32 bits)
    val request = master(Flow(UInt(32 bits)))
    val hit, fault = in Bool()
    val data = in Bits(128 bits)
    val write = master(Stream(ObjectWrite()))
    val busy = out Bool()
    val error = out Bool()
    val status = out Bits(Status.Width bits)
    val kill = in Bool()
  }
  private val RecordBytes = DescriptorLayout.EntrySize
  object State extends SpinalEnum { val Idle, Next, Fetch, Clear, Put = newElement() }
  import State._
  val state = RegInit(Idle)
  val struct, record, table = Reg(UInt(32 bits))
  /** Records that are left, and those with data among them. */
  val left, withData = Reg(UInt(16 bits))
  /** Where the next byte goes, how many there are, and what: the next one first. */
  val address = Reg(UInt(32 bits))
  val bytes = Reg(UInt(16 bits))
  val data = Reg(Bits(96 bits))
  val asked = RegInit(False)

  io.error := False
  io.status := Status.BadDescriptor.code
  io.request.valid := state === Fetch && !(asked && io.hit)
  io.request.payload := record
  asked := io.request.valid
  io.busy := state =/= Idle

  val phase = address(2 downto 0)
  // A write has 16 bytes from the address's granule on when it clears, and one granule and its neighbour when it puts 8.
  val most = (state === Put) ? U(8, 5 bits) | (U(16, 5 bits) - phase)
  val count = (bytes < most) ? bytes.resize(5) | most
  val ones = ((U(1, 17 bits) |<< count) - 1).resize(16).asBits
  io.write.valid := state === Clear || state === Put
  io.write.address := address
  io.write.mask := ones |<< phase
  io.write.data := (state === Put) ? (data(63 downto 0).resize(128) |<< (phase << 3)) | B(0, 128 bits)
  when(io.write.fire) {
    address := address + count
    bytes := bytes - count
    data := data |>> 64
    when(bytes <= most) { state := Next }
  }

  switch(state) {
    is(Idle) {
      struct := io.address
      table := io.table
      address := io.address
      bytes := io.header.objectSize
      val skipped = io.header.initialCount - io.header.initialData
      left := io.whole ? io.header.initialData | io.header.initialCount
      withData := io.header.initialData
      record := io.table + io.header.initial + (io.whole ? (skipped << 4).resize(32) | U(0, 32 bits))
      when(io.start) { state := (io.whole && io.header.objectSize =/= 0) ? Clear | Next }
    }
    is(Next) {
      state := (left === 0) ? Idle | Fetch
      when(left =/= 0 && (record(3 downto 0) =/= 0 || record < table || (record +^ RecordBytes) > io.limit.resize(33))) {
        io.error := True
        state := Idle
      }
    }
    is(Fetch) {
      when(asked && io.hit) {
        address := struct + io.data(15 downto 0).asUInt
        bytes := io.data(31 downto 16).asUInt
        data := io.data(127 downto 32)
        record := record + RecordBytes
        left := left - 1
        state := (left <= withData) ? Put | Clear
        when(io.data(31 downto 16) === 0) { state := Next }
      }
      when(io.fault) {
        io.error := True
        io.status := Status.BusFault.code
        state := Idle
      }
    }
  }
  when(io.kill) { state := Idle }
}
