package heapwire.protobuf.engine

import heapwire.isa.DescriptorLayout
import spinal.core._
import spinal.lib._

/** Offsets of the words behind the header of most managed messages (those whose table has `Usual`). */
object UsualObject {
  val Hasbits: Int = DescriptorLayout.UsualHasbits
  /** The second memo and the list of unknown fields. */
  val Second: Int = Hasbits + 8
}

/** The part of the open message's table header that the hardware keeps. */
class EngineContext(engine: Engine) extends Area {
  import engine._
  val lookup = Reg(LookupContext())
  val native, wide, mapEntry = Reg(Bool())
  val alignLog2 = Reg(UInt(2 bits))
  val requiredMask = Reg(Bits(32 bits))
  val unknownBit = Reg(UInt(9 bits))
  val enumLists = Reg(UInt(16 bits))
  /** Used when messages are written. */
  val fieldCount = Reg(UInt(16 bits))
  /** Where the ordered entries, which follow the hash slots, begin and end, in units of an entry: one cycle and two
    * cycles late.
    */
  val firstEntry = RegNext((((engine.lookup.io.slots >> 4) @@ True) + (lookup.lastSlot @@ True)) >> 1)
  val behindEntries = RegNext(firstEntry + fieldCount)
  val cleared = Reg(UInt(5 bits))
  val hasbitsOffset = Reg(UInt(16 bits))
  /** The type does not keep unknown fields. */
  val noUnknown = Reg(Bool())
  val tooStrict = Reg(Bool())
  /** [[Cond.usualType]]. */
  val usual = Reg(Bool())
  val ready = RegInit(False)
}
