package heapwire.protobuf

import spinal.core._
import spinal.lib._

/** Up to 8 bytes, from an 8-byte aligned address on. */
case class ObjectWrite() extends Bundle {
  /** The low 3 bits are ignored. */
  val address = UInt(32 bits)
  val data = Bits(64 bits)
  val mask = Bits(8 bits)
}

object ObjectWrite {
  /** A value of 1, 2, 4 or 8 naturally aligned bytes. */
  def value(address: UInt, value: Bits, log2Size: UInt): ObjectWrite = {
    val write = ObjectWrite()
    val mask = log2Size.mux(0 -> B(0x01, 8 bits), 1 -> B(0x03, 8 bits), 3 -> B(0xff, 8 bits), default -> B(0x0f, 8 bits))
    write.address := address
    // In every lane of its size: the mask tells which.
    val lanes = Vec(Seq(8, 16, 32, 64).map { bits => Cat(Seq.fill(64 / bits)(value.resize(64)(0, bits bits))) })
    write.data := lanes(log2Size)
    write.mask := (mask |<< address(2 downto 0)).resized
    write
  }
}
