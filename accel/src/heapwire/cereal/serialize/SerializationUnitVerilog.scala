package heapwire.cereal.serialize

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of one serialization unit for the unit harness. Arguments: target folder, then optionally the
  * data width and `vanilla`, `skyway`, or both joined by `-`.
  */
object SerializationUnitVerilog extends App {
  private val words = args.drop(2).flatMap(_.split('-'))
  private val shape = (if (words.contains("vanilla")) SerializationUnitParameter.vanilla
                       else SerializationUnitParameter()).copy(skyway = words.contains("skyway"))
  SpinalConfig(targetDirectory = args(0), inlineRom = true,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(SerializationUnit(shape, MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
