package heapwire.protobuf

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory.{ByteRange, MemoryParameter}
import spinal.core._
import spinal.lib._

/** Finds the object of a message field that has occurred before, so that another
  * occurrence is merged into it.
  *
  *  - `find` reads the oneof's case word, if there is one, and then the slot:
  *    `found` tells whether the field is the member that is set, `address` what
  *    the slot refers to. Every earlier write is in memory first.
  *  - `open` checks that `address` is an object of the table's class within the
  *    fixed arena, and hands out its hasbits.
  *
  * Slots that overlap in a malformed table could hold anything.
  */
case class Reopener(p: MemoryParameter) extends Component {
  val io = new Bundle {
    /** Start; only while not busy. What they are about holds until the end. */
    val find, open = in Bool()
    val inOneof = in Bool()
    val caseWord, slot = in UInt(32 bits)
    val number = in UInt(29 bits)
    val header = in(TableHeader())
    val fixedBase, fixedTop = in UInt(32 bits)
    val found = out Bool()
    val address = out UInt(32 bits)
    val load = master(Flow(PresenceWord()))
    val busy, error = out Bool()
    val status = out Bits(Status.Width bits)
    /** Wanted: every earlier write is in memory. */
    val flush = out Bool()
    val flushed = in Bool()
    val readCommand = master(Stream(ByteRange(p)))
    val readWord = slave(Stream(Granule()))
    val kill = in Bool()
  }
  object State extends SpinalEnum { val Idle, Flush, Read, Case, Slot, Verify, Object = newElement() }
  import State._
  val state, reads = RegInit(Idle)
  val found = Reg(Bool())
  val address = Reg(UInt(32 bits))
  /** What is read, and of the object the offset of the next word. */
  val start, length = Reg(UInt(32 bits))
  val offset = Reg(UInt(17 bits))

  io.found := found
  io.address := address
  io.busy := state =/= Idle
  io.flush := state === Flush
  io.error := False
  io.status := Status.BadDescriptor.code
  io.readCommand.valid := state === Read
  io.readCommand.address := start & ~U(7, 32 bits)
  io.readCommand.length := length
  io.readWord.ready := False

  private def read(from: UInt, bytes: UInt, into: State.E): Unit = {
    start := from
    length := bytes.resized
    reads := into
  }
  private def half(high: Bool): Bits = high ? io.readWord.data(63 downto 32) | io.readWord.data(31 downto 0)
  val word = half(start(2))
  val member = half(offset(2))
  val hasbitsEnd = io.header.hasbitsOffset +^ (io.header.hasbitsWords << 2).resize(17)
  val place = offset - io.header.hasbitsOffset
  io.load.valid := False
  io.load.index := (place >> 2).resized
  io.load.bits := member

  switch(state) {
    is(Idle) {
      offset := 0
      when(io.find) {
        found := True
        state := Flush
        read(io.slot, U(8), Slot)
        when(io.inOneof) { read(io.caseWord, U(8), Case) }
      }
      when(io.open) { state := Verify }
    }
    is(Flush) { when(io.flushed) { state := Read } }
    is(Read) { when(io.readCommand.ready) { state := reads } }
    is(Case) {
      io.readWord.ready := True
      when(io.readWord.valid) {
        found := word.asUInt === io.number.resized
        state := (word.asUInt === io.number.resized) ? Read | Idle
        read(io.slot, U(8), Slot)
      }
    }
    is(Slot) {
      io.readWord.ready := True
      address := word.asUInt
      when(io.readWord.valid) { state := Idle }
    }
    is(Verify) {
      state := Read
      // Up to the last word of the hasbits, which follow the header as a rule.
      val end = (hasbitsEnd < ObjectLayout.Header.Size) ? U(ObjectLayout.Header.Size, 18 bits) | hasbitsEnd.resize(18)
      read(address, ((end + 7) >> 3) << 3, Object)
      when(address(2 downto 0) =/= 0 || address < io.fixedBase || (address +^ io.header.objectSize) > io.fixedTop.resize(33)) {
        io.error := True
        state := Idle
      }
    }
    is(Object) {
      when(io.readWord.valid) {
        offset := offset + 4
        io.readWord.ready := offset(2)
        io.load.valid := offset >= io.header.hasbitsOffset && offset < hasbitsEnd && io.header.hasbitsWords =/= 0
        when(offset === ObjectLayout.Header.Klass && member.asUInt =/= io.header.klass) { io.error := True }
        when((offset +^ 4).resize(32) === length) { state := Idle }
      }
    }
  }
  when(io.readWord.fire && io.readWord.error) {
    io.error := True
    io.status := Status.BusFault.code
  }
  when(io.kill) { state := Idle }
}
