package heapwire.cereal.serialize

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of a serialization unit alone, for the unit harness.
  * Arguments: target folder, then optionally the data width and `vanilla`.
  */
object CerealSerializerVerilog extends App {
  SpinalConfig(targetDirectory = args(0), inlineRom = true, defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(CerealSerializer(CerealSerializerParameter(pipelined = !args.contains("vanilla")),
      MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
