package heapwire.protobuf.engine.microcode

import heapwire.memory.BlockRam
import spinal.core._
import spinal.lib._

/** A quarter of an instruction, to be written to the program memory. */
case class ProgramPart(addressWidth: Int) extends Bundle {
  val data = Bits(ProgramPart.Width bits)
  val part = UInt(2 bits)
  val address = UInt(addressWidth bits)
}

object ProgramPart {
  val Width: Int = Micro.Bits / 4
  require(4 * Width == Micro.Bits && Width + 2 + Micro.Target.width <= 32, "a part is a word for software")
  /** Returns the words that software writes for an instruction at an address. */
  def words(address: Int, instruction: BigInt): Seq[BigInt] = for (part <- 0 until 4)
    yield (instruction >> part * Width & ((BigInt(1) << Width) - 1)) | part << Width | BigInt(address) << Width + 2
}

/** The microprogram, in block RAM: two instructions are read in each cycle. A part of an instruction is written in the
  * place of the second one, which then is undefined.
  */
class ProgramMemory(program: Seq[BigInt], addressWidth: Int) extends Area {
  private val lanes =
    for (part <- 0 until 4) yield BlockRam(Mem(Bits(ProgramPart.Width bits), 1 << addressWidth))
      .initBigInt(program.padTo(1 << addressWidth, BigInt(0)).map(
          _ >> part * ProgramPart.Width & ((BigInt(1) << ProgramPart.Width) - 1))).addAttribute("no_rw_check")
  def first(address: UInt, enable: Bool): Bits = Cat(lanes.map(_.readSync(address, enable)))
  def second(address: UInt, enable: Bool, write: Flow[ProgramPart]): Bits = {
    val at = write.valid ? write.address | address
    Cat(lanes.zipWithIndex.map { case (lane, part) =>
      lane.readWriteSync(at, write.data, enable || write.valid, write.valid && write.part === part)
    })
  }
}
