package heapwire.cereal.deserialize

import heapwire.isa.CerealFormat
import heapwire.memory.MemoryParameter
import spinal.core._

/** What a slot of the image is filled with. */
object SlotCode {
  def apply(): Bits = Bits(2 bits)
  val Zero = 0
  val Value = 1
  val Reference = 2
  /** The mark word of a new object, for streams whose headers are stripped. */
  val Prototype = 3
}

/** Bit widths that several parts of this unit share. */
object Width {
  /** Counts of an image's slots or words, of its objects, and of a section's items. */
  val Slots = CerealFormat.GraphBits - 2
  /** Counts of an image's granules of 8 bytes. */
  val Granules = CerealFormat.GraphBits - 3
  /** Offsets in a stream, in units of 16 bytes. */
  val Offset = 28
  val BlockSlots = 16
}

/** The slots that one bucket describes: those of the header, if it is the item's first bucket, and up to eight more. */
case class Expansion() extends Bundle {
  val codes = Vec.fill(Expansion.Most)(SlotCode())
  val count = UInt(4 bits)
  /** The last slots of the stream. */
  val last = Bool()
}

object Expansion {
  val Most: Int = CerealFormat.ArrayHeader + CerealFormat.BucketBits - 1
}

/** The number of values that one bucket describes, those of the header included. */
case class ValueRun() extends Bundle {
  val start = Bool()
  val array = Bool()
  val count = UInt(4 bits)
}

/** What an item says about its object, for the comparison with the object's class. */
case class ObjectShape() extends Bundle {
  val array = Bool()
  /** Number of slots behind the header. */
  val slots = UInt(Width.Slots bits)
  /** Bit i: slot i behind the header is a reference. `beyond`: a slot behind those 32 is a reference. */
  val references = Bits(32 bits)
  val beyond = Bool()
  /** Some slot is a reference; some slot before the last one is a value; the last slot is a reference. */
  val anyReference, valueBefore, lastReference = Bool()
  val offset = UInt(Width.Offset bits)
}

/** The layout of a block of the image, whose slots are still to be filled. */
case class BlockLayout() extends Bundle {
  val codes = Vec.fill(Width.BlockSlots)(SlotCode())
}

/** The parameters of the image that all parts of the unit use; stable while a command runs. */
case class ImageShape(p: MemoryParameter) extends Bundle {
  val base = UInt(p.addressWidth bits)
  val bytes = UInt(CerealFormat.GraphBits bits)
  val objects = UInt(32 bits)
  val strip = Bool()
}
