package heapwire.core

import heapwire.isa.{Emit, UnitKind}

import java.nio.file.{Files, Paths}

/** `make/scala heapwire.core.Configurations FILE` writes what there is to choose from, without any Verilog: the bases in
  * [[ClusterConfig]] with what others ask about them, and the parameters that may follow a base's name
  * ([[ConfigParameter]]). `heapwire_litex/configurations.py` reads it for LiteX, boards, simulator and host.
  */
object Configurations {
  /** Returns a regular expression of all names that begin with this base. */
  private def pattern(base: ClusterConfig): String =
    base.name + ConfigParameter.all.map(parameter => parameter.letter -> parameter.numbers(base)).collect {
      case (letter, numbers) if numbers.nonEmpty => s"(-$letter(${numbers.mkString("|")}))?"
    }.mkString

  private def facts(base: ClusterConfig): Seq[(String, Any)] = Seq(
    "name" -> base.name,
    "pattern" -> pattern(base),
    "units" -> UnitKind.all.map(kind => kind.name -> base.count(kind)),
    "skyway" -> (base.modes != 0),
    "debugger" -> base.hasDebug,
    "board_clock_divider" -> base.boardClockDivider)

  def main(args: Array[String]): Unit = {
    val parameters = ConfigParameter.all.map(each => s"-${each.letter}N" -> each.what)
    Files.writeString(Paths.get(args.head),
      Emit.json(Seq("bases" -> ClusterConfig.bases.map(facts), "parameters" -> parameters)) + "\n")
  }
}
