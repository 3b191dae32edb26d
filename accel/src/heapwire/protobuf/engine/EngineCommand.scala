package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** The current command: the part of it that is kept outside of the program. */
class EngineCommand(engine: Engine) extends Area {
  import engine._
  val idle = RegInit(True)
  /** The command was taken from the port. */
  val taken = RegInit(False)
  val tag = Reg(UInt(p.tagWidth bits))
  /** A command begins, or a field instruction that finds no open sequence. */
  val begins = idle && (io.port.command.valid || fielded(_.waiting, False))
  val byField = if (p.fields) idle && !io.port.command.valid && fields.waiting else False
  val depthLimit = Reg(UInt(p.levelWidth bits))
  /** The command writes a message. */
  private val toWrite = byField ? fielded(_.toWrite, False) |
    (io.port.command.operation === Operation.ProtobufSerialize.code)
  val writing = RegNextWhen(toWrite, begins) init False
  val entrance = CombInit(toWrite ? address(WriteProgram.Begin) | address("begin"))
  if (p.fields) when(byField) { entrance := fields.entrance }
  /** The argument that the current instruction names. Before the program begins, it is the command's depth limit. */
  val argument = {
    def ofDepth(operation: Operation) = U(operation.arguments.indexOf("max_depth"), 3 bits)
    val index = idle ? (toWrite ? ofDepth(Operation.ProtobufSerialize) | ofDepth(Operation.ProtobufDeserialize)) |
      field(Micro.Index).asUInt.resize(3)
    if (p.looksUp) {
      io.argument.index := index
      io.argument.word
    } else io.port.command.arguments.read(index)
  }
  private val depth = argument.asUInt
  private val noLimit = depth === 0 || (depth >> p.levelWidth) =/= 0 || depth.resize(p.levelWidth) > p.maxDepth ||
    byField
  when(begins) {
    idle := False
    taken := False
    tag := io.port.command.tag
    depthLimit := noLimit ? U(p.maxDepth, p.levelWidth bits) | depth.resize(p.levelWidth)
  }
  val status = Reg(Bits(Status.Width bits))
  val results = Vec.fill(Instruction.ResultWords)(Reg(Bits(32 bits)))
  val faultAtUnknown, faultAtInput, faultAtText = Reg(Bool())
  val killing = RegInit(False)
  /** What may be written: the arenas, or the output, and the slots of field instructions. Nothing, when a command
    * begins.
    */
  val arenas = Vec.fill(2)(Reg(Bounds(m)))
  val slots = p.fields generate Reg(Bounds(m))
  val writable: Seq[Bounds] = arenas.toList ++ Option(slots)
  for (range <- writable) {
    range.limit init 0
    when(begins) { range.limit := 0 }
  }
  /** The range in which objects may be read. */
  val objects = Reg(Bounds(m))
}
