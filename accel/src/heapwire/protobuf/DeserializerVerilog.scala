package heapwire.protobuf

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of a deserializer alone, for the unit harness.
  * Arguments: target folder, then optionally the data width.
  */
object DeserializerVerilog extends App {
  SpinalConfig(targetDirectory = args(0), inlineRom = true, defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(Deserializer(ProtobufParameter(), MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
