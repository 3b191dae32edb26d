package heapwire.protobuf.engine.command

import heapwire.isa.RuntimeRegister
import heapwire.memory.{Bounds, MemoryParameter, RegisterWrite}
import heapwire.protobuf.TypeFacts
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.program.Entry
import spinal.core._
import spinal.lib._

/** The runtime registers, as the port writes them.
  *
  * @param list kind of the open list
  */
class Runtime(m: MemoryParameter, write: Flow[RegisterWrite], execution: Execution, list: UInt) extends Area {
  private def copy(register: RuntimeRegister.Register) =
    RegNextWhen(write.value, write.valid && write.index === register.index) init 0
  /** Where tables are. */
  val tables = Bounds(m)
  tables.base := copy(RuntimeRegister.TableBase).asUInt
  tables.limit := copy(RuntimeRegister.TableLimit).asUInt
  /** A part of the program is written, of the slot. */
  val program = write.valid && write.index === RuntimeRegister.ProtobufProgram.index &&
    write.value(ProgramPart.Width + 2, Micro.Target.width bits).asUInt >= Entry.Slot
  private val file = Mem(Bits(32 bits), RuntimeRegister.Count).addAttribute("ram_style", "distributed")
  file.write(write.index, write.value, write.valid)

  // The bits of the code that select the register: the codes of the runtime words have the low bits 4, 6 and 7.
  require(Outside.ofRuntime.map(_.code) == Seq(4, 6, 7), "which runtime register it is two bits say")
  private val code = execution.field(Micro.X)
  private val listIndex = RegNext(U(TypeFacts.FirstList, 5 bits) + list)
  private val arrayIndex = RegNext(U(TypeFacts.FirstList + RuntimeRegister.ListToArray, 5 bits) + list)
  /** The register that the current instruction names. */
  val word = file.readAsync(code(1) ? (code(0) ? arrayIndex | listIndex) | execution.index)
}
