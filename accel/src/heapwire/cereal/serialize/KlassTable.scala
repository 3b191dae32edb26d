package heapwire.cereal.serialize

import heapwire.cereal.ClearedFlags
import heapwire.isa.{CerealFormat, RuntimeRegister}
import heapwire.memory.{BlockRam, RegisterWrite}
import spinal.core._
import spinal.lib._

/** The klass pointer table of Cereal (ISCA 2020, section V.B): maps klass words to registered classes. It contains
  * everything that the unit needs to know of a class, so no metadata are fetched from memory (the paper's object
  * metadata manager reads them for each object).
  *
  * The paper's CAM is implemented as a two-way table in block RAM. It is written through the runtime registers
  * `CerealClass...`, the last of which commits, and emptied by `CerealMode`. A class is dropped if both places of its
  * set are taken, or if its shape is one that no object can have: software then serializes graphs with such objects.
  * With `skyway`, the table also has classes for Skyway. A class that both formats know takes two places, in different
  * sets; `typed` selects the format of a look-up.
  *
  * `found` and `shape` answer the `lookup` of the previous cycle and are stable until the next one. A commit occupies
  * the table for two cycles.
  */
case class KlassTable(classes: Int, skyway: Boolean = false) extends Component {
  private val ways = 2
  private val sets = classes / ways
  private val setWidth = log2Up(sets)
  val io = new Bundle {
    val registers = slave(Flow(RegisterWrite()))
    val lookup = slave(Stream(Bits(32 bits)))
    val typed = skyway generate in(Bool())
    val found = out(Bool())
    val shape = out(ClassShape())
  }
  case class Row() extends Bundle {
    val klass = Bits(32 bits)
    val typed = skyway generate Bool()
    val shape = ClassShape()
  }
  val rows = Seq.fill(ways)(BlockRam(Mem(Row(), sets)))
  /** For each set, which of its places are taken: first the bits of the first way, for each set of the word. */
  val taken = ClearedFlags(classes)
  private val lowWidth = log2Up(taken.width / ways)
  private def setOf(klass: Bits): UInt =
    klass(31 downto 2).subdivideIn(setWidth bits, strict = false).map(_.resize(setWidth)).reduce(_ ^ _).asUInt

  private def written(register: RuntimeRegister.Register) = io.registers.valid && io.registers.index === register.index
  private def latest(register: RuntimeRegister.Register) = RegNextWhen(io.registers.value, written(register))
  val registering = new Area {
    val id = latest(RuntimeRegister.CerealClassId)
    val klass = latest(RuntimeRegister.CerealClassKlass)
    val shape = latest(RuntimeRegister.CerealClassShape)
    val row = Reg(Row())
    val kind = shape(31 downto CerealFormat.Registration.KindBit)
    val size = shape(CerealFormat.Registration.KindBit - 1 downto 0).asUInt
    val instance = kind === CerealFormat.Kind.Instance
    val typed = id(CerealFormat.Registration.TypeIdBit)
    val sound = (if (skyway) id(CerealFormat.Registration.TypeIdBit - 1 downto 16) === 0 else (id >> 16) === 0) &&
      kind =/= CerealFormat.Kind.Elsewhere &&
      (!instance || (size >> 16) ===
        0 && size(2 downto 0) === 0 && size >= CerealFormat.InstanceHeader * CerealFormat.Slot)
    val look, choose = RegInit(False)
    look := False
    choose := look
    when(written(RuntimeRegister.CerealClassReferences) && sound) {
      look := True
      row.klass := klass
      if (skyway) row.typed := typed
      row.shape.id := id.asUInt.resized
      row.shape.isArray := !instance
      row.shape.isReferences := kind === CerealFormat.Kind.References
      row.shape.shift := shape(1 downto 0).asUInt
      row.shape.size := (size >> 3).resized
      row.shape.references := instance ? io.registers.value | B(0, 32 bits)
    }
  }
  io.lookup.ready := !registering.look && !registering.choose
  val asked = registering.look ? registering.row.klass | io.lookup.payload
  val typed = if (skyway) registering.look ? registering.row.typed | io.typed else False
  val set = setOf(asked) ^ (typed.asUInt << (setWidth - 1)).resize(setWidth)
  val enable = io.lookup.fire || registering.look
  val read = rows.map(_.readSync(set, enable))
  val klass = RegNextWhen(asked, enable)
  val isTyped = RegNextWhen(typed, enable)
  private val flags = taken.read(set >> lowWidth)
  val used = flags.subdivideIn(ways slices).map(way => RegNextWhen(way(set.resize(lowWidth)), enable))
  val hits =
    for (way <- 0 until ways) yield used(way) && read(way).klass === klass &&
      (if (skyway) read(way).typed === isTyped else True)
  io.found := hits.orR
  io.shape := hits(0) ? read(0).shape | read(1).shape

  val place = new Area {
    val set = RegNextWhen(KlassTable.this.set, registering.look)
    private val before = RegNextWhen(flags, registering.look)
    val first = hits(0) || !hits(1) && !used(0)
    val second = !first && (hits(1) || !used(1))
    for ((row, take) <- rows.zip(Seq(first, second)))
      row.write(set, registering.row, registering.choose && take)
    private val chosen = UIntToOh(set.resize(lowWidth), taken.width / ways)
    taken.write(set >> lowWidth, before | Cat(Seq(first, second).map(chosen.andMask(_))), registering.choose)
  }
  when(written(RuntimeRegister.CerealMode) && io.registers.value(CerealFormat.Registration.ModeForget)) {
    taken.clear()
    // `before` is out of date.
    registering.look := False
    registering.choose := False
  }
}
