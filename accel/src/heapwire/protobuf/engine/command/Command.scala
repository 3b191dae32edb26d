package heapwire.protobuf.engine.command

import heapwire.isa._
import heapwire.memory._
import heapwire.protobuf.EngineParameter
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.{CommandProgram, WriteProgram}
import spinal.core._
import spinal.lib._

/** What the field instructions, if there are any, tell the command.
  *
  * @param open    a sequence is open
  * @param waiting an instruction waits. While the engine is idle, it begins like a command: at `entrance`; if
  *                `toWrite`, it opens an output.
  */
case class FieldOpening(open: Bool, waiting: Bool, toWrite: Bool, entrance: UInt)

/** The current command, or sequence of field instructions: the part of it that is kept outside of the program.
  *
  * @param fetched reads the arguments, if they do not come with the command
  */
class Command(p: EngineParameter, m: MemoryParameter, port: UnitPort, fetched: Option[ArgumentPort],
    execution: Execution, fields: Option[FieldOpening]) extends Area {
  import execution._
  val idle = RegInit(True)
  /** The command before has done its work, and completes when its writes are in memory. */
  val draining = RegInit(False)
  /** The command was taken from the port. */
  val taken = RegInit(False)
  val tag = Reg(UInt(p.tagWidth bits))
  private val waiting = fields.fold(False)(_.waiting)
  /** A sequence of field instructions is open. */
  val inSequence = fields.fold(False)(_.open)
  /** A command begins, or a field instruction that finds no open sequence (`byField`). */
  val begins = idle && (port.command.valid || waiting && !draining)
  val byField = begins && !port.command.valid
  val depthLimit = Reg(UInt(p.levelWidth bits))
  /** The command writes a message. */
  private val toWrite = byField ? fields.fold(False)(_.toWrite) |
    (port.command.operation === Operation.ProtobufSerialize.code)
  val writing = RegNextWhen(toWrite, begins) init False
  /** Where the program of the command begins. */
  val entrance = CombInit(toWrite ? address(WriteProgram.Begin) | address(CommandProgram.Begin))
  for (opening <- fields) when(byField) { entrance := opening.entrance }
  /** The argument that the current instruction names. Before the program begins, it is the command's depth limit. */
  private val argument = {
    def place(operation: Operation, name: String) = U(operation.arguments.indexOf(name), 3 bits)
    val at = idle ?
      (toWrite ? place(Operation.ProtobufSerialize, "max_depth") | place(Operation.ProtobufDeserialize, "limits")) |
      index.resize(3)
    for (of <- fetched) of.index := at
    fetched.fold(port.command.arguments.read(at))(_.word)
  }
  private val depth = argument(15 downto 0).asUInt
  private val noLimit = depth === 0 || (depth >> p.levelWidth) =/= 0 || depth.resize(p.levelWidth) > p.maxDepth ||
    byField
  /** Strings of at least this many bytes stay in the input (0: none), and an array of the heap owns them. */
  val viewsFrom = if (p.views) RegNextWhen(argument(30 downto 16).asUInt.andMask(!byField), begins) else U(0, 15 bits)
  private val viewsOwned = if (p.views) RegNextWhen(argument.msb, begins) else False
  /** No command has begun since reset. The program may change until then. */
  val untouched = RegInit(True) clearWhen begins
  when(begins) {
    idle := False
    taken := False
    tag := port.command.tag
    depthLimit := noLimit ? U(p.maxDepth, p.levelWidth bits) | depth.resize(p.levelWidth)
  }
  private val takes = Seq(Act.takeCommand, Act.takeWithArena1, Act.takeWithArenas).map(does(_)).orR
  when(takes) { taken := True }
  port.command.ready := takes
  val completes = does(Act.complete) && port.completion.ready
  reasons(Kind.owns) := draining
  val status = Reg(Bits(Status.Width bits))
  val results = Vec.fill(Instruction.ResultWords)(Reg(Bits(32 bits)))
  for ((act, word) <- Seq(Act.setResult0, Act.setResult1, Act.setResult2, Act.setResult3) zip results)
    when(does(act)) { word := result.asBits }
  val faultAtUnknown, faultAtInput, faultAtText = Reg(Bool())
  /** The command ends early. `trap`: because of a fault, in this cycle; assigned by the command's end. */
  val killing = RegInit(False)
  val trap = Bool()

  /** What may be written: the arenas, or the output, and the slots of field instructions. Nothing, when a command
    * begins, or when the one before is complete.
    */
  private val arenas = Vec.fill(2)(Reg(Bounds(m)))
  private val slots = p.fields generate Reg(Bounds(m))
  val writable: Seq[Bounds] = arenas.toList ++ Option(slots)
  for (range <- writable) {
    range.limit init 0
    when(draining ? port.completion.fire | begins) { range.limit := 0 }
  }
  /** The range in which objects may be read. */
  val objects = Reg(Bounds(m))
  when(begins) {
    objects.base := 0
    objects.limit := U"xffffffc0"
  }
  for ((acts, bounds) <- Seq(Seq(Act.setArena0, Act.takeWithArenas) -> arenas(0),
      Seq(Act.setArena1, Act.takeWithArena1, Act.takeWithArenas) -> arenas(1), Seq(Act.setObjects) -> objects) ++
      Option(slots).map(Seq(Act.setSlots) -> _))
    when(acts.map(does(_)).orR) {
      bounds.base := result
      bounds.limit := data.asUInt
    }

  val words: Map[Outside, Bits] = Map(Outside.argument -> argument, Outside.fixedBase -> arenas(0).base.asBits,
    Outside.flexibleBase -> arenas(1).base.asBits)
  val conditions: Map[Cond, Bool] = Map(
    Cond.completionReady -> port.completion.ready,
    Cond.badOperation -> (port.command.operation =/= Operation.ProtobufDeserialize.code), Cond.commandTaken -> taken,
    Cond.viewsOwned -> viewsOwned,
    Cond.faultAtInput -> faultAtInput, Cond.faultAtUnknown -> faultAtUnknown, Cond.faultAtText -> faultAtText,
    Cond.inSequence -> inSequence, Cond.toWrite -> (if (p.fields) writing else False))
}
