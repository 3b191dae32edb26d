package heapwire.protobuf.engine

import heapwire.memory._
import heapwire.protobuf.TypeFacts
import spinal.core._
import spinal.lib._

/** The layout of a list's elements, and the hasbit or reference that identifies the list. */
case class ListShape() extends Bundle {
  val bit = UInt(9 bits)
  val kind = UInt(3 bits)
  val log2Size = UInt(2 bits)
}

/** The microprogram's registers and operands, and the registers beside them that hardware reads or changes at any time.
  */
class EngineRegisters(engine: Engine) extends Area {
  import engine._
  val file = Mem(UInt(32 bits), 32).addAttribute("ram_style", "distributed")
  // Nothing is written in reset, when the instruction is undefined: `allOnes` must keep its value.
  file.initBigInt(Register.all.map(register => if (register == Register.allOnes) (BigInt(1) << 32) - 1 else BigInt(0)))
  /** `computed`: the adder's output. `result`: the same, or the outside word that bypasses the adder. Stores and
    * failures use `computed`.
    */
  val computed, result = UInt(32 bits)
  /** A value for `fixedTop` is rounded down to a multiple of 8. The program adds 7 first, so that it is effectively
    * rounded up.
    */
  private val rounds = field(Micro.Dest).asUInt === Register.fixedTop.index && !command.writing
  file.write(field(Micro.Dest).asUInt, result(31 downto 3) @@ result(2 downto 0).andMask(!rounds),
    go && field(Micro.Keep).lsb && !ClockDomain.current.isResetActive)
  val a = file.readAsync(field(Micro.A).asUInt)
  val b = file.readAsync(field(Micro.B).asUInt)
  val index = field(Micro.Index).asUInt

  val message, element, limit, count = Reg(UInt(32 bits))
  /** The next element; the address of the current field; the address of the part of an object that is read or written.
    */
  val movedElement, place, slotAddress = UInt(32 bits)
  val shape = Reg(ListShape())
  val target = ListShape()
  val keeping = is(Flag.keeping)
  target.bit := keeping ? context.unknownBit | entry.hasbit(8 downto 0)
  target.kind := keeping ? U(TypeFacts.UnknownFields, 3 bits) | facts.list
  target.log2Size := keeping ? U(0, 2 bits) | Mux(fielded(_.open, False), facts.log2Size, step.log2Size)
  val listFull = Same(element, limit)
  /** Whether the open list is the current field's (`same`), is full (`full`), and is the current field's and takes
    * another element (`takes`: it has room and its count can still grow). These are registers: no step comes before
    * they reflect what the program did. They do not yet reflect an element of the cycle before.
    */
  val list = new Area {
    val grew = RegInit(False)
    private val isField = is(Flag.listOpen) && shape.bit === target.bit &&
      !(if (p.fields) is(Flag.elsewhere) else False)
    val same = RegNext(isField)
    val full = RegNext(listFull)
    val takes = RegNext(isField && !listFull && !(native && count(15 downto 0).andR && !context.wide))
  }

  val stack = new Area {
    // Nothing is read in the cycle in which it is written; `StackOrder` ensures that.
    val words = BlockRam(Mem(UInt(32 bits), 1 << (p.levelWidth + 4))).addAttribute("no_rw_check")
    /** The level of the message that has the topmost array, if that is an outer message. */
    val owner = Reg(UInt(p.levelWidth bits))
    private def place(level: UInt, index: UInt) = level @@ index.resize(4)
    // One cycle late. The level of an instruction that enters or leaves a message changes no earlier than that.
    private val pushes = does(Act.push)
    private val put = RegNext(pushes || go && field(Micro.Keep).lsb && field(Micro.Dest).msb) init False
    private val ofOwner = RegNext(pushes && index.msb)
    words.write(place(ofOwner ? owner | depth, RegNext(pushes ? index.resize(4) | field(Micro.Dest).asUInt.resize(4))),
      RegNext(result), put)
    val word = RegNextWhen(words.readSync(place(index.msb ? (depth - 1) | depth, index), go), go)
  }
}
