package heapwire.protobuf

import heapwire.isa.ObjectLayout
import spinal.core._
import spinal.lib._

/** Writes a ByteString and, right behind it, its byte array: two words of
  * headers, then the payload, 16 bytes a cycle, padded with zeros to 8 bytes.
  */
case class StringCopier() extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start = in Bool()
    val address = in UInt(32 bits)
    val length = in UInt(32 bits)
    val mark, klassByteString, klassByteArray = in Bits(32 bits)
    val chunk = slave(Stream(ByteChunk()))
    val write = master(Stream(ObjectWrite()))
    val busy = out Bool()
    val kill = in Bool()
  }
  object State extends SpinalEnum { val Idle, Object, Array, Payload = newElement() }
  val state = Reg(State()) init State.Idle
  val address, length = Reg(UInt(32 bits))

  when(io.start) {
    state := State.Object
    address := io.address
    length := io.length
  }
  val valid = Vec((0 until 16).map(i => io.chunk.count > i))
  val payload = Cat((0 until 16).map(i => io.chunk.data(8 * i, 8 bits).andMask(valid(i))))

  io.chunk.ready := state === State.Payload && io.write.ready
  io.write.address := address
  io.write.valid := state === State.Object || state === State.Array || state === State.Payload && io.chunk.valid
  io.write.mask := (state === State.Payload && !valid(8)) ? B(0x00ff, 16 bits) | B(0xffff, 16 bits)
  io.write.data := state.mux(
    State.Object -> Cat(Seq(io.mark, io.klassByteString, B(0, 32 bits), (address + ObjectLayout.ByteString.Size).asBits)),
    State.Array -> Cat(Seq(io.mark, io.klassByteArray, length.asBits, B(0, 32 bits))),
    default -> payload)
  when(io.write.fire) {
    address := address + 16
    switch(state) {
      is(State.Object) { state := State.Array }
      is(State.Array) { state := (length === 0) ? State.Idle | State.Payload }
      is(State.Payload) { when(io.chunk.last) { state := State.Idle } }
    }
  }
  when(io.kill) { state := State.Idle }
  io.busy := state =/= State.Idle
}

object StringCopier {
  /** Bytes of a ByteString and its array, 33 bits. */
  def size(length: UInt): UInt = {
    val padded = ((length +^ 7) >> 3) << 3
    (padded + (ObjectLayout.ByteString.Size + ObjectLayout.Array.Elements)).resize(34)
  }
}
