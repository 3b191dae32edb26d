package heapwire.protobuf.engine

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of one engine for the unit harness. Arguments: target folder, then optionally the data width, and
  * `fields` for an engine that also carries out the field instructions.
  */
object EngineVerilog extends App {
  SpinalConfig(targetDirectory = args(0), inlineRom = true,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(Engine(EngineParameter(fields = args.drop(2).contains("fields")),
        MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
