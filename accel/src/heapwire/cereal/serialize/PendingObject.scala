package heapwire.cereal.serialize

import heapwire.cereal.road.PathWord
import heapwire.isa.CerealFormat
import heapwire.memory.MemoryParameter
import spinal.core._

/** What is known of a class. */
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

/** What the objects of a stream may count. */
object Image {
  val AddressWidth = CerealFormat.GraphBits
  /** Slots of an object. */
  val SlotWidth: Int = AddressWidth - log2Up(CerealFormat.Slot)
}

/** The first 32 bytes of an object, which one read brings: all of its header, metadata, and the first fields. */
object Window {
  val Slots = 8
  val Bytes = 32
  /** With words of 16 bytes, an object that starts in the middle of one brings 8 bytes less. */
  def ShortSlots = 6
  /** Path words in it. */
  def words(m: MemoryParameter): Int = Bytes / PathWord.bytes(m)
  /** Slots of a path word. */
  def lanes(m: MemoryParameter): Int = PathWord.bytes(m) / 4
  def canBeShort(m: MemoryParameter): Boolean = PathWord.bytes(m) == 16
}

/** An object that has been numbered, and is to be written when its turn comes. */
case class PendingObject() extends Bundle {
  val address = UInt(32 bits)
  val shape = ClassShape()
  /** Of the whole object, 4 at least. */
  val slots = UInt(Image.SlotWidth bits)
  /** Bytes of an array's last two slots that no element fills. */
  val pad = UInt(3 bits)
  /** The first slots, of which the last two are missing if `short`. */
  val window = Vec.fill(Window.Slots)(Bits(32 bits))
  val short = Bool()
}
