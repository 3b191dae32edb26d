package heapwire.protobuf.native

import heapwire.protobuf.TypeFacts
import spinal.core._

/** A varint as nanopb keeps it in an integer of 1, 2, 4 or 8 bytes. */
case class NativeValue() extends Bundle {
  val bits = Bits(64 bits)
  /** nanopb would say "integer too large", or, of a bool, "varint overflow". */
  val tooLarge = Bool()
}

object NativeValue {
  /** Combinational. Types without a sign and zigzag ones are taken with 64 bits, other signed ones of less than 8 bytes with 32. */
  def apply(value: Bits, facts: TypeFacts, sizeLog2: UInt): NativeValue = {
    val result = NativeValue()
    val v = value.asUInt
    val zigzag = (v |>> 1) ^ U(64 bits, default -> v.lsb)
    val low = v(31 downto 0).asSInt.resize(64).asUInt
    val signed = facts.zigzag ? zigzag | low
    /** Bits that must all be alike, or zero: from the size's last one on. */
    val above = sizeLog2.mux(
      0 -> signed(63 downto 7).resize(64), 1 -> signed(63 downto 15).resize(64), default -> signed(63 downto 31).resize(64)).asBits
    val width = sizeLog2.mux(0 -> U(57, 6 bits), 1 -> U(49, 6 bits), default -> U(33, 6 bits))
    val ones = ((U(1, 64 bits) |<< width) - 1).asBits
    val wide = sizeLog2 === 3
    val unsignedAbove = sizeLog2.mux(
      0 -> v(63 downto 8).orR, 1 -> v(63 downto 16).orR, default -> v(63 downto 32).orR)
    result.bits := value
    result.tooLarge := False
    when(facts.zigzag || facts.isSigned && !wide) { result.bits := signed.asBits }
    when((facts.zigzag || facts.isSigned) && !wide) { result.tooLarge := above =/= 0 && above =/= ones }
    when(facts.isUnsigned && !wide) { result.tooLarge := unsignedAbove }
    when(facts.isBool) {
      result.bits := (value =/= 0).asBits.resize(64)
      result.tooLarge := v(63 downto 32).orR
    }
    result
  }
}
