package heapwire.core

import heapwire.isa.{Emit, UnitKind}
import heapwire.protobuf.engine.program.SlotModel
import spinal.core._
import spinal.core.internals.Phase

import java.nio.file.{Files, Path, Paths}
import scala.collection.mutable

/** `make/scala heapwire.core.Generate --config default --data-width 128 --memory-mb 256 --output DIR`
  * writes the cluster's Verilog, `heapwire.h` and `heapwire.json` into DIR.
  */
object Generate {
  private case class Options(config: String = "default", dataWidth: Int = 128, memoryMegabytes: Int = 256,
      unitClockDivider: Int = 1, dramPorts: Option[Int] = None, debug: Option[DebugTransport] = None,
      output: Path = Paths.get("build/gen/default-128"))

  private def usage(problem: String): Nothing = {
    System.err.println(
      s"""$problem
         |usage: heapwire.core.Generate [--config ${ClusterConfig.bases.map(_.name).mkString(
          "|")}, with -xN -eN -kN -lN] [--data-width 32|64|128]
         |                              [--memory-mb N] [--unit-clock-divider 1|2] [--dram-ports 1|2|4]
         |                              [--debug ${DebugTransport.all.map(_.name).mkString(
          "|")}] [--output DIR]""".stripMargin)
    sys.exit(2)
  }

  @annotation.tailrec
  private def parse(args: List[String], options: Options): Options = args match {
    case Nil => options
    case "--config" :: name :: rest => parse(rest, options.copy(config = name))
    case "--data-width" :: bits :: rest => parse(rest, options.copy(dataWidth = number("--data-width", bits)))
    case "--memory-mb" :: size :: rest => parse(rest, options.copy(memoryMegabytes = number("--memory-mb", size)))
    case "--unit-clock-divider" :: divider :: rest =>
      parse(rest, options.copy(unitClockDivider = number("--unit-clock-divider", divider)))
    case "--debug" :: name :: rest => parse(rest,
        options.copy(debug = Some(
          try DebugTransport.named(name)
          catch { case problem: IllegalArgumentException => usage(problem.getMessage) })))
    case "--dram-ports" :: ports :: rest => parse(rest, options.copy(dramPorts = Some(number("--dram-ports", ports))))
    case "--output" :: directory :: rest => parse(rest, options.copy(output = Paths.get(directory)))
    case other :: _ => usage(s"unknown option, or an option without its value: '$other'")
  }

  private def number(option: String, text: String): Int =
    text.toIntOption.getOrElse(usage(s"$option takes a number, not '$text'"))

  /** Returns the facts about a cluster that software may want. */
  def facts(config: ClusterConfig): Seq[(String, Any)] = Seq(
    "config" -> config.name,
    "dataWidth" -> config.dataWidth,
    "memoryBase" -> config.memoryBase,
    "memoryBytes" -> config.memoryBytes,
    "instructionCacheBytes" -> config.instructionCacheBytes,
    "dataCacheBytes" -> config.dataCacheBytes,
    "sharedCacheBytes" -> config.sharedCacheBytes,
    "lineBytes" -> Cpu.LineBytes,
    "blockBytes" -> config.memory.blockBytes,
    "tags" -> config.tags,
    "queueDepth" -> config.queueDepth,
    "unitClockDivider" -> config.unitClockDivider,
    "debug" -> config.debug.name,
    "jtagIdCode" -> DebugTransport.IdCode,
    "hardwareBreakpoints" -> (if (config.hasDebug) config.hardwareBreakpoints else 0),
    "counters" -> config.counters,
    "addedLatency" -> config.addedLatency,
    "units" -> UnitKind.all.map(kind => kind.name -> config.count(kind)),
    "unitClocks" -> config.unitClocks,
    "dram" -> Seq("readPorts" -> config.dram.stripes, "writePorts" -> config.dram.stripes))

  def main(args: Array[String]): Unit = {
    val options = parse(args.toList, Options())
    val config =
      try {
        val named = ClusterConfig.named(options.config)
        named.copy(dataWidth = options.dataWidth, memoryBytes = options.memoryMegabytes.toLong << 20,
          unitClockDivider = options.unitClockDivider, dramPorts = options.dramPorts,
          debug = options.debug.getOrElse(named.debug))
      } catch { case problem: IllegalArgumentException => usage(problem.getMessage) }

    Files.createDirectories(options.output)
    SpinalConfig(
      inlineRom = true,
      defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = HIGH),
      targetDirectory = options.output.toString,
      memBlackBoxers = mutable.ArrayBuffer[Phase](MaskedMemories)).generateVerilog(new Cluster(config))

    val cluster = facts(config)
    Files.writeString(options.output.resolve("heapwire.json"), Emit.heapwireJson(cluster))
    Files.writeString(options.output.resolve("heapwire.h"), Emit.heapwireH(cluster))
    for (model <- SlotModel.all)
      Files.writeString(options.output.resolve(s"heapwire_model_${model.name}.h"), Emit.modelH(model.name, model.words))
  }
}
