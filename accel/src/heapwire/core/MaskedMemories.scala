package heapwire.core

import heapwire.memory.ByteRam
import spinal.core._
import spinal.core.internals._

/** Replaces library memories with byte masks (the core's data cache) by one [[ByteRam]] each. SpinalHDL's Verilog would
  * have one array per byte, each of which takes a block RAM.
  */
object MaskedMemories extends PhaseMemBlackboxing {
  override def doBlackboxing(pc: PhaseContext, found: MemTopology): Unit =
    (found.writes.toSeq, found.readsSync.toSeq) match {
      case (Seq(write), Seq(read)) if fits(found, write, read) =>
        val memory = found.mem
        memory.component.rework {
          val context = ClockDomainStack.set(write.clockDomain)
          val ram = ByteRam(write.mask.getWidth, memory.wordCount)
          ram.setName(memory.getName())
          val mask = Bits(write.mask.getWidth bits)
          val (writes, reads) = (Bool(), Bool())
          mask.assignFrom(write.mask)
          writes.assignFrom(write.writeEnable)
          reads.assignFrom(read.readEnable)
          ram.io.write.mask := mask.andMask(writes)
          ram.io.write.address.assignFrom(write.address)
          ram.io.write.data.assignFrom(write.data)
          ram.io.read.enable := reads
          ram.io.read.address.assignFrom(read.address)
          wrapConsumers(found, read, ram.io.read.data)
          context.restore()
        }
        removeMem(memory)
      case _ =>
    }

  private def fits(found: MemTopology, write: MemWrite, read: MemReadSync): Boolean =
    found.portCount == 2 && found.mem.initialContent == null && write.mask != null &&
      write.mask.getWidth * 8 == found.mem.width && write.data.getWidth == found.mem.width &&
      read.getWidth == found.mem.width && read.clockDomain == write.clockDomain
}
