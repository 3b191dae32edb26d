package heapwire.protobuf.native

import heapwire.protobuf.{ByteChunk, ObjectWrite}
import spinal.core._
import spinal.lib._

/** What a native copier writes: a size, then bytes, then a zero, each if it is wanted. */
case class NativeText() extends Bundle {
  val address, length = UInt(32 bits)
  /** A pb_size_t of two or four bytes goes first. */
  val sized, wide = Bool()
  /** A zero ends it. */
  val terminated = Bool()
  /** Zeros, `length` of them, take the place of the input. */
  val zeros = Bool()
}

/** Writes a string or bytes as a C struct has them, from any address on: 16 bytes
  * a cycle, and a cycle for a size. Chunks but the last have 16 bytes.
  */
case class NativeCopier() extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start = slave(Flow(NativeText()))
    val chunk = slave(Stream(ByteChunk()))
    val write = master(Stream(ObjectWrite()))
    val busy = out Bool()
    val kill = in Bool()
  }
  object State extends SpinalEnum { val Idle, Size, Payload, Tail, Zeros = newElement() }
  import State._
  val state = RegInit(Idle)
  val text = Reg(NativeText())
  /** Of the next byte; and bytes that lie before it in its granule and are not written yet. */
  val address = Reg(UInt(32 bits))
  val carry = Reg(Bits(56 bits))
  val carried = Reg(Bool())
  /** Zeros, and bytes of the tail. */
  val left = Reg(UInt(32 bits))
  val granule = address & ~U(7, 32 bits)
  val phase = address(2 downto 0)

  val bytes = io.chunk.count.resize(6) + (io.chunk.last && text.terminated).asUInt
  val chunk = Cat((0 until 16).map(i => io.chunk.data(8 * i, 8 bits).andMask(io.chunk.count > i)))
  /** Up to 17 bytes of the chunk behind up to 7 that were carried. */
  val joined = (chunk.resize(192) |<< (phase << 3)) | carry.andMask(carried).resize(192)
  val end = bytes + phase
  private def below(count: UInt): Bits = ((U(1, 25 bits) |<< count) - 1).resize(24).asBits
  val mask = below(end) & ~below(phase.resize(6)).andMask(!carried)

  val most = U(16, 5 bits) - phase
  val zeros = (left < most) ? left.resize(5) | most

  io.chunk.ready := state === Payload && io.write.ready
  io.write.valid := state.mux(Idle -> False, Payload -> io.chunk.valid, default -> True)
  io.write.address := address
  io.write.data := joined(127 downto 0)
  io.write.mask := mask(15 downto 0)
  switch(state) {
    is(Size) {
      io.write.payload := ObjectWrite.value(text.address, text.length.asBits, text.wide ? U(2, 2 bits) | U(1, 2 bits))
    }
    is(Tail) {
      io.write.data := carry.resize(128)
      io.write.mask := below(left.resize(6)).resize(16)
    }
    is(Zeros) {
      io.write.data := 0
      io.write.mask := (below(zeros.resize(6)) |<< phase).resize(16)
    }
  }

  private def body(text: NativeText): State.C = {
    val next = State()
    next := Idle
    when(text.zeros || text.length === 0 && text.terminated) { next := Zeros } elsewhen (text.length =/= 0) { next := Payload }
    when(text.zeros && text.length === 0) { next := Idle }
    next
  }
  when(io.start.valid) {
    text := io.start.payload
    address := io.start.address + (io.start.sized ? (io.start.wide ? U(4, 3 bits) | U(2, 3 bits)) | U(0, 3 bits))
    carried := False
    left := io.start.zeros ? io.start.length | U(1, 32 bits)
    state := io.start.sized ? Size | body(io.start.payload)
  }
  when(io.write.fire) {
    switch(state) {
      is(Size) { state := body(text) }
      is(Payload) {
        address := granule + 16 + phase
        carry := joined(183 downto 128)
        carried := True
        when(io.chunk.last) {
          left := (end - 16).resized
          address := granule + 16
          state := (end > 16) ? Tail | Idle
        }
      }
      is(Tail) { state := Idle }
      is(Zeros) {
        address := address + zeros
        left := left - zeros
        when(left <= most) { state := Idle }
      }
    }
  }
  when(io.kill) { state := Idle }
  io.busy := state =/= Idle
}
