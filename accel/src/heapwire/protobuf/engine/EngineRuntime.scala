package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** The runtime registers, as the port writes them. */
class EngineRuntime(engine: Engine) extends Area {
  import engine._
  val write = io.port.registers
  private def copy(register: RuntimeRegister.Register) =
    RegNextWhen(write.value, write.valid && write.index === register.index) init 0
  val tableBase = copy(RuntimeRegister.TableBase).asUInt
  val tableLimit = copy(RuntimeRegister.TableLimit).asUInt
  val words = Mem(Bits(32 bits), RuntimeRegister.Count).addAttribute("ram_style", "distributed")
  words.write(write.index, write.value, write.valid)
}
