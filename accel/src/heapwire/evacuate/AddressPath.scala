package heapwire.evacuate

import spinal.core._
import spinal.lib._

/** The places of [[AddressPath]]'s file. The first four are in the order in which a command's arguments come. */
object Place extends SpinalEnum(binarySequential) {
  val List, Old, Top, Left, Source, Slot, Moved = newElement()
}

/** What the adder adds to. */
object Operand extends SpinalEnum(binarySequential) {
  val Place, Low, High, Other = newElement()
}

/** All addresses of a command, with one adder for all that is computed of them. Addresses are those of 4-byte words;
  * sums are of granules (8 bytes).
  *
  * `sum` is the granule of the operand, plus `granules`, plus 1 if `next`. With `keep`, it goes to the place `written`,
  * with the operand's lowest bit. The operand is what the file holds at `read`, which is `cursor` if nothing else is
  * said, or one half of a granule of memory, or `other`.
  */
class AddressPath(low: UInt, high: UInt, other: UInt, cursor: Place.C) extends Area {
  val read, written = Place()
  read := cursor
  written := Place.Source
  val operand = Operand()
  operand := Operand.Place
  val keep, next = False

  val file = Mem(UInt(30 bits), 8)
  file.addAttribute("ram_style", "distributed")
  val here = file.readAsync(read.asBits.asUInt)
  val word = operand.mux(Operand.Place -> here, Operand.Low -> low, Operand.High -> high, Operand.Other -> other)
  val granule = word >> 1

  val granules = Reg(UInt(29 bits))
  val sum = (granule +^ granules) + next.asUInt
  file.write(written.asBits.asUInt, sum(28 downto 0) @@ word(0), keep)

  /** The sum of the cycle before. */
  val made = RegNext(sum)
  /** Whether that is at or above a bound; with `strictly`, whether it is above. */
  def reaches(bound: UInt, strictly: Bool): Bool = ((U"00" @@ bound @@ strictly.asUInt) - (U"0" @@ made @@ U"1")).msb
  /** Whether the sum is a value: a tree, which is shallower than what synthesis makes to save LUTs. */
  def is(value: UInt): Bool = {
    val parts = sum(28 downto 0).subdivideIn(8 bits, strict = false).zip(value.subdivideIn(8 bits, strict = false))
    parts.map { case (a, b) => (a === b).addAttribute("keep") }.toSeq.andR
  }
}
