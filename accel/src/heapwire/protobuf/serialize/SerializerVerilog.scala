package heapwire.protobuf.serialize

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of a serializer alone, for the unit harness.
  * Arguments: target folder, then optionally the data width.
  */
object SerializerVerilog extends App {
  SpinalConfig(targetDirectory = args(0), inlineRom = true, defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(Serializer(SerializerParameter(), MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
