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
  private val labels = mutable.LinkedHashMap.empty[String, Int]
  private val parts = mutable.ArrayBuffer.empty[String]
  private var part = ""

  def emit(instruction: MicroInstruction): MicroInstruction = {
    instructions += instruction
    instruction
  }

  /** Begins a part of the program: the labels that follow are in it. */
  def begin(name: String): Unit = part = name

  /** Labels the next instruction. */
  def label(name: String): Unit = {
    require(!labels.contains(name), s"label $name is there twice")
    labels(name) = instructions.size
    parts += part
  }

  def size: Int = instructions.size
  def all: Seq[MicroInstruction] = instructions.toSeq

  /** Returns the labels in the order of their addresses. */
  def listing: Seq[(String, Int)] = labels.toSeq
  /** Returns the listing as a text, a line for each label: its address, its part and its name, with tabs between them.
    */
  def text: String = (for (((name, address), part) <- listing zip parts) yield s"$address\t$part\t$name\n").mkString

  /** Returns the address of a label. */
  def address(name: String): Int =
    labels.getOrElse(name, throw new IllegalArgumentException(s"there is no label $name"))

  /** Returns the program's words. `target` is the field that takes the addresses of branch targets. */
  def words(target: MicroField): Seq[BigInt] = instructions.toSeq.map { instruction =>
    instruction.target.foreach(name => instruction(target) = address(name))
    instruction.fields.map { case (field, value) => value << field.low }.foldLeft(BigInt(0))(_ | _)
  }
}
