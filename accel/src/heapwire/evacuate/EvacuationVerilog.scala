package heapwire.evacuate

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of the evacuation unit alone. Arguments: target folder, then optionally the data width. */
object EvacuationVerilog extends App {
  SpinalConfig(targetDirectory = args(0), defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(EvacuationUnit(4, MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
