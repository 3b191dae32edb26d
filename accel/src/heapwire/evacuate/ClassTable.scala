package heapwire.evacuate

import heapwire.isa.KlassLayout
import spinal.core._
import spinal.lib._

/** What a klass says of its objects' size and references. */
case class ClassFacts() extends Bundle {
  /** Granules of an instance. */
  val granules = UInt(ClassFacts.GranuleWidth bits)
  val isArray, isObjectArray, metadata = Bool()
  val shift = UInt(2 bits)
  val bitmap = Bits(32 bits)
  /** The klass contradicts itself, or its instances are larger than `granules` can say. */
  val bad = Bool()
}

object ClassFacts {
  val GranuleWidth = 16
}

/** Klasses that were read: 16, each at the place that its address gives. `klass` is a word address and selects what
  * `facts` shows, in the same cycle. `word` takes the words of that klass, one after the other from the first on; with
  * the last one they become an entry.
  */
case class ClassTable() extends Component {
  private val places = 16
  val io = new Bundle {
    val klass = in UInt (30 bits)
    val hit = out(Bool())
    val facts = out(ClassFacts())
    val word = slave(Flow(Bits(32 bits)))
    val done = out(Bool())
    val clear = in(Bool())
  }
  val valid = Reg(Bits(places bits))
  val place = io.klass(6 downto 3) ^ io.klass(10 downto 7)
  val tags = Mem(UInt(30 bits), places)
  val entries = Mem(ClassFacts(), places)
  for (memory <- Seq(tags, entries)) memory.addAttribute("ram_style", "distributed")
  io.hit := valid(place) && tags.readAsync(place) === io.klass
  io.facts := entries.readAsync(place)

  val facts = Reg(ClassFacts())
  val count = Reg(UInt(log2Up(KlassLayout.Size / 4) bits))
  private def is(offset: Int) = count === offset / 4
  private val word = io.word.payload
  io.done := io.word.valid && is(KlassLayout.Flags)
  private val complete = ClassFacts()
  complete := facts
  complete.metadata.removeAssignments() := word(log2Up(KlassLayout.FlagMetadata))
  tags.write(place, io.klass, io.done)
  entries.write(place, complete, io.done)
  when(io.word.valid) {
    count := count + 1
    when(is(KlassLayout.ObjectSize)) {
      facts.granules := word(3, ClassFacts.GranuleWidth bits).asUInt
      facts.isArray := word === 0
      facts.bad := word(2 downto 0) =/= 0 || word(31 downto 3 + ClassFacts.GranuleWidth) =/= 0
    }
    when(is(KlassLayout.Kind)) {
      val kinds = KlassLayout.Kinds.toMap
      val isObjectArray = word === kinds("OBJECT_ARRAY")
      facts.isObjectArray := isObjectArray
      facts.bad setWhen
        (word(31 downto 2) =/= 0 || facts.isArray =/= (isObjectArray || word === kinds("PRIMITIVE_ARRAY")))
    }
    when(is(KlassLayout.ElementShift)) {
      facts.shift := word(1 downto 0).asUInt
      facts.bad setWhen (facts.isArray && (word(31 downto 2) =/= 0 || facts.isObjectArray && word(1 downto 0) =/= 2))
    }
    when(is(KlassLayout.ReferenceBitmap)) { facts.bitmap := word.andMask(!facts.isArray) }
    when(io.done) { valid(place) := True }
  }
  when(io.clear) {
    valid := 0
    count := 0
  }
}
