package heapwire.evacuate

import heapwire.isa.KlassLayout
import spinal.core._
import spinal.lib._

/** What a klass says of its objects' size and references. */
case class ClassFacts() extends Bundle {
  /** Granules of an instance. Of an array the low bits are what follows. */
  val granules = UInt(ClassFacts.GranuleWidth bits)
  val isArray = Bool()
  /** Of an instance; undefined for arrays. */
  val bitmap = Bits(32 bits)
  def ofReferences: Bool = granules(0)
  def metadata: Bool = granules(1)
  def shift: UInt = granules(3 downto 2)
}

object ClassFacts {
  val GranuleWidth = 16
}

/** Klasses that were read: 16, each at the place that its address gives. `klass` is a word address and selects what
  * `facts` shows, in the same cycle. `word` takes the words of the klass `loaded`, one after the other from the first
  * on; with the last one, `done`, they become an entry. `bad` comes with it instead, if the klass contradicts itself,
  * or its instances are larger than `granules` can say.
  */
case class ClassTable() extends Component {
  private val places = 16
  val io = new Bundle {
    val klass = in UInt (30 bits)
    val hit = out(Bool())
    val facts = out(ClassFacts())
    val loaded = in UInt (30 bits)
    val word = slave(Flow(Bits(32 bits)))
    val done, bad = out(Bool())
    val clear = in(Bool())
  }
  // With the tag, which lacks the low bits, the place tells the address.
  private def place(klass: UInt) = klass(6 downto 3) ^ klass(10 downto 7)
  private def tag(klass: UInt) = klass(29 downto 7) @@ klass(2 downto 0)
  val valid = Reg(Bits(places bits))
  val tags = Mem(UInt(26 bits), places)
  val entries = Mem(ClassFacts(), places)
  for (memory <- Seq(tags, entries)) memory.addAttribute("ram_style", "distributed")
  private val at = place(io.klass)
  io.hit := valid(at) && tags.readAsync(at) === tag(io.klass)
  io.facts := entries.readAsync(at)

  val facts = Reg(ClassFacts())
  val bad = Reg(Bool())
  val count = Reg(UInt(log2Up(KlassLayout.Size / 4) bits))
  private def is(offset: Int) = count === offset / 4
  private val word = io.word.payload
  private val complete = ClassFacts()
  complete := facts
  when(facts.isArray) { complete.metadata := word(log2Up(KlassLayout.FlagMetadata)) }
  private val last = io.word.valid && is(KlassLayout.Flags)
  io.done := last && !bad
  io.bad := last && bad
  tags.write(place(io.loaded), tag(io.loaded), io.done)
  entries.write(place(io.loaded), complete, io.done)
  when(io.word.valid) {
    count := count + 1
    val large = word(31 downto 2) =/= 0
    when(is(KlassLayout.ObjectSize)) {
      facts.granules := word(3, ClassFacts.GranuleWidth bits).asUInt
      facts.isArray := !large && word(1 downto 0) === 0
      bad := word(2 downto 0) =/= 0 || word(31 downto 3 + ClassFacts.GranuleWidth) =/= 0
    }
    when(is(KlassLayout.Kind)) {
      val kinds = KlassLayout.Kinds.toMap
      val ofReferences = word(1 downto 0) === kinds("OBJECT_ARRAY")
      bad setWhen (large || facts.isArray =/= (ofReferences || word(1 downto 0) === kinds("PRIMITIVE_ARRAY")))
      when(facts.isArray) { facts.ofReferences := ofReferences }
    }
    when(is(KlassLayout.ElementShift) && facts.isArray) {
      bad setWhen (large || facts.ofReferences && word(1 downto 0) =/= 2)
      facts.shift := word(1 downto 0).asUInt
    }
    when(is(KlassLayout.ReferenceBitmap)) { facts.bitmap := word }
    when(io.done) { valid(place(io.loaded)) := True }
  }
  when(io.clear) {
    valid := 0
    count := 0
  }
}
