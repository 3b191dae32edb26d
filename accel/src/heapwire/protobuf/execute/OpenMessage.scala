package heapwire.protobuf.execute

import heapwire.isa._
import heapwire.memory.MemoryParameter
import heapwire.protobuf._
import spinal.core._
import spinal.lib._

/** Which offset a fault is reported with: that of the field or message at hand, of the unknown fields that were to be kept, of the
  * bytes that are read, of the string that is copied.
  */
object FaultAt extends SpinalEnum {
  val Position, Unknown, Input, Text = newElement()
}

/** The open list of a message: a repeated field that elements are appended to. */
case class ListShape() extends Bundle {
  /** The field's bit index names the list. */
  val bit = UInt(9 bits)
  val kind = UInt(3 bits)
  val log2Size = UInt(2 bits)
}

/** What is put aside of a message while another one in it is open. */
case class Frame() extends Bundle {
  val table = TableContext()
  /** It ends where the input ends. */
  val toInputEnd = Bool()
  val shape = ListShape()
  val marked = Bits(DescriptorLayout.MaxHasbitsWords bits)
  val flags = Bits(Frame.Flags.size bits)
  val registers = Vec.fill(Frame.Registers.size)(UInt(32 bits))
}

object Frame {
  val Flags: Seq[Flag] = Seq(Flag.unknownValid, Flag.listOpen, Flag.onTop, Flag.moved, Flag.group, Flag.fresh, Flag.elementOpen)
  val Registers: Seq[Operand] = Seq(Operand.message, Operand.remaining, Operand.unknownStart, Operand.unknownEnd, Operand.listAt, Operand.array,
    Operand.element, Operand.limit, Operand.count)
}

/** Frames by level. `top` is the frame below `level`, valid two cycles after a push and one after a change of `level`. */
case class MessageStack(p: ProtobufParameter) extends Component {
  val io = new Bundle {
    val level = in UInt(p.levelWidth bits)
    val push = in Bool()
    val frame = in(Frame())
    val top = out(Frame())
  }
  val frames = Mem(Frame(), p.maxDepth + 1)
  frames.write(io.level, io.frame, io.push)
  io.top := frames.readSync(io.level - 1)
}

/** What an executor knows of its command and of the open message: registers, flags, the stack of the messages around it.
  * What is one of [[Operand]]'s states, or of [[Flag]]'s, is written by the microprogram; what changes them besides is said here.
  */
abstract class OpenMessage(p: ProtobufParameter, m: MemoryParameter) extends Component {
  val io = ExecutorPort(p, m)
  val step = io.step

  // ---- the command ---------------------------------------------------------------
  val idle = RegInit(True)
  val tag = Reg(UInt(p.tagWidth bits))
  val operation = Reg(Bits(7 bits))
  val arguments = Vec.fill(Instruction.ArgumentWords)(Reg(UInt(32 bits)))
  protected def argument(name: String): UInt = arguments(Operation.ProtobufDeserialize.arguments.indexOf(name))
  val results = Vec.fill(Instruction.ResultWords)(Reg(Bits(32 bits)))
  val status = Reg(Bits(Status.Width bits))
  val faultAt = Reg(FaultAt())
  val begins = io.port.command.fire
  val runtime = RuntimeWords(io.port.registers)

  // ---- registers that the microprogram names --------------------------------------
  val result = UInt(32 bits)
  val destination = Bits(32 bits)
  private val registers = Operand.States.map(operand => if (operand == Operand.nowhere) U(0, 32 bits) else Reg(UInt(32 bits)))
  def apply(operand: Operand): UInt = registers(Operand.States.indexOf(operand))
  for ((operand, register) <- Operand.States.zip(registers) if operand != Operand.nowhere)
    when(destination(operand.dest)) { register := result }
  val flags = Vec(Flag.all.map(_ => RegInit(False)))
  def apply(flag: Flag): Bool = flags(flag.index)

  // ---- the open message --------------------------------------------------------------
  val table = Reg(TableContext())
  val depthLevel, groups, depthLimit = Reg(UInt(p.levelWidth bits))
  val depth = depthLevel +^ groups
  val depthFull = depth >= depthLimit.resize(p.levelWidth + 1)
  val shape, outerShape = Reg(ListShape())
  /** Of the string that is copied. */
  val textPosition = Reg(UInt(32 bits))

  val hasbits = Hasbits(p)
  hasbits.io.level := depthLevel
  hasbits.io.clear := begins
  val groupNumbers = Mem(UInt(29 bits), p.maxDepth + 1)
  val wrongGroup = groupNumbers.readAsync((depth - 1).resize(p.levelWidth), writeFirst) =/= step.number

  // ---- messages in messages ------------------------------------------------------------
  val push, pop = Bool()
  val stack = MessageStack(p)
  stack.io.level := depthLevel
  stack.io.push := push
  stack.io.frame.table := table
  stack.io.frame.toInputEnd := step.toInputEnd
  stack.io.frame.shape := shape
  stack.io.frame.marked := hasbits.io.marked
  stack.io.frame.flags := Cat(Frame.Flags.map(this(_)))
  for ((saved, operand) <- stack.io.frame.registers.zip(Frame.Registers)) saved := this(operand)
  hasbits.io.push := push
  hasbits.io.pop.valid := pop
  hasbits.io.pop.payload := stack.io.top.marked
  /** Flags of the message that begins. */
  private def fresh(): Unit = for (flag <- Frame.Flags if flag != Flag.group) this(flag) := False
  when(push) {
    depthLevel := depthLevel + 1
    fresh()
    this(Flag.group) := this(Flag.entersGroup)
  }
  when(pop) {
    depthLevel := depthLevel - 1
    val frame = stack.io.top
    table := frame.table
    shape := frame.shape
    for ((flag, i) <- Frame.Flags.zipWithIndex) this(flag) := frame.flags(i)
    for ((saved, operand) <- frame.registers.zip(Frame.Registers)) this(operand) := saved
  }
  when(begins) {
    tag := io.port.command.tag
    operation := io.port.command.operation
    for ((to, from) <- arguments.zip(io.port.command.arguments)) to := from.asUInt
    val asked = io.port.command.arguments(Operation.ProtobufDeserialize.arguments.indexOf("max_depth")).asUInt
    depthLimit := (asked === 0 || asked > p.maxDepth) ? U(p.maxDepth, p.levelWidth bits) | asked.resize(p.levelWidth)
    idle := False
    status := Status.Ok.code
    faultAt := FaultAt.Position
    depthLevel := 0
    groups := 0
    this(Operand.position) := 0
    for (flag <- flags) flag := False
  }
}
