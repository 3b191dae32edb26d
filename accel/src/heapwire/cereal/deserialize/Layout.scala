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
  /** The mark of a fresh object, where the stream's headers are stripped. */
  val Prototype = 3
}

/** Widths that blocks of this unit share. */
object Width {
  /** Slots or words of an image, objects in it, items in a section. */
  val Slots = CerealFormat.GraphBits - 2
  /** Granules of 8 bytes of an image. */
  val Granules = CerealFormat.GraphBits - 3
  /** A stream's bytes, 16 at a time. */
  val Offset = 28
  val BlockSlots = 16
}

/** The slots that one bucket tells of: those of the header before the first, and up to eight behind. */
case class Expansion() extends Bundle {
  val codes = Vec.fill(Expansion.Most)(SlotCode())
  val count = UInt(4 bits)
  /** The stream's last. */
  val last = Bool()
}

object Expansion {
  val Most: Int = CerealFormat.ArrayHeader + CerealFormat.BucketBits - 1
}

/** How many values one bucket tells of, those of the header included. */
case class ValueRun() extends Bundle {
  val start = Bool()
  val array = Bool()
  val count = UInt(4 bits)
}

/** What an item says of its object, to be held against the object's class. */
case class ObjectShape() extends Bundle {
  val array = Bool()
  /** Behind the header. */
  val slots = UInt(Width.Slots bits)
  /** Bit i: slot i behind the header is a reference; `beyond`: one behind those is. */
  val references = Bits(32 bits)
  val beyond = Bool()
  /** Some slot is a reference; some slot but the last is a value; the last one is a reference. */
  val anyReference, valueBefore, lastReference = Bool()
  val offset = UInt(Width.Offset bits)
}

/** A block of the image, its slots not filled yet. */
case class BlockLayout() extends Bundle {
  val codes = Vec.fill(Width.BlockSlots)(SlotCode())
}

/** The image, as every part of the unit needs to know it; holds while a command runs. */
case class ImageShape(p: MemoryParameter) extends Bundle {
  val base = UInt(p.addressWidth bits)
  val bytes = UInt(CerealFormat.GraphBits bits)
  val objects = UInt(32 bits)
  val strip = Bool()
}
