package heapwire.sequencer

import scala.collection.mutable

/** A field of a microinstruction: `width` bits from bit `low` on. */
case class MicroField(name: String, low: Int, width: Int)

/** The content of a microinstruction. Fields that are not set are 0. */
class MicroInstruction(val fields: mutable.Map[MicroField, BigInt] = mutable.Map.empty,
    var target: Option[String] = None) {
  def apply(field: MicroField): BigInt = fields.getOrElse(field, BigInt(0))

  /** Sets a field. Setting a field twice is an error. */
  def update(field: MicroField, value: BigInt): Unit = {
    require(value >= 0 && value.bitLength <= field.width, s"${field.name} has ${field.width} bits, $value does not fit")
    require(!fields.contains(field), s"${field.name} is said twice")
    fields(field) = value
  }
}

/** Collects microinstructions in order, with labels. Every label is in a part of the program, which is named. */
class Assembler {
  private val instructions = mutable.ArrayBuffer.empty[MicroInstruction]
  private val names = mutable.LinkedHashMap.empty[String, (Int, String)]
  private var part = ""

  def emit(instruction: MicroInstruction): MicroInstruction = {
    instructions += instruction
    instruction
  }

  /** Begins a part of the program: the labels that follow are in it. */
  def begin(name: String): Unit = part = name

  /** Labels the next instruction. */
  def label(name: String): Unit = {
    require(!names.contains(name), s"label $name is there twice")
    names(name) = (instructions.size, part)
  }

  def size: Int = instructions.size
  def all: IndexedSeq[MicroInstruction] = instructions.toIndexedSeq

  /** Returns the labels in their order: name, number of the instruction, part. */
  def labels: Seq[(String, Int, String)] = names.toSeq.map { case (name, (at, part)) => (name, at, part) }
}

/** A label of an assembled program. */
case class Label(name: String, address: Int, part: String)

/** An assembled program: its instructions by address.
  *
  * @param target the field that takes the addresses of branch targets
  * @param end    the address behind the last instruction that is used
  */
class Image(val all: IndexedSeq[MicroInstruction], labels: Seq[Label], target: MicroField, val end: Int) {
  /** The labels in the order of their addresses. */
  val listing: Seq[Label] = labels.sortBy(_.address)
  /** The listing as a text, a line for each label: its address, its part and its name, with tabs between them. */
  def text: String = listing.map(label => s"${label.address}\t${label.part}\t${label.name}\n").mkString
  private val addresses = labels.map(label => label.name -> label.address).toMap

  /** Returns the address of a label. */
  def address(name: String): Int =
    addresses.getOrElse(name, throw new IllegalArgumentException(s"there is no label $name"))

  val words: IndexedSeq[BigInt] = all.map { instruction =>
    val fields = instruction.fields ++ instruction.target.map(name => target -> BigInt(address(name)))
    fields.map { case (field, value) => value << field.low }.foldLeft(BigInt(0))(_ | _)
  }
}
