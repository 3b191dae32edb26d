package heapwire.cereal.deserialize

import heapwire.cereal.ClearedFlags
import heapwire.isa.{CerealFormat, RuntimeRegister}
import heapwire.memory.RegisterWrite
import spinal.core._
import spinal.lib._

/** What RegisterClass tells about a class ([[RuntimeRegister.CerealClassShape]]). */
case class ClassEntry() extends Bundle {
  val klass = Bits(32 bits)
  val shape = Bits(32 bits)
  val references = Bits(32 bits)
  def kind: Bits = shape(31 downto CerealFormat.Registration.KindBit)
}

/** The class id table of Cereal: the registered class for each class id. `entry`, `known` and `beyond` answer one cycle
  * after `id`. It is written through the runtime registers while no command runs. With `typed`, the ids are type ids of
  * Skyway.
  */
case class ClassTable(c: DeserializationUnitParameter, typed: Boolean = false) extends Component {
  val io = new Bundle {
    val registers = slave(Flow(RegisterWrite()))
    val id = in UInt (32 bits)
    val entry = out(ClassEntry())
    val known = out(Bool())
    /** The id exceeds the table's capacity. */
    val beyond = out(Bool())
  }
  val entries = Mem(ClassEntry(), c.classes).addAttribute("ram_style", "block")
  /** For each class, whether it is registered. */
  val known = ClearedFlags(c.classes)

  val write = io.registers.stage()
  private def is(register: RuntimeRegister.Register) = write.valid && write.index === register.index
  private val typeId = BigInt(1) << CerealFormat.Registration.TypeIdBit
  val id =
    RegNextWhen(if (typed) write.value.asUInt ^ typeId else write.value.asUInt, is(RuntimeRegister.CerealClassId)) init
      0
  val entry = ClassEntry()
  entry.klass := RegNextWhen(write.value, is(RuntimeRegister.CerealClassKlass))
  entry.shape := RegNextWhen(write.value, is(RuntimeRegister.CerealClassShape))
  entry.references := write.value
  val commit = is(RuntimeRegister.CerealClassReferences) && id < c.classes
  entries.write(id.resize(c.classWidth), entry, commit)
  /** The flag of the class that is registered or looked up. One port is enough: no command runs during registration. */
  val flag = new Area {
    private val place = write.valid ? id.resize(c.classWidth) | io.id.resize(c.classWidth)
    private val word = place >> log2Up(known.width)
    private val flags = known.read(word)
    private val chosen = UIntToOh(place.resize(log2Up(known.width)), known.width)
    known.write(word, flags | chosen, commit)
    when(is(RuntimeRegister.CerealMode) && write.value(CerealFormat.Registration.ModeForget)) { known.clear() }
    val value = flags(place.resize(log2Up(known.width)))
  }

  io.entry := entries.readSync(io.id.resize(c.classWidth))
  io.known := RegNext(flag.value)
  io.beyond := RegNext(io.id >= c.classes)
}
