package heapwire.protobuf.engine

import heapwire.memory._
import heapwire.protobuf.TypeFacts
import spinal.core._
import spinal.lib._

/** How the elements of a list lie, and which hasbit or reference is its own. */
case class ListShape() extends Bundle {
  val bit = UInt(9 bits)
  val kind = UInt(3 bits)
  val log2Size = UInt(2 bits)
}

/** Registers and operands, and the registers beside them that hardware reads or changes at any time. */
class EngineRegisters(engine: Engine) extends Area {
  import engine._
  val file = Mem(UInt(32 bits), 32).addAttribute("ram_style", "distributed")
  // Nothing is written in reset, when the instruction may be anything: `allOnes` has to stay as it is.
  file.initBigInt(Register.all.map(register => if (register == Register.allOnes) (BigInt(1) << 32) - 1 else BigInt(0)))
  /** What the adder makes; the same, or the outside word that passes by it. Stores and failures take the former. */
  val computed, result = UInt(32 bits)
  /** Where the next object goes is a multiple of 8: of a result the next one is taken that is not less if it has had 7 added. */
  private val rounds = field(Micro.Dest).asUInt === Register.fixedTop.index && !command.writing
  file.write(field(Micro.Dest).asUInt, result(31 downto 3) @@ result(2 downto 0).andMask(!rounds), go && field(Micro.Keep).lsb && !ClockDomain.current.isResetActive)
  val a = file.readAsync(field(Micro.A).asUInt)
  val b = file.readAsync(field(Micro.B).asUInt)
  val index = field(Micro.Index).asUInt

  val message, element, limit, count = Reg(UInt(32 bits))
  /** The next element; where the field at hand lies; where what is read or written of an object lies. */
  val movedElement, place, slotAddress = UInt(32 bits)
  val shape = Reg(ListShape())
  val target = ListShape()
  val keeping = is(Flag.keeping)
  target.bit := keeping ? context.unknownBit | entry.hasbit(8 downto 0)
  target.kind := keeping ? U(TypeFacts.UnknownFields, 3 bits) | facts.list
  target.log2Size := keeping ? U(0, 2 bits) | Mux(fielded(_.open, False), facts.log2Size, step.log2Size)
  val listFull = Same(element, limit)
  /** Of the open list, for the field at hand, in registers: no step comes before they follow what the program did. It is the field's; it
    * has no room; it is the field's and has room, and its count can say one more. They do not know yet of an element that came in the cycle before.
    */
  val list = new Area {
    val grew = RegInit(False)
    private val isField = is(Flag.listOpen) && shape.bit === target.bit && !(if (p.fields) is(Flag.elsewhere) else False)
    val same = RegNext(isField)
    val full = RegNext(listFull)
    val takes = RegNext(isField && !listFull && !(native && count(15 downto 0).andR && !context.wide))
  }

  val stack = new Area {
    // Nothing is read in the cycle in which it is written: `StackOrder` sees to it.
    val words = BlockRam(Mem(UInt(32 bits), 1 << (p.levelWidth + 4))).addAttribute("no_rw_check")
    /** Of the message that has the topmost array, if that is an outer one. */
    val owner = Reg(UInt(p.levelWidth bits))
    private def place(level: UInt, index: UInt) = level @@ index.resize(4)
    // A cycle later, which is no sooner than the level of an instruction that enters or leaves one.
    private val pushes = does(Act.push)
    private val put = RegNext(pushes || go && field(Micro.Keep).lsb && field(Micro.Dest).msb) init False
    private val ofOwner = RegNext(pushes && index.msb)
    words.write(place(ofOwner ? owner | depth, RegNext(pushes ? index.resize(4) | field(Micro.Dest).asUInt.resize(4))), RegNext(result), put)
    val word = RegNextWhen(words.readSync(place(index.msb ? (depth - 1) | depth, index), go), go)
  }
}
