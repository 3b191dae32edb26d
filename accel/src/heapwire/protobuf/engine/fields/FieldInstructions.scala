package heapwire.protobuf.engine.fields

import heapwire.isa.FieldInstruction
import heapwire.memory.FieldPort
import heapwire.protobuf.engine.command.FieldOpening
import heapwire.protobuf.engine.microcode.Execution
import heapwire.protobuf.engine.program.FieldsProgram
import spinal.core._
import spinal.lib._

/** A field instruction without its operands. */
case class FieldHead() extends Bundle {
  val kind = Bits(2 bits)
  val function = Bits(7 bits)

  def is(of: FieldInstruction.Kind): Bool = kind === of.funct3
  def fieldType: UInt = function(4 downto 0).asUInt
  def repeated: Bool = function(FieldInstruction.RepeatedBit)
  def flag: Bool = function(FieldInstruction.FlagBit)
}

/** The field instructions at the engine's second port ([[FieldInstruction]]; docs/reference/units/protobuf_fields.md):
  * a queue, and where the program continues. The program carries out each instruction to its end, from the entrance for
  * its kind and function, and rests in between. [[FieldSequence]] says what an instruction does.
  *
  * @param commandWaits a command waits at the engine's first port
  */
class FieldInstructions(length: Int, port: FieldPort, val commandWaits: Bool, execution: Execution) extends Area {
  import FieldInstruction._
  import execution.address

  /** Operands are in one memory, which takes two cycles per instruction: rs1, then rs2. */
  val queue = new Area {
    private val width = log2Up(length)
    val put, taken = Reg(UInt(width + 1 bits)) init 0
    val second = RegInit(False)
    /** An instruction is in the queue, or its first half. */
    val any = put =/= taken || second
    private val room = (put ^ taken) =/= length
    private val writes = port.request.valid && room
    val operands = Mem(Bits(32 bits), 2 * length).addAttribute("ram_style", "distributed")
    val heads = Mem(FieldHead(), length).addAttribute("ram_style", "distributed")
    private val head = FieldHead()
    head.kind := port.request.kind
    head.function := port.request.function
    operands.write(put.resize(width) @@ second, second ? port.request.rs2 | port.request.rs1, writes)
    heads.write(put.resize(width), head, writes)
    port.request.ready := room && second
    when(writes) { second := !second }
    when(port.request.fire) { put := put + 1 }
    val first = taken.resize(width)
  }
  /** The next instruction, in the cycle before it is `head`. */
  val first = queue.heads.readAsync(queue.first)
  /** `head`: the next instruction; `waiting`: there is one; `pops`: it is done. */
  val head = RegNext(first)
  val pops = Bool()
  val waiting = RegNext(queue.any && !pops) init False
  val operand = queue.operands.readAsync(queue.first @@ execution.index.lsb)

  /** The engine has a sequence, or the rest of one, and is not idle. A first instruction begins like a command. */
  val open = RegInit(False)
  /** The program rests. */
  val resting = RegInit(False)
  /** No instruction comes. */
  val quiet = !queue.any && !port.request.valid
  /** `due`: an instruction, or an event without one, is due. `turns`: its program begins. */
  val due, turns = Bool()

  /** Where the program of the instruction begins. Two events come without an instruction: a command, and the request
    * that all writes reach memory.
    */
  private val asked = first.function(6 downto 3).orR ? U(7, 3 bits) | first.function(2 downto 0).asUInt
  private val asInstruction =
    Vec(for (kind <- 0 until 4; function <- 0 until 8) yield address(FieldsProgram.entrance(kind, function)))(
      first.kind.asUInt @@ asked)
  val entrance = RegNext(asInstruction)
  private val next = waiting ? entrance | (commandWaits ? address(FieldsProgram.Leave) | address(FieldsProgram.Settle))
  /** Where the program continues: at the next entrance if it rests; otherwise it is carrying out a field, which is then
    * done.
    */
  val target = resting ? next | address(FieldsProgram.Done)
  /** `toWrite`: the instruction opens an output. */
  val opening = FieldOpening(open, waiting, toWrite = head.is(Seroutput) && head.function === SetUp.Output, entrance)
}
