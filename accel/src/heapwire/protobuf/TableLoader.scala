package heapwire.protobuf

import heapwire.isa.{DescriptorLayout, ObjectLayout, Status}
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Fetches the header of a descriptor table through the cache and checks it: the
  * table lies within [`base`, `limit`), the object's parts within the object. A
  * table with more hasbits or required fields than units hold is UNSUPPORTED.
  *
  * `ready` holds, with `header`, from then on until `take`, which also asks the
  * cache for the table's first blocks. `failed` is a pulse. 6 cycles on hits.
  */
case class TableLoader(m: MemoryParameter) extends Component {
  val io = new Bundle {
    val start, take, kill = in Bool()
    val address = in UInt(32 bits)
    val base, limit = in UInt(32 bits)
    val ready, failed = out Bool()
    val status = out Bits(Status.Width bits)
    val header = out(TableHeader())
    val table = out(TableContext())
    /** Behind the hashed entries, with `ready`. */
    val hashedEnd = out UInt(40 bits)
    val request = master(Flow(UInt(32 bits)))
    val hit, fault = in Bool()
    val data = in Bits(128 bits)
    val prefetch = master(Flow(UInt(32 bits)))
    val prefetchBlocks = out UInt(3 bits)
    /** The cache is waited for. */
    val waiting = out Bool()
  }
  object State extends SpinalEnum { val Idle, Bounds, Fetch, Sum, Verify = newElement() }
  import State._
  val state = RegInit(Idle)
  val address = Reg(UInt(32 bits))
  val header = Reg(TableHeader())
  val beat = Reg(UInt(1 bits))
  val asked = RegInit(False)
  val arrived = asked && io.hit

  io.header := header
  io.table := header.context(address)
  io.ready := False
  io.failed := False
  io.status := Status.BadDescriptor.code
  val nextBeat = beat | arrived.asUInt
  io.request.valid := state === Fetch && !(arrived && beat === 1)
  io.request.payload := address + (nextBeat << 4).resize(32)
  asked := io.request.valid
  io.waiting := state === Fetch && !arrived

  val entries = U(DescriptorLayout.EntrySize, 40 bits) |<< header.slotsLog2
  val hashedEnd = Reg(UInt(40 bits))
  val hasbitsEnd = Reg(UInt(18 bits))
  io.hashedEnd := hashedEnd
  val blocks = ((entries + (DescriptorLayout.HeaderSize + m.blockBytes - 1)) >> log2Up(m.blockBytes)) - 1
  io.prefetch.valid := io.take && blocks =/= 0
  io.prefetch.payload := address + m.blockBytes
  io.prefetchBlocks := (blocks > 3) ? U(3, 3 bits) | blocks.resize(3)

  private def fail(): Unit = {
    io.failed := True
    state := Idle
  }

  switch(state) {
    is(Idle) {
      address := io.address
      when(io.start) { state := Bounds }
    }
    is(Bounds) {
      beat := 0
      state := Fetch
      when(address(3 downto 0) =/= 0 || address < io.base || (address +^ DescriptorLayout.HeaderSize) > io.limit.resize(33)) { fail() }
    }
    is(Fetch) {
      beat := nextBeat
      when(arrived) {
        when(beat === 0) { header.bits(127 downto 0) := io.data } otherwise {
          header.bits(255 downto 128) := io.data
          state := Sum
        }
      }
      when(io.fault) {
        fail()
        io.status := Status.BusFault.code
      }
    }
    is(Sum) {
      hasbitsEnd := header.hasbitsOffset +^ (header.hasbitsWords << 2).resize(17)
      hashedEnd := address.resize(40) + DescriptorLayout.HeaderSize + entries
      state := Verify
    }
    is(Verify) {
      val badHasbits = header.hasbitsWords =/= 0 && (header.hasbitsOffset(1 downto 0) =/= 0 ||
        header.hasbitsOffset < ObjectLayout.Header.Size || hasbitsEnd > header.objectSize.resize(18))
      val unknownFields = header.unknownFieldsOffset
      val badUnknownFields = unknownFields =/= DescriptorLayout.NoOffset && (unknownFields(1 downto 0) =/= 0 ||
        unknownFields < ObjectLayout.Header.Size || (unknownFields +^ U(4)) > header.objectSize ||
        (header.unknownHasbit >> 5) >= header.hasbitsWords)
      val badObject = header.objectSize < ObjectLayout.Header.Size || header.objectSize(2 downto 0) =/= 0
      // They are written without another look.
      val badMemos = Seq(header.memoizedSizeOffset, header.memoizedIsInitializedOffset)
        .map(at => at(1 downto 0) =/= 0 || (at +^ U(4)) > header.objectSize).orR
      val bad = header.magic =/= DescriptorLayout.Magic || (badObject || badMemos) && !header.native || badHasbits || badUnknownFields ||
        header.slotsLog2 > 20 || hashedEnd > io.limit.resize(40)
      val tooLarge = header.hasbitsWords > DescriptorLayout.MaxHasbitsWords || header.requiredCount > DescriptorLayout.MaxRequired
      io.ready := !bad && !tooLarge
      when(bad || tooLarge) { fail() } elsewhen (io.take) { state := Idle }
      when(!bad && tooLarge) { io.status := Status.Unsupported.code }
    }
  }
  when(io.kill) { state := Idle }
}
