package heapwire.protobuf

import heapwire.isa.RuntimeRegister
import heapwire.memory.RegisterWrite
import spinal.core._
import spinal.lib._

/** The unit's copy of the runtime registers: those that are always at hand, and
  * all of them in a small memory.
  */
case class RuntimeWords(write: Flow[RegisterWrite]) extends Area {
  private val words = Mem(Bits(32 bits), RuntimeRegister.Count)
  words.write(write.index, write.value, write.valid)
  private def copy(register: RuntimeRegister.Register): Bits = {
    val word = Reg(Bits(32 bits)) init 0
    when(write.valid && write.index === register.index) { word := write.value }
    word
  }
  val tableBase = copy(RuntimeRegister.TableBase).asUInt
  val tableLimit = copy(RuntimeRegister.TableLimit).asUInt
  val mark = copy(RuntimeRegister.MarkPrototype)
  val unknownFields = copy(RuntimeRegister.UnknownFields)
  val byteString = copy(RuntimeRegister.ByteString)
  val byteArray = copy(RuntimeRegister.ByteArray)

  /** Combinational. */
  def apply(index: UInt): Bits = words.readAsync(index, writeFirst)
}
