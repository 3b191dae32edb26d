package heapwire.cereal.deserialize

import heapwire.memory.MemoryParameter
import spinal.core._

/** Writes the Verilog of one deserialization unit for the unit harness.
  *
  * Arguments: target folder, then optionally the data width, and one of: the number of reconstructors; `vanilla`; or
  * `small`, which has two reconstructors and tables that small graphs fill. The suffix `-skyway` adds that mode.
  */
object DeserializationUnitVerilog extends App {
  private val words = args.lift(2).toSeq.flatMap(_.split('-'))
  private val shape = (words.headOption match {
    case Some("vanilla") => DeserializationUnitParameter.vanilla
    case Some("small") => DeserializationUnitParameter(reconstructors = 2, classes = 32, startsBytes = 256)
    case count => DeserializationUnitParameter(reconstructors = count.fold(4)(_.toInt))
  }).copy(skyway = words.contains("skyway"))
  SpinalConfig(targetDirectory = args(0), inlineRom = true,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(DeserializationUnit(shape, MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
}
