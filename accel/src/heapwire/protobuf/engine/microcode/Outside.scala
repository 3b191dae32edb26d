package heapwire.protobuf.engine.microcode

/** A word from outside the register file: optionally a part of it, or one of several by index. */
case class Outside(name: String, code: Int, part: Int = Part.Whole, index: Option[Int] = None) {
  def low: Outside = copy(part = Part.Low)
  def high: Outside = copy(part = Part.High)
  def signedLow: Outside = copy(part = Part.SignedLow)
  def apply(i: Int): Outside = copy(index = Some(i))
}

/** Words that the program reads and that are not in registers. */
object Outside extends Numbered[Outside](32) {
  private def next(name: String): Outside = next((code: Int) => new Outside(name, code))
  /** By index: an argument of the command. */
  val argument = next("argument")
  /** The word that was requested from the stack two instructions before. */
  val stacked = next("stacked")
  /** By index: a word of the granule that the cache returned. `asked`: the requested word. */
  val cached = next("cached")
  val asked = next("asked")
  /** By index: a runtime register. */
  val runtime = next("runtime")
  /** The position of the window. */
  val windowAt = next("windowAt")
  /** The klass words of the open list and of its array. */
  val listKlass = next("listKlass")
  val arrayKlass = next("arrayKlass")
  /** Of the current field: its value, the words of its entry, its number, its input offset, and where the bytes that
    * its length spans end.
    */
  val value = next("value")
  val entry1 = next("entry1")
  val entry2 = next("entry2")
  val entry3 = next("entry3")
  val number = next("number")
  val position = next("position")
  val runEnd = next("runEnd")
  /** Of the open list: the next element's address, where the array ends, the number of elements. */
  val element = next("element")
  val limit = next("limit")
  val count = next("count")
  /** Shape of the open list and flags of the open message. */
  val state = next("state")
  /** The current word of hasbits. */
  val hasbits = next("hasbits")
  /** Bytes of four elements of the open list. */
  val slack = next("slack")
  /** C structs: bytes of an element of the current field. Managed objects: the number of elements of the current packed
    * field, whose type has a fixed width.
    */
  val elementBytes = next("elementBytes")
  val runCount = elementBytes
  /** The alignment of the open struct, minus one. */
  val alignMask = next("alignMask")
  /** Of the table whose header was requested: the number of bytes of a new object that are cleared, at least; the
    * offset of its hasbits. `enumLists`: distance of the enum lists.
    */
  val header = next("header")
  val cleared = header.low
  val hasbitsOffset = header.high
  val enumLists = next("enumLists")
  /** 0xffff; its parts make two constants. */
  val constant = next("constant")
  val zero = constant.high
  val minusOne = constant.signedLow
  /** Where the arenas begin. */
  val fixedBase = next("fixedBase")
  val flexibleBase = next("flexibleBase")
  // ---- when messages are written: the position of the output; the address of the current ordered entry; where the
  // ordered entries of the current header's table begin and end
  val cursor = next("cursor")
  val entryAt = next("entryAt")
  val firstEntry = next("firstEntry")
  val behindEntries = next("behindEntries")
  /** The words that are runtime registers. */
  val ofRuntime: Seq[Outside] = Seq(runtime, listKlass, arrayKlass)
}
