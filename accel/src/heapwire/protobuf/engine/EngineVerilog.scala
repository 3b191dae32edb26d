package heapwire.protobuf.engine

import heapwire.memory.MemoryParameter
import heapwire.protobuf.EngineParameter
import heapwire.protobuf.engine.program.{Program, SlotModel}
import java.nio.file.{Files, Path}
import spinal.core._

/** Writes the Verilog of one engine for the unit harness, its program's listing, and the program of each
  * model as software loads it. Arguments: target folder, then
  * optionally the data width, and `fields` for an engine that also carries out the field instructions, or `small` for
  * one whose number of levels is a power of two, and whose cache holds little.
  */
object EngineVerilog extends App {
  private val engine =
    if (args.contains("small")) EngineParameter(maxDepth = 7, cacheBytes = 1024)
    else EngineParameter(fields = args.contains("fields"))
  SpinalConfig(targetDirectory = args(0), inlineRom = true,
    defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
    .generateVerilog(Engine(engine, MemoryParameter(dataWidth = args.lift(1).map(_.toInt).getOrElse(128))))
  Files.writeString(Path.of(args(0), "Engine.listing"), Program.assemble(engine.fields, engine.views).text)
  for (model <- SlotModel.all) Files.writeString(Path.of(args(0), s"${model.name}.program"),
    model.words.mkString("", "\n", "\n"))
}
