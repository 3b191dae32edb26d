package heapwire.cereal.serialize

import heapwire.cereal.road.PathWord
import heapwire.isa.CerealFormat
import heapwire.memory.MemoryParameter
import spinal.core._

/** What the unit knows of a class. */
case class ClassShape() extends Bundle {
  val id = UInt(16 bits)
  val isArray, isReferences = Bool()
  /** log2 of an array's element size. */
  val shift = UInt(2 bits)
  /** An instance's size in units of 8 bytes. */
  val size = UInt(13 bits)
  /** Bit i: slot 4 + i of an instance is a reference. */
  val references = Bits(32 bits)
}

/** Bit widths of counts in a stream's image. */
object Image {
  val AddressWidth = CerealFormat.GraphBits
  /** Number of slots of an object. */
  val SlotWidth: Int = AddressWidth - log2Up(CerealFormat.Slot)
}

/** The first 32 bytes of an object, which one read returns: its whole header, its metadata, and its first fields. */
object Window {
  val Slots = 8
  val Bytes = 32
  /** With words of 16 bytes, a window that starts in the middle of a word has 8 bytes less. */
  def ShortSlots = 6
  /** Returns the number of path words in a window. */
  def words(m: MemoryParameter): Int = Bytes / PathWord.bytes(m)
  /** Returns the number of slots in a path word. */
  def lanes(m: MemoryParameter): Int = PathWord.bytes(m) / 4
  def canBeShort(m: MemoryParameter): Boolean = PathWord.bytes(m) == 16
}

/** An object that has been numbered, and that is written when its turn comes. */
case class PendingObject() extends Bundle {
  val address = UInt(32 bits)
  val shape = ClassShape()
  /** Slots of the whole object, at least 4. */
  val slots = UInt(Image.SlotWidth bits)
  /** Number of bytes in an array's last two slots that no element fills. */
  val pad = UInt(3 bits)
  /** The first slots; the last two are missing if `short`. */
  val window = Vec.fill(Window.Slots)(Bits(32 bits))
  val short = Bool()
}
